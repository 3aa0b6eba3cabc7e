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
  question: createSingleChoice('Look back', 'How far back shall I look for trouble?', 'The last year', {
    'The last month': 'Only what is still fresh in mind',
    'The last year': 'Enough to see what keeps coming back',
    'As far as it goes': 'Takes longest; finds the rare ones',
  }),
  findings: (answer) => [
    `Looked at: **${answer}**. Three cases, and the same cause twice: nobody had said who decides.`,
    'What helped each time was a written way back, tried out the day before.',
    'For the next step: name one person who may stop everything, and how to reach them.',
  ],
};

const factResearch: ResearchTemplate = {
  keywords: /^/,
  question: createSingleChoice('Sources', 'Whose word shall I go by?', 'Our own records', {
    'Our own records': 'What was done here before, and what it took',
    'The makers’ documentation': 'What it says on the tin, and in the small print',
    'What others report': 'Other people’s experience, good and bad',
  }),
  findings: (answer) => [
    `By **${answer}**: it is done about once a quarter, and takes half a day with two people.`,
    'The estimate is good within a third; preparation is most of it.',
    'For the next step: put it on a morning, and keep the afternoon free.',
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
    const context = `It decides where I look first for: **${topic}**`;
    return {
      text: 'One question, and I get to work.',
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
    timed_out: 'Nobody answered in time',
    declined: 'You preferred not to say',
    answered: 'It was left open',
  };
  return `${form ? reasons[form.status] : 'I could not ask'}, so I took **${answer}** _(assumed)_.`;
}
