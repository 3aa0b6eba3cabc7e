import { ASK_TOOL, type DemoState, TODOS_TOOL } from './demo-state';
import type { ScriptedMessage } from './reply';
import { DEMO_NOTE, extractTopic, formatRemarks, joinParagraphs, toAnswerTexts } from './reply-text';

/** The fields of the form. Their schemas cover each kind of form control once. */
const INCIDENT_FIELDS = [
  {
    header: 'Severity',
    question: 'How severe is it?',
    schema: { type: 'string', enum: ['critical', 'high', 'medium', 'low'] },
    default: 'medium',
  },
  {
    header: 'Affected',
    question: 'How many people are affected?',
    schema: { type: 'integer', minimum: 1 },
  },
  { header: 'Since', question: 'Since when?', schema: { type: 'string', format: 'date' } },
  {
    header: 'Contact',
    question: 'Which email address should updates go to?',
    schema: { type: 'string', format: 'email' },
  },
];

const NEXT_STEPS: Record<string, string> = {
  critical: 'Page the on-call engineer now, and update the contact every 30 minutes.',
  high: 'Put it at the top of today’s list, and update the contact at noon and in the evening.',
  medium: 'Schedule it for this week, and tell the contact when work starts.',
  low: 'Add it to the backlog, and review it in a month.',
};

const INCIDENT_PATTERN =
  /\b(incidents?|outages?|tickets?|reported|reports?(?= from\b| by\b|:)|is (down|broken|stuck|failing))\b/i;

/** Whether the request reports an incident, rather than asks to write or plan something about one. */
export function isIncidentReport(request: string): boolean {
  return INCIDENT_PATTERN.test(request) && !/^\W*(please\s+)?(write|draft|plan|prepare|organi[sz]e)\b/i.test(request);
}

/** Asks for the facts that the report leaves open, then writes the ticket. */
export function replyToIncidentReport(state: DemoState): ScriptedMessage {
  const { lastCalledTools, availableTools } = state;
  if (lastCalledTools.length === 0 && availableTools.has(ASK_TOOL)) {
    const context = `About the report **“${extractTopic(state.request)}”**. The severity decides who is notified, and how soon.`;
    return {
      text: 'Thanks for the report. A few details are missing:',
      calls: [
        ...createTodoCalls(state),
        { name: ASK_TOOL, input: { questions: INCIDENT_FIELDS.slice(0, state.maxQuestions), context } },
      ],
    };
  }
  if (lastCalledTools.includes(ASK_TOOL) && availableTools.has(TODOS_TOOL)) return { calls: createTodoCalls(state) };
  return writeTicket(state);
}

function writeTicket(state: DemoState): ScriptedMessage {
  const rows = INCIDENT_FIELDS.map((field) => `| **${field.header}** | ${formatCell(state, field)} |`);
  const severity = String(state.form?.answers[INCIDENT_FIELDS[0]?.question ?? ''] ?? 'medium');
  return {
    text: joinParagraphs([
      `## Ticket: ${extractTopic(state.request)}`,
      describeMissingAnswers(state),
      ['| | |', '| --- | --- |', ...rows].join('\n'),
      formatRemarks(state).join('\n'),
      `**As reported**\n\n${state.request.replace(/^/gm, '> ')}`,
      `**Next:** ${NEXT_STEPS[severity] ?? NEXT_STEPS.medium}`,
      DEMO_NOTE,
    ]),
  };
}

function formatCell({ form }: DemoState, field: (typeof INCIDENT_FIELDS)[number]): string {
  const value = form?.answers[field.question];
  if (value !== undefined) return toAnswerTexts(value).join(', ').replace(/\|/g, '\\|').replace(/\s+/g, ' ');
  return field.default === undefined ? '_unknown_' : `${field.default} _(assumed)_`;
}

function describeMissingAnswers({ form }: DemoState): string {
  if (form?.status === 'answered') return '';
  if (form?.status === 'timed_out') return 'No answer in time: **to be completed**.';
  return form ? 'The form was skipped: **to be completed**.' : 'I could not ask: **to be completed**.';
}

function createTodoCalls({ availableTools, form }: DemoState): { name: string; input: unknown }[] {
  if (!availableTools.has(TODOS_TOOL)) return [];
  const items = [
    { content: 'Ask for missing details', status: form ? 'completed' : 'in_progress' },
    { content: 'Write the ticket', status: form ? 'completed' : 'pending' },
  ];
  return [{ name: TODOS_TOOL, input: { todos: items } }];
}
