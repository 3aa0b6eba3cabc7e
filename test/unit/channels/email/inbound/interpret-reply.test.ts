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

const free = emailQuestion([emailField()]);
const several = emailQuestion([
  emailField({ options: emailOptions('Red', 'Blue', 'Yellow, pale'), multiSelect: true }),
]);
const counted = emailQuestion([emailField({ options: emailOptions('2', '1'), allowOther: false })]);
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

const value = (given: unknown, comment?: string) => ({
  kind: 'answer',
  answers: { q1: given },
  ...(comment ? { comment } : {}),
});
const unclear = expect.objectContaining({ kind: 'unclear' });

describe('what somebody wrote', () => {
  it.each<[string, Question, string, unknown]>([
    ['a label', emailColourQuestion, 'Blue', value('Blue')],
    ['a label in another case, with a full stop', emailColourQuestion, ' blue. ', value('Blue')],
    ['a label in quotes and bold', emailColourQuestion, '*"Dark  green"*', value('Dark green')],
    ['a number', emailColourQuestion, '2', value('Blue')],
    ['a number with a mark', emailColourQuestion, '#3)', value('Dark green')],
    ['a number with its label', emailColourQuestion, '2. Blue', value('Blue')],
    ['a number with another label', emailColourQuestion, '2. Red', unclear],
    ['a number that there is not', emailColourQuestion, '4', unclear],
    ['nought', emailColourQuestion, '0', unclear],
    ['a label after a greeting', emailColourQuestion, 'Hi Parley,\n\nBlue\n\nMaria', value('Blue', 'Maria')],
    ['a label and a comment', emailColourQuestion, 'Blue\n\nbut not too dark', value('Blue', 'but not too dark')],
    ['a label with a name right below', emailColourQuestion, 'Blue\nMaria', value('Blue', 'Maria')],
    ['two labels where one may be chosen', emailColourQuestion, 'Blue\nRed', unclear],
    ['a near miss', emailColourQuestion, 'Bleu', unclear],
    ['a label in a sentence', emailColourQuestion, 'I would take Blue', unclear],
    ['something else, not said to be', emailColourQuestion, 'Purple', unclear],
    [
      'something else, said to be',
      emailColourQuestion,
      'Other: purple, or violet',
      value({ other: 'purple, or violet' }),
    ],
    ['an empty other', emailColourQuestion, 'Other:', unclear],
    ['a label that is a number', counted, '2', value('2')],
    ['the number of a label that is a number', counted, '1', value('1')],
    ['several by number', several, '1, 2', value(['Red', 'Blue'])],
    ['several in lines with bullets', several, '- red\n- blue', value(['Red', 'Blue'])],
    ['a label with a comma of its own', several, 'Yellow, pale, Red', value(['Yellow, pale', 'Red'])],
    ['several and another', several, 'Red, Other: pink, and gold', value(['Red', { other: 'pink, and gold' }])],
    ['the same twice', several, 'Red, red', value(['Red'])],
    ['several with one that is none', several, 'Red, Bleu', unclear],
    ['several with a comment', several, 'Red\n\nthat will do', value(['Red'], 'that will do')],
    ['text', free, 'As blue\n\nas the sea.', value('As blue\n\nas the sea.')],
    ['nothing', free, ' \n ', unclear],
    ['too much', free, 'x'.repeat(40_000), unclear],
    ['a whole number', withSchema({ type: 'integer' }), '12', value(12)],
    ['a number with a comment', withSchema({ type: 'number' }), '-1.5\n\nor so', value(-1.5, 'or so')],
    ['a number with a comma, which could be either', withSchema({ type: 'number' }), '1,500', unclear],
    ['a number out of range', withSchema({ type: 'integer', maximum: 5 }), '6', unclear],
    ['yes', withSchema({ type: 'boolean' }), 'Yes.', value(true)],
    ['perhaps', withSchema({ type: 'boolean' }), 'perhaps', unclear],
    ['a date', withSchema({ type: 'string', format: 'date' }), '2026-12-01', value('2026-12-01')],
    ['no date', withSchema({ type: 'string', format: 'date' }), '1.12.2026', unclear],
    ['an address in brackets', withSchema({ type: 'string', format: 'email' }), '<a@b.example>', value('a@b.example')],
    ['a choice of a schema', withSchema({ type: 'string', enum: ['S', 'M'] }), 'm', value('M')],
    ['choices of a schema', withSchema({ type: 'array', items: { enum: ['S', 'M'] } }), 's; m', value(['S', 'M'])],
    ['decline', emailColourQuestion, 'decline', { kind: 'decline' }],
    [
      'decline with a reason',
      free,
      'Decline: not my house\nat all',
      { kind: 'decline', reason: 'not my house\nat all' },
    ],
    ['a sentence about declining', free, 'Declined offers are blue.', value('Declined offers are blue.')],
    [
      'an option of that name',
      emailQuestion([emailField({ options: emailOptions('Accept', 'Decline') })]),
      'decline',
      value('Decline'),
    ],
  ])('is taken for what it is: %s', (_what, asked, words, expected) => {
    expect(interpretReply(asked, words)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['Yes, proceed', value('Yes, proceed')],
    ['yes', value('Yes, proceed')],
    ['YES!', value('Yes, proceed')],
    ['no', value('No, cancel')],
    ['No, cancel\nnot today', value('No, cancel', 'not today')],
    ['Yes, proceed.', value('Yes, proceed')],
    ['no\n\nnot today', value('No, cancel', 'not today')],
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
  ])('confirms an action only in so many words: %j', (words, expected) => {
    expect(interpretReply(emailConfirmation, words)).toEqual(expected);
  });

  it.each<[string, string, unknown]>([
    ['by key', 'q1: blue\nq2: 2\nq3: no', { q1: 'Blue', q2: 2, q3: 'no' }],
    ['by number', '1. Red\n2) 3\n3: none', { q1: 'Red', q2: 3, q3: 'none' }],
    ['by name', 'Colour: 2\nCoats = 1\nNotes: see: below', { q1: 'Blue', q2: 1, q3: 'see: below' }],
  ])('answers several questions in lines, %s', (_how, words, answers) => {
    expect(interpretReply(form, words)).toEqual({ kind: 'answer', answers });
  });

  it('keeps what follows a blank line below several answers as a comment', () => {
    const words = 'Hello,\n\nq1: red\nq2: 1\nq3: nothing\n\nThanks\nMaria';
    expect(interpretReply(form, words)).toMatchObject({
      answers: { q3: 'nothing' },
      comment: 'Thanks\nMaria',
    });
  });

  it('names every fault in several answers at once', () => {
    const { problems } = interpretReply(form, 'q1: bleu\nq2: 9\nq2: 1') as { problems: string[] };
    expect(problems).toEqual([
      'q1 (Colour): “bleu” is not one of the options. Did you mean “Blue”?',
      'q2 (Coats) is answered twice.',
      'q3 (Notes) has no answer.',
    ]);
  });

  it('says what it was probably meant to be', () => {
    expect(interpretReply(emailColourQuestion, 'Drak green')).toEqual({
      kind: 'unclear',
      problems: ['“Drak green” is not one of the options. Did you mean “Dark green”?'],
    });
  });

  it.each([
    ['the reference of a mail', 'Blue\n\n[parley:abcdefgh]'],
    ['a link to answer by', `Blue\n\nAnswer:\nhttps://parley.example.com/a/${'Wy'.repeat(20)}.x`],
    ['letters that were lost', 'Blue\n\nM\ufffdnchen'],
  ])('is asked back where it has %s in it', (_what, words) => {
    expect(interpretReply(emailColourQuestion, words)).toEqual(unclear);
    expect(interpretReply(free, words)).toEqual(unclear);
    expect(interpretReply(free, `decline: ${words}`)).toEqual(unclear);
  });

  it('is never taken for an answer that the question does not allow', () => {
    const asked = fc.constantFrom(
      emailColourQuestion,
      emailConfirmation,
      free,
      several,
      counted,
      form,
      withSchema({ type: 'integer' }),
    );
    const words = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('red', 'Blue', '1', '2', ',', '\n', 'yes', 'q1:', 'q2:', 'other:', ' '))
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(asked, words, (one, text) => {
        const understood = interpretReply(one, text);
        if (understood.kind === 'answer') expect(validateAnswer(one, understood)).toMatchObject({ ok: true });
      }),
    );
  });
});
