import fc from 'fast-check';
import { createQuestionMessage, createReminderMessage, createResolvedMessage } from '#channels/slack/blocks/message';
import { createAnswerForm } from '#channels/slack/blocks/modal';
import { parseSlackForm } from '#channels/slack/inbound/payloads';
import type { Question, QuestionField, ValueSchema } from '#contract/question';
import { jsonBytes } from '#core/json';
import { validateAnswer } from '#core/questions/validate-answer';
import { findSchemaIssues } from '#core/schema/validate-schema';
import {
  collectMrkdwnTexts,
  SlackBlocksSchema,
  SlackMetadataSchema,
  SlackModalSchema,
} from '#test/support/slack/block-kit';
import { slackConfirmation, slackNotification, slackQuestion } from '#test/support/slack/slack-samples';

/** Text up to the maximum length, of the characters that are hardest to show. */
const piece = fc.constantFrom(
  ...['a', 'word ', '&', '<', '>', '<!channel> ', '<@U123> ', '<https://evil.example|ok>', '@here ', '\n'],
  ...['```', '**bold** ', '# ', '- ', '[text](https://evil.example) ', '*', '🙂', '\ud83d', 'ä', '|', ':tada:'],
);
function text(maxLength: number) {
  return fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.constantFrom(1, 1, 5, 60))
    .map(([pieces, times]) => `x${pieces.join('').repeat(times)}`.slice(0, maxLength).trim());
}

const option = fc.record({ label: text(200), description: fc.option(text(1_000), { nil: undefined }) });
const distinct = { selector: ({ label }: { label: string }) => label, minLength: 2 };
const schema: fc.Arbitrary<ValueSchema> = fc.oneof(
  fc.record({
    type: fc.constant('string' as const),
    minLength: fc.option(fc.nat(40), { nil: undefined }),
    maxLength: fc.option(fc.integer({ min: 40, max: 32_768 }), { nil: undefined }),
  }),
  fc.record({
    type: fc.constant('string' as const),
    format: fc.constantFrom('email' as const, 'uri' as const, 'date' as const, 'date-time' as const),
  }),
  fc.record({ type: fc.constant('string' as const), pattern: fc.constantFrom('^[a-z]+$', '<b>&') }),
  fc.record({
    type: fc.constant('string' as const),
    enum: fc.uniqueArray(text(200), { minLength: 1, maxLength: 50 }),
  }),
  fc.record({
    type: fc.constantFrom('number' as const, 'integer' as const),
    minimum: fc.option(fc.oneof(fc.integer(), fc.constantFrom(-1.5e300, 0.1, 1e-9)), { nil: undefined }),
  }),
  fc.constant({ type: 'boolean' as const }),
  fc.record({
    type: fc.constant('array' as const),
    items: fc.record({ enum: fc.uniqueArray(text(200), { minLength: 1, maxLength: 50 }) }),
    minItems: fc.constantFrom(0, 1, undefined),
  }),
);

const fieldArbitrary: fc.Arbitrary<Partial<QuestionField>> = fc.oneof(
  fc.record({ header: text(12), question: text(2_000) }),
  fc.record({
    header: text(12),
    question: text(2_000),
    options: fc.uniqueArray(option, { ...distinct, maxLength: 5 }),
    multiSelect: fc.boolean(),
    allowOther: fc.boolean(),
  }),
  fc.record({
    header: text(12),
    question: text(2_000),
    options: fc.uniqueArray(option, { ...distinct, maxLength: 50 }),
    multiSelect: fc.boolean(),
    allowOther: fc.boolean(),
  }),
  fc.record({
    header: text(12),
    question: text(2_000),
    allowOther: fc.constant(false),
    schema: schema.filter((one) => findSchemaIssues(one).length === 0),
  }),
);

/** Some have a default: the first or last option. */
function withDefault(field: Partial<QuestionField>, chance: number): Partial<QuestionField> {
  const labels = field.options?.map(({ label }) => label);
  const [first] = labels ?? [];
  if (chance === 0 || !first) return field;
  return { ...field, default: field.multiSelect ? [first, labels?.at(-1) ?? first] : first };
}

const questions: fc.Arbitrary<Question> = fc
  .record({
    fields: fc.array(fc.tuple(fieldArbitrary, fc.nat(1)), { minLength: 1, maxLength: 20 }),
    context: fc.option(text(4_000)),
    expiresAt: fc.constantFrom(null, '2026-11-20T00:00:00.000Z'),
    origin: fc.constantFrom<string[]>(['clerk'], ['boss', 'clerk', 'helper']),
  })
  .map(({ fields, ...more }) =>
    slackQuestion(
      fields.map(([one, chance]) => withDefault(one, chance)),
      more,
    ),
  )
  .filter((one) => jsonBytes(one) <= 16 * 1024);

interface Element {
  initial_option?: { value: string };
  initial_options?: { value: string }[];
}

const ORIGIN = {
  conversation: 'c'.repeat(300),
  question: 'question-1',
  askedAt: '2026-11-16T09:30:00.000Z',
  channel: 'C0OPS0000',
  ts: '1.2',
};
/** Parley's own markup: times, the link to Parley, and mentions for an escalation. */
const OWN_MARKUP = /<!date\^\d+\^[^|<>]*\|[^<>]*>|<https:\/\/parley\.example\.com\/[^|<>]*\|[^<>]*>|<@U0MARIA>/g;

function expectHarmless(content: object): void {
  for (const markup of collectMrkdwnTexts(content)) expect(markup.replace(OWN_MARKUP, '')).not.toMatch(/[<>]/);
  expect(JSON.stringify(content)).not.toMatch(/"mrkdwn","text":"[^"]*"\}/);
}

describe('for any question', () => {
  it("the Slack message is within Slack's limits, and nothing of the model’s is markup", () => {
    fc.assert(
      fc.property(questions, text(500), (question, title) => {
        const message = createQuestionMessage(slackNotification(question, { title, escalatedTo: ['maria'] }), [
          '<@U0MARIA>',
        ]);
        SlackBlocksSchema.parse(message.blocks);
        SlackMetadataSchema.parse(message.metadata);
        expectHarmless(message.blocks);
        expect(message.text.length).toBeLessThanOrEqual(3_000);
        expect(message.text).not.toMatch(/[<>]/);
        const reminder = createReminderMessage(slackNotification(question), []);
        SlackBlocksSchema.parse(reminder.blocks);
        expectHarmless(reminder.blocks);
      }),
      { numRuns: 300 },
    );
  });

  it("the Slack form is within Slack's limits, and submitting it unchanged gives the defaults", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const view = createAnswerForm(question, ORIGIN, 'https://parley.example.com/conversations/c-1');
        SlackModalSchema.parse(view);
        expectHarmless(view.blocks);
        const values = Object.fromEntries(
          view.blocks.flatMap((block) => {
            if (block.type !== 'input') return [];
            const { initial_option: one, initial_options: several } = (block as never as { element: Element }).element;
            return [[block.block_id, { value: { selected_option: one, selected_options: several } }]];
          }),
        );
        const { answers } = parseSlackForm(question, values);
        for (const { key, default: defaultValue, options } of question.fields) {
          if (!options || defaultValue === undefined) continue;
          const distinctValues = (value: unknown) => [...new Set([value].flat())].sort();
          expect(distinctValues(answers[key])).toEqual(distinctValues(defaultValue));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("the closed Slack message is within Slack's limits", () => {
    const outcomes = fc.record({
      status: fc.constantFrom('answered' as const, 'declined' as const, 'timed_out' as const, 'cancelled' as const),
      answer: fc.oneof(
        text(30_000),
        text(300).map((other) => ({ other })),
      ),
      comment: fc.option(text(30_000), { nil: undefined }),
      by: text(300),
    });
    fc.assert(
      fc.property(questions, outcomes, (question, { status, answer, comment, by }) => {
        const answers = Object.fromEntries(question.fields.map(({ key }) => [key, answer]));
        const outcome = { answers, comment, by, via: 'http', at: question.askedAt };
        const message = createResolvedMessage(slackNotification({ ...question, status, outcome }));
        SlackBlocksSchema.parse(message.blocks);
        expectHarmless(message.blocks);
        expect(message.blocks.some(({ type }) => type === 'actions')).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('every option of the form is parsed back to itself', () => {
    fc.assert(
      fc.property(questions, (question) => {
        const view = createAnswerForm(question, ORIGIN, 'https://parley.example.com/conversations/c-1');
        for (const field of question.fields) {
          const block = view.blocks.find((one) => one.block_id === `field_${field.key}`);
          const { options = [] } = (block as { element: { options?: { value: string }[] } }).element;
          for (const selected_option of options) {
            const input = { selected_option, selected_options: [selected_option] };
            const { answers } = parseSlackForm(question, { [`field_${field.key}`]: { value: input } });
            const checked = validateAnswer({ ...question, fields: [field] }, { answer: answers[field.key] });
            const isArray = field.schema?.type === 'array';
            if (!isArray) expect(checked.ok).toBe(true);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('and for any arguments of a tool', () => {
    fc.assert(
      fc.property(fc.dictionary(text(50), fc.oneof(text(9_000), fc.integer())), (args) => {
        const question = slackConfirmation(args, 'a<b>&c');
        const message = createQuestionMessage(slackNotification(question), []);
        SlackBlocksSchema.parse(message.blocks);
        expectHarmless(message.blocks);
        SlackModalSchema.parse(createAnswerForm(question, ORIGIN, 'https://parley.example.com/conversations/c-1'));
      }),
      { numRuns: 150 },
    );
  });
});
