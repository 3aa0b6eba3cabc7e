import fc from 'fast-check';
import { interpretReply } from '#channels/email/inbound/interpret-reply';
import type { Question } from '#contract/question';
import { validateAnswer } from '#core/questions/validate-answer';
import {
  emailColourQuestion,
  emailConfirmation,
  emailField,
  emailOptions,
  emailQuestion,
} from '#test/support/email/email-samples';

const freeText = emailQuestion([emailField()]);
const multiSelect = emailQuestion([
  emailField({ options: emailOptions('Red', 'Blue', 'Yellow, pale'), multiSelect: true }),
]);
const numericLabels = emailQuestion([emailField({ options: emailOptions('2', '1'), allowOther: false })]);
const withSchema = (schema: Question['fields'][number]['schema']) =>
  emailQuestion([emailField({ schema, allowOther: false })]);
const form = emailQuestion([
  emailField({ options: emailOptions('Red', 'Blue') }),
  emailField({
    key: 'q2',
    header: 'Coats',
    question: 'How many coats?',
    schema: { type: 'integer', maximum: 3 },
  }),
  emailField({ key: 'q3', header: 'Notes', question: 'Anything else?' }),
]);

const answerOf = (value: unknown, comment?: string) => ({
  kind: 'answer',
  answers: { q1: value },
  ...(comment ? { comment } : {}),
});
const unclear = expect.objectContaining({ kind: 'unclear' });

describe('a reply', () => {
  it.each<[string, Question, string, unknown]>([
    ['a label', emailColourQuestion, 'Blue', answerOf('Blue')],
    ['a label in another case, with a full stop', emailColourQuestion, ' blue. ', answerOf('Blue')],
    ['a label in quotes and bold', emailColourQuestion, '*"Dark  green"*', answerOf('Dark green')],
    ['a number', emailColourQuestion, '2', answerOf('Blue')],
    ['a number with a mark', emailColourQuestion, '#3)', answerOf('Dark green')],
    ['a number with its label', emailColourQuestion, '2. Blue', answerOf('Blue')],
    ['a number with another label', emailColourQuestion, '2. Red', unclear],
    ['an unknown number', emailColourQuestion, '4', unclear],
    ['nought', emailColourQuestion, '0', unclear],
    ['a label after a greeting', emailColourQuestion, 'Hi Parley,\n\nBlue\n\nMaria', answerOf('Blue', 'Maria')],
    ['a label and a comment', emailColourQuestion, 'Blue\n\nbut not too dark', answerOf('Blue', 'but not too dark')],
    ['a label with a name on the next line', emailColourQuestion, 'Blue\nMaria', answerOf('Blue', 'Maria')],
    ['two labels for a single choice', emailColourQuestion, 'Blue\nRed', unclear],
    ['a near miss', emailColourQuestion, 'Bleu', unclear],
    ['a label in a sentence', emailColourQuestion, 'I would take Blue', unclear],
    ['a custom answer that is not marked', emailColourQuestion, 'Purple', unclear],
    [
      'a custom answer that is marked',
      emailColourQuestion,
      'Other: purple, or violet',
      answerOf({ other: 'purple, or violet' }),
    ],
    ['an empty other', emailColourQuestion, 'Other:', unclear],
    ['a label that is a number', numericLabels, '2', answerOf('2')],
    ['the number of a label that is a number', numericLabels, '1', answerOf('1')],
    ['several by number', multiSelect, '1, 2', answerOf(['Red', 'Blue'])],
    ['several in lines with bullets', multiSelect, '- red\n- blue', answerOf(['Red', 'Blue'])],
    ['a label that contains a comma', multiSelect, 'Yellow, pale, Red', answerOf(['Yellow, pale', 'Red'])],
    [
      'several and a custom answer',
      multiSelect,
      'Red, Other: pink, and gold',
      answerOf(['Red', { other: 'pink, and gold' }]),
    ],
    ['the same twice', multiSelect, 'Red, red', answerOf(['Red'])],
    ['several with an unknown one', multiSelect, 'Red, Bleu', unclear],
    ['several with a comment', multiSelect, 'Red\n\nthat will do', answerOf(['Red'], 'that will do')],
    ['text', freeText, 'As blue\n\nas the sea.', answerOf('As blue\n\nas the sea.')],
    ['nothing', freeText, ' \n ', unclear],
    ['more than the limit', freeText, 'x'.repeat(40_000), unclear],
    ['a whole number', withSchema({ type: 'integer' }), '12', answerOf(12)],
    ['a number with a comment', withSchema({ type: 'number' }), '-1.5\n\nor so', answerOf(-1.5, 'or so')],
    ['a number with an ambiguous comma', withSchema({ type: 'number' }), '1,500', unclear],
    ['a number out of range', withSchema({ type: 'integer', maximum: 5 }), '6', unclear],
    ['yes', withSchema({ type: 'boolean' }), 'Yes.', answerOf(true)],
    ['perhaps', withSchema({ type: 'boolean' }), 'perhaps', unclear],
    ['a date', withSchema({ type: 'string', format: 'date' }), '2026-12-01', answerOf('2026-12-01')],
    ['an invalid date', withSchema({ type: 'string', format: 'date' }), '1.12.2026', unclear],
    [
      'an address in brackets',
      withSchema({ type: 'string', format: 'email' }),
      '<a@b.example>',
      answerOf('a@b.example'),
    ],
    ['a choice of a schema', withSchema({ type: 'string', enum: ['S', 'M'] }), 'm', answerOf('M')],
    ['choices of a schema', withSchema({ type: 'array', items: { enum: ['S', 'M'] } }), 's; m', answerOf(['S', 'M'])],
    ['decline', emailColourQuestion, 'decline', { kind: 'decline' }],
    ['skip', emailColourQuestion, 'Skip.', { kind: 'decline' }],
    ['skip with a reason', freeText, 'skip: not my house', { kind: 'decline', reason: 'not my house' }],
    ['a sentence about skipping', freeText, 'Skip the second coat.', answerOf('Skip the second coat.')],
    [
      'decline with a reason',
      freeText,
      'Decline: not my house\nat all',
      { kind: 'decline', reason: 'not my house\nat all' },
    ],
    ['a sentence about declining', freeText, 'Declined offers are blue.', answerOf('Declined offers are blue.')],
    [
      'an option of that name',
      emailQuestion([emailField({ options: emailOptions('Accept', 'Decline') })]),
      'decline',
      answerOf('Decline'),
    ],
  ])('is interpreted correctly: %s', (_what, question, text, expected) => {
    expect(interpretReply(question, text)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['Yes, proceed', answerOf('Yes, proceed')],
    ['yes', answerOf('Yes, proceed')],
    ['YES!', answerOf('Yes, proceed')],
    ['no', answerOf('No, cancel')],
    ['No, cancel\nnot today', answerOf('No, cancel', 'not today')],
    ['Yes, proceed.', answerOf('Yes, proceed')],
    ['no\n\nnot today', answerOf('No, cancel', 'not today')],
    ['yes\n\nthank you', unclear],
    ['Yes,\n\nbut do not run it before Monday', unclear],
    ['Yes...\n\nhm, wait', unclear],
    ['Yes...', unclear],
    ['“Yes”', unclear],
    ['Yes, proceed\n\nNo, cancel', unclear],
    ['yes\nbut only half of it', unclear],
    ['yes please', unclear],
    ['yes, but not now', unclear],
    ['Hi,\n\nyes', unclear],
    ['1', unclear],
    ['ok', unclear],
    ['sure, go ahead', unclear],
    ['decline: ask Jonas', { kind: 'decline', reason: 'ask Jonas' }],
  ])('approves an action only in exact words: %j', (text, expected) => {
    expect(interpretReply(emailConfirmation, text)).toEqual(expected);
  });

  it('cannot answer several questions, but skip them', () => {
    expect(interpretReply(form, 'q1: blue\nq2: 2\nq3: no')).toMatchObject({
      kind: 'unclear',
      problem: expect.stringContaining('several fields'),
    });
    expect(interpretReply(form, 'skip: not mine')).toEqual({ kind: 'decline', reason: 'not mine' });
  });

  it('gets a suggestion of what was probably meant', () => {
    expect(interpretReply(emailColourQuestion, 'Drak green')).toEqual({
      kind: 'unclear',
      problem: '“Drak green” is not one of the options. Did you mean “Dark green”?',
    });
  });

  it.each([
    ['the reference of an email', 'Blue\n\n[parley:abcdefgh]'],
    ['an answer link', `Blue\n\nAnswer:\nhttps://parley.example.com/a/${'Wy'.repeat(20)}.x`],
    ['characters that were lost', 'Blue\n\nM\ufffdnchen'],
  ])('gets a request to reply again if it contains %s', (_what, text) => {
    expect(interpretReply(emailColourQuestion, text)).toEqual(unclear);
    expect(interpretReply(freeText, text)).toEqual(unclear);
    expect(interpretReply(freeText, `decline: ${text}`)).toEqual(unclear);
  });

  it('is never interpreted as an answer that the question does not allow', () => {
    const questions = fc.constantFrom(
      emailColourQuestion,
      emailConfirmation,
      freeText,
      multiSelect,
      numericLabels,
      form,
      withSchema({ type: 'integer' }),
    );
    const texts = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('red', 'Blue', '1', '2', ',', '\n', 'yes', 'q1:', 'q2:', 'other:', ' '))
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(questions, texts, (question, text) => {
        const interpreted = interpretReply(question, text);
        if (interpreted.kind === 'answer') expect(validateAnswer(question, interpreted)).toMatchObject({ ok: true });
      }),
    );
  });
});
