import type { Speech } from './rehearsal-reply';
import { ASK, type Scene, TODOS } from './rehearsal-scene';
import { NOTE, paragraphs, remarksOf, topicOf, wordsFor } from './rehearsal-words';

/** The form: each field with a schema, so that each control of a form is seen once. */
const FIELDS = [
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
    question: 'Which e-mail address shall updates go to?',
    schema: { type: 'string', format: 'email' },
  },
];

const NEXT: Record<string, string> = {
  critical: 'Call whoever is on duty now, and tell the contact every half hour how it stands.',
  high: 'To the top of today’s list; tell the contact by noon and by evening how it stands.',
  medium: 'Into this week’s plan; tell the contact when somebody is on it.',
  low: 'Into the backlog; look at it again in a month.',
};

const REPORT =
  /\b(incidents?|outages?|tickets?|reported|reports?(?= from\b| by\b|:)|is (down|broken|stuck|failing))\b/i;

/** Something is reported as broken; to write or plan something about it is another matter. */
export function isReport(request: string): boolean {
  return REPORT.test(request) && !/^\W*(please\s+)?(write|draft|plan|prepare|organi[sz]e)\b/i.test(request);
}

/** A form for what the report leaves open, then the ticket. */
export function intake(scene: Scene): Speech {
  const { called, offered } = scene;
  if (called.length === 0 && offered.has(ASK)) {
    const context = `About the report **“${topicOf(scene.request)}”**. The severity decides who is told, and how soon.`;
    return {
      text: 'Thank you for the report. A few facts make it a ticket:',
      calls: [
        ...todos(scene),
        { name: ASK, input: { questions: FIELDS.slice(0, scene.mostQuestions), context } },
      ],
    };
  }
  if (called.includes(ASK) && offered.has(TODOS)) return { calls: todos(scene) };
  return conclude(scene);
}

function conclude(scene: Scene): Speech {
  const rows = FIELDS.map((field) => `| **${field.header}** | ${cell(scene, field)} |`);
  const severity = String(scene.form?.answers[FIELDS[0]?.question ?? ''] ?? 'medium');
  return {
    text: paragraphs([
      `## Ticket: ${topicOf(scene.request)}`,
      gap(scene),
      ['| | |', '| --- | --- |', ...rows].join('\n'),
      remarksOf(scene).join('\n'),
      `**As reported**\n\n${scene.request.replace(/^/gm, '> ')}`,
      `**Next:** ${NEXT[severity] ?? NEXT.medium}`,
      NOTE,
    ]),
  };
}

function cell({ form }: Scene, field: (typeof FIELDS)[number]): string {
  const value = form?.answers[field.question];
  if (value !== undefined) return wordsFor(value).join(', ').replace(/\|/g, '\\|').replace(/\s+/g, ' ');
  return field.default === undefined ? '_not known_' : `${field.default} _(assumed)_`;
}

function gap({ form }: Scene): string {
  if (form?.how === 'answered') return '';
  if (form?.how === 'timed_out') return 'Nobody filled in the form in time: **to be completed**.';
  return form ? 'The form was declined: **to be completed**.' : 'I could not ask: **to be completed**.';
}

function todos({ offered, form }: Scene): { name: string; input: unknown }[] {
  if (!offered.has(TODOS)) return [];
  const items = [
    { content: 'Ask for what the report leaves open', status: form ? 'completed' : 'in_progress' },
    { content: 'Write the ticket', status: form ? 'completed' : 'pending' },
  ];
  return [{ name: TODOS, input: { todos: items } }];
}
