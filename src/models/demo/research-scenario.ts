import { ASK_TOOL, type DemoState } from './demo-state';
import { createSingleChoice, type DemoQuestion } from './plan-templates';
import type { ScriptedMessage } from './reply';
import { DEMO_NOTE, extractTopic, formatRemarks, joinParagraphs, joinWithAnd, toAnswerTexts } from './reply-text';

/** The demo's question and findings for a research task. */
interface ResearchTemplate {
  keywords: RegExp;
  question: DemoQuestion;
  findings(answer: string): string[];
}

const riskResearch: ResearchTemplate = {
  keywords: /\b(wrong|risks?|trouble|fails?|failures?)\b/i,
  question: createSingleChoice('Look back', 'How far back should I look for incidents?', 'The last year', {
    'The last month': 'Only recent incidents',
    'The last year': 'Enough to spot recurring problems',
    'All available history': 'Slowest, but finds rare incidents',
  }),
  findings: (answer) => [
    `Period: **${answer}**. Three incidents, two with the same cause: it was unclear who decides.`,
    'A written rollback plan, tested the day before, helped each time.',
    'Next step: name one person who can stop everything, and how to reach them.',
  ],
};

const factResearch: ResearchTemplate = {
  keywords: /^/,
  question: createSingleChoice('Sources', 'Which sources should I trust?', 'Our own records', {
    'Our own records': 'What was done here before, and how long it took',
    'Vendor documentation': 'What the vendor specifies and recommends',
    'Other people’s experience': 'Good and bad reports from others',
  }),
  findings: (answer) => [
    `According to **${answer}**: done about once a quarter; takes two people half a day.`,
    'The estimate is accurate to about a third; most of the time is preparation.',
    'Next step: schedule it for a morning, and keep the afternoon free.',
  ],
};

/** Whether the request is a research task, from a user or delegated by another scenario. */
export function isResearchTask(request: string): boolean {
  return /^(research|find out|look (into|up)|investigate|compare)\b/im.test(request);
}

/** Asks one short question, then replies with findings. */
export function replyToResearchTask(state: DemoState): ScriptedMessage {
  const topic = extractTopic(state.request);
  const { question, findings } = riskResearch.keywords.test(topic) ? riskResearch : factResearch;
  if (state.lastCalledTools.length === 0 && state.availableTools.has(ASK_TOOL)) {
    const context = `This decides where I look first for: **${topic}**`;
    return {
      text: 'One question before I start.',
      calls: [{ name: ASK_TOOL, input: { questions: [question], context } }],
    };
  }
  const value = state.form?.answers[question.question];
  const answer = joinWithAnd(toAnswerTexts(value ?? question.default));
  return {
    text: joinParagraphs([
      `## ${topic}`,
      value === undefined ? describeAssumedAnswer(state, answer) : '',
      [...findings(answer).map((line) => `- ${line}`), ...formatRemarks(state)].join('\n'),
      DEMO_NOTE,
    ]),
  };
}

function describeAssumedAnswer({ form }: DemoState, answer: string): string {
  const reasons = {
    timed_out: 'No answer in time',
    declined: 'You skipped the question',
    answered: 'You left it open',
  };
  return `${form ? reasons[form.status] : 'I could not ask'}, so I used **${answer}** _(assumed)_.`;
}
