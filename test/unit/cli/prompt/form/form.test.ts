import { listEnteredValues, withAnswerIssues } from '#cli/prompt/form/form-state';
import { toPasteKeyPress } from '#cli/tty/keyboard';
import {
  buildOptions,
  pressKeys,
  questionFixture,
  renderPressedForm,
  splitCharacters,
} from '#test/support/cli/question-fixtures';

const answer = (answers: object, more = {}) => ({ kind: 'answer', answers, ...more });

describe('a single choice', () => {
  const regions = buildOptions('eu-west-1', 'eu-north-1', 'us-east-1', 'São Paulo', 'jakarta');
  const question = questionFixture([{ header: 'Region', options: regions }]);
  const openChoice = questionFixture([{ options: regions, allowOther: true }]);

  it.each([
    [['return'], 'eu-west-1'],
    [['down', 'return'], 'eu-north-1'],
    [['j', 'j', 'k', 'return'], 'eu-north-1'],
    [['up', 'return'], 'jakarta'],
    [['end', 'home', 'return'], 'eu-west-1'],
    [['pagedown', 'return'], 'jakarta'],
    [['end', 'pageup', 'return'], 'eu-west-1'],
    [['3', 'return'], 'us-east-1'],
    [['9', 'return'], 'eu-west-1'],
    [[...splitCharacters('us'), 'return'], 'us-east-1'],
    [[...splitCharacters('sao'), 'return'], 'São Paulo'],
    [[...splitCharacters('e'), 'return'], 'eu-west-1'],
    [['end', ...splitCharacters('a'), 'return'], 'us-east-1'],
    [[...splitCharacters('/jak'), 'return'], 'jakarta'],
    [[...splitCharacters('e-1'), 'backspace', 'backspace', 'down', 'return'], 'eu-north-1'],
    [[...splitCharacters('us'), 'escape', 'return'], 'us-east-1'],
    [[...splitCharacters('x'), 'backspace', 'j', 'return'], 'eu-north-1'],
    [[toPasteKeyPress('north\n'), 'return'], 'eu-north-1'],
  ])('is made by %j: %s', (keys, label) => {
    expect(pressKeys(question, ...keys).reply).toEqual(answer({ q1: label }));
  });

  it('is not sent by a number alone', () => {
    expect(pressKeys(question, '3').reply).toBeUndefined();
    expect(renderPressedForm(pressKeys(question, '3'))).toContain('❯ 3. us-east-1');
  });

  it('shows its filter, and says if nothing matches', () => {
    expect(renderPressedForm(pressKeys(question, ...splitCharacters('us')))).toMatch(/Filter: us▏\n❯ us-east-1\n/);
    const nothing = pressKeys(question, ...splitCharacters('zz'));
    expect(renderPressedForm(nothing)).toContain('No matches.');
    expect(pressKeys(question, ...splitCharacters('zz'), 'return').reply).toBeUndefined();
  });

  it('offers the filter text as a custom answer', () => {
    const unmatched = pressKeys(openChoice, ...splitCharacters('mars'));
    expect(renderPressedForm(unmatched)).toMatch(/No matches\.\n❯ Other: mars\n/);
    expect(renderPressedForm(pressKeys(openChoice, ...splitCharacters('mars'), 'return'))).toContain('Other: mars[ ]');
    const sent = pressKeys(openChoice, ...splitCharacters('mars'), 'return', 's', 'return');
    expect(sent.reply).toEqual(answer({ q1: { other: 'marss' } }));
  });

  it('accepts a custom answer, and requires its text', () => {
    const open = pressKeys(openChoice, 'end', 'return');
    expect(renderPressedForm(open)).toContain('❯ 6. Other: [ ]');
    expect(renderPressedForm(pressKeys(openChoice, 'end', 'return', 'return'))).toContain('✗ Describe “Other”.');
    expect(renderPressedForm(pressKeys(openChoice, 'end', 'return', 'm', 'escape'))).toContain('❯ 6. Other…');
    const result = pressKeys(openChoice, 'end', 'return', 'm', 'escape', 'return', '?', 'return');
    expect(result.reply).toEqual(answer({ q1: { other: 'm?' } }));
  });

  it('starts at the default, and marks it', () => {
    const preset = questionFixture([{ options: regions, default: 'us-east-1' }]);
    expect(renderPressedForm(pressKeys(preset))).toContain('❯ 3. us-east-1 (default)');
    expect(pressKeys(preset, 'return').reply).toEqual(answer({ q1: 'us-east-1' }));
  });

  it('can be left empty if it is optional', () => {
    const free = questionFixture([{ options: regions, required: false }]);
    expect(renderPressedForm(pressKeys(free, 'end'))).toContain('❯ 6. Leave empty');
    expect(pressKeys(free, 'end', 'return').reply).toEqual(answer({}));
  });

  it('sends a label unchanged, however it is displayed', () => {
    const unsafe = questionFixture([{ options: buildOptions('a\u202eb', 'c') }]);
    expect(renderPressedForm(pressKeys(unsafe))).toContain('a�b');
    expect(pressKeys(unsafe, 'return').reply).toEqual(answer({ q1: 'a\u202eb' }));
  });

  it('shows all descriptions if there is room, else only the current one', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      label: `l${index}`,
      description: `about ${index}.`,
    }));
    const described = questionFixture([{ options: many }]);
    expect(renderPressedForm(pressKeys(described), 80, 50)).toContain('about 11.');
    const lowScreen = renderPressedForm(pressKeys(described, 'down'), 80, 16);
    expect(lowScreen).toContain('about 1.');
    expect(lowScreen).not.toContain('about 2.');
    expect(lowScreen).toMatch(/↓ \d+ more/);
  });
});

describe('a multiple choice', () => {
  const field = { options: buildOptions('a1', 'b2', 'c3'), multiSelect: true };
  const question = questionFixture([field]);

  it.each([
    [
      [' ', 'down', ' ', 'return'],
      ['a1', 'b2'],
    ],
    [['tab', 'return'], ['a1']],
    [[' ', ' ', 'down', ' ', 'return'], ['b2']],
    [
      ['C-a', 'return'],
      ['a1', 'b2', 'c3'],
    ],
    [
      ['end', ' ', 'home', ' ', 'return'],
      ['a1', 'c3'],
    ],
    [
      [...splitCharacters('c'), ' ', 'escape', 'home', ' ', 'return'],
      ['a1', 'c3'],
    ],
    [[...splitCharacters('c'), 'tab', 'return'], ['c3']],
  ])('is made by %j: %j', (keys, labels) => {
    expect(pressKeys(question, ...keys).reply).toEqual(answer({ q1: labels }));
  });

  it('requires at least one, and shows how many', () => {
    expect(renderPressedForm(pressKeys(question, 'C-a', 'C-a', 'return'))).toContain('✗ Choose at least one.');
    const limited = questionFixture([
      { schema: { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2, maxItems: 2 } },
    ]);
    expect(renderPressedForm(pressKeys(limited, ' '))).toContain('1 selected. Choose exactly 2.');
    expect(renderPressedForm(pressKeys(limited, 'C-a', 'return'))).toContain('✗ Choose at most 2.');
    expect(pressKeys(limited, ' ', 'down', ' ', 'return').reply).toEqual(answer({ q1: ['a', 'b'] }));
  });

  it('accepts a custom answer, too', () => {
    const openChoice = questionFixture([{ ...field, allowOther: true }]);
    const keys = [' ', 'end', ' ', ...splitCharacters('d 4'), 'return'];
    expect(renderPressedForm(pressKeys(openChoice, ...keys))).toContain('❯ [x] 4. Other: d 4');
    expect(pressKeys(openChoice, ...keys, 'return').reply).toEqual(answer({ q1: ['a1', { other: 'd 4' }] }));
    expect(pressKeys(openChoice, ...keys, ' ', 'home', 'return').reply).toEqual(answer({ q1: ['a1'] }));
  });
});

describe('a yes or no', () => {
  const question = questionFixture([{ schema: { type: 'boolean' } }]);

  it.each([
    [['return'], true],
    [['right', 'return'], false],
    [['n', 'return'], false],
    [['n', 'y', 'return'], true],
    [['down', 'left', 'return'], true],
  ])('is given by %j: %j', (keys, value) => {
    expect(pressKeys(question, ...keys).reply).toEqual(answer({ q1: value }));
  });

  it('starts at the default', () => {
    const preset = questionFixture([{ schema: { type: 'boolean' }, default: false }]);
    expect(renderPressedForm(pressKeys(preset))).toContain('❯ No (default)');
  });

  const confirms = { tool: 'delete_all', arguments: { force: true }, digest: '' };
  const field = { header: 'Confirm', options: buildOptions('Yes, proceed', 'No, cancel') };

  it('approves an action only by a deliberate key', () => {
    const destructive = questionFixture([field], { confirms });
    expect(pressKeys(destructive, 'return').reply).toEqual(answer({ q1: 'No, cancel' }));
    expect(pressKeys(destructive, 'y').reply).toBeUndefined();
    expect(renderPressedForm(pressKeys(destructive, 'y'))).toContain('❯ Yes, proceed\n  No, cancel');
    expect(pressKeys(destructive, 'y', 'return').reply).toEqual(answer({ q1: 'Yes, proceed' }));
    expect(pressKeys(destructive, toPasteKeyPress('y\n')).reply).toBeUndefined();
    expect(renderPressedForm(pressKeys(destructive, toPasteKeyPress('y\n')))).toContain('❯ No, cancel');
  });

  it('starts at "no" for an action, whatever the default', () => {
    const destructive = questionFixture([{ ...field, default: 'Yes, proceed' }], { confirms });
    expect(pressKeys(destructive, 'return').reply).toEqual(answer({ q1: 'No, cancel' }));
  });
});

describe('a text field', () => {
  it.each([
    [{ schema: { type: 'integer', minimum: 1, maximum: 10 } }, '7', 7],
    [{ schema: { type: 'number' } }, ' 2.5 ', 2.5],
    [{ schema: { type: 'string', format: 'email' } }, 'ada@example.org', 'ada@example.org'],
    [{ schema: { type: 'string', format: 'date' } }, '2026-11-16', '2026-11-16'],
    [{ schema: { type: 'string', format: 'uri' } }, 'https://example.org/?j=1', 'https://example.org/?j=1'],
    [{ schema: { type: 'string', maxLength: 10 } }, '日本 ', '日本'],
    [{}, 'Yes? j/k 1', 'Yes? j/k 1'],
  ] as const)('with %j parses %j as %j', (field, text, value) => {
    expect(pressKeys(questionFixture([field]), ...splitCharacters(text), 'return').reply).toEqual(
      answer({ q1: value }),
    );
  });

  it.each([
    [{ type: 'integer', minimum: 1, maximum: 10 }, '11', 'Must be a whole number from 1 to 10.'],
    [{ type: 'integer' }, 'x', 'Enter a number, such as 12.5.'],
    [{ type: 'string', format: 'email' }, 'ada', 'Must be an email address such as ada@example.org.'],
    [{ type: 'string', format: 'date' }, '2026-02-30', 'Must be a date such as 2026-11-16.'],
    [{ type: 'string', format: 'uri' }, 'example', 'Must be a web address such as https://example.org/page.'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'A1', 'Must match the pattern ^[a-z]+$.'],
    [{ type: 'string', format: 'date-time' }, '5', 'Enter a date and time, such as 2026-11-16 09:30.'],
    [{ type: 'string', format: 'date-time' }, '2026-02-30 10:00', 'Enter a date and time'],
  ] as const)('with %j rejects %j, at first without an error: %s', (schema, text, error) => {
    const typing = pressKeys(questionFixture([{ schema }]), ...splitCharacters(text));
    if (!('format' in schema && schema.format === 'date-time')) expect(renderPressedForm(typing)).toContain(error);
    expect(renderPressedForm(typing)).not.toContain('✗');
    const entered = pressKeys(questionFixture([{ schema }]), ...splitCharacters(text), 'return');
    expect([entered.reply, renderPressedForm(entered)]).toEqual([undefined, expect.stringContaining(`✗ ${error}`)]);
    expect(
      renderPressedForm(pressKeys(questionFixture([{ schema }]), ...splitCharacters(text), 'return', 'backspace')),
    ).not.toContain('✗');
  });

  it('says what is required before anything is typed', () => {
    const form = pressKeys(questionFixture([{ schema: { type: 'integer', minimum: 1, maximum: 10 } }]));
    expect(renderPressedForm(form)).toContain('A whole number from 1 to 10.');
    expect(renderPressedForm(pressKeys(questionFixture([{}]), 'return'))).toContain('✗ Enter an answer.');
  });

  it('takes a time in the local time zone, and names the zone', () => {
    const question = questionFixture([
      { schema: { type: 'string', format: 'date-time' }, default: '2026-11-16T08:30:00Z' },
    ]);
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(renderPressedForm(pressKeys(question))).toContain(`in your time zone (${zone})`);
    expect(pressKeys(question, 'return').reply).toEqual(answer({ q1: '2026-11-16T08:30:00Z' }));
    const localTime = pressKeys(question, 'C-u', ...splitCharacters('2026-11-16 9:30'), 'return');
    const local = new Date(2026, 10, 16, 9, 30).toISOString().replace('.000Z', 'Z');
    expect(localTime.reply).toEqual(answer({ q1: local }));
    const zoned = pressKeys(question, 'C-u', ...splitCharacters('2026-11-16T09:30:00+02:00'), 'return');
    expect(zoned.reply).toEqual(answer({ q1: '2026-11-16T07:30:00Z' }));
  });

  it('takes several lines of free text, and one line elsewhere', () => {
    const free = questionFixture([{}]);
    const lines = pressKeys(free, 'a', 'M-return', 'b', 'enter', toPasteKeyPress('c\nd'), 'return');
    expect(lines.reply).toEqual(answer({ q1: 'a\nb\nc\nd' }));
    const line = questionFixture([{ schema: { type: 'string', maxLength: 20 } }]);
    expect(pressKeys(line, toPasteKeyPress('c\nd\n'), 'return').reply).toEqual(answer({ q1: 'c d' }));
  });

  it('can be left empty if it is optional', () => {
    const free = questionFixture([{ required: false }]);
    expect(renderPressedForm(pressKeys(free))).toContain('Optional.');
    expect(pressKeys(free, 'return').reply).toEqual(answer({}));
  });
});

describe('several fields', () => {
  const question = questionFixture([
    { header: 'Database', options: buildOptions('SQLite', 'PostgreSQL') },
    { header: 'Count', schema: { type: 'integer' } },
    { header: 'Name', schema: { type: 'string', maxLength: 20 } },
  ]);
  const all = ['2', 'return', '3', 'return', 'x', 'return'];

  it('are steps, with a review at the end', () => {
    expect(renderPressedForm(pressKeys(question))).toContain('▸ Database · Count · Name · Review');
    expect(renderPressedForm(pressKeys(question, 'return'))).toContain('Database · ▸ Count · Name · Review');
    const review = pressKeys(question, ...all);
    expect(review.reply).toBeUndefined();
    expect(renderPressedForm(review)).toMatch(
      /Database {2}PostgreSQL\n {2}Count {5}3\n {2}Name {6}x\n {2}Comment {3}none\n❯ Send/,
    );
    expect(pressKeys(question, ...all, 'return').reply).toEqual(answer({ q1: 'PostgreSQL', q2: 3, q3: 'x' }));
  });

  it('can be revisited, keeping what was entered', () => {
    const back = pressKeys(question, '2', 'return', '3', 'S-tab');
    expect(renderPressedForm(back)).toContain('❯ 2. PostgreSQL');
    expect(renderPressedForm(pressKeys(question, '2', 'return', '3', 'S-tab', 'return'))).toContain('❯ 3[ ]');
    expect(renderPressedForm(pressKeys(question, 'left'))).toContain('▸ Database');
  });

  it('can be changed from the review, and return to it', () => {
    const changed = pressKeys(question, ...all, 'home', 'down', 'return', 'backspace', '4', 'return');
    expect(renderPressedForm(changed)).toMatch(/Count {5}4[\s\S]*❯ Send/);
    expect(pressKeys(question, ...all, '1', 'return', 'k', 'return', 'return').reply).toEqual(
      answer({ q1: 'SQLite', q2: 3, q3: 'x' }),
    );
    expect(renderPressedForm(pressKeys(question, ...all, 'S-tab'))).toContain('▸ Name');
  });

  it('take a comment on the review', () => {
    const sent = pressKeys(question, ...all, 'up', 'return', ...splitCharacters('hi'), 'return', 'end', 'return');
    expect(sent.reply).toEqual(answer({ q1: 'PostgreSQL', q2: 3, q3: 'x' }, { comment: 'hi' }));
  });

  it("show the server's errors where they were entered, and keep the rest", () => {
    const { form } = pressKeys(question, ...all, 'return');
    const invalid = { form: withAnswerIssues(form, [{ path: 'answers.q2', message: 'must be odd' }]) };
    expect(renderPressedForm(invalid)).toContain('✗ Must be odd.');
    expect(renderPressedForm(invalid)).toContain('❯ 3[ ]');
    const general = { form: withAnswerIssues(form, [{ path: 'comment', message: 'is too long' }]) };
    expect(renderPressedForm(general)).toContain('✗ Is too long.');
  });
});

describe('every form', () => {
  const question = questionFixture([{ options: buildOptions('A', 'B') }]);

  it('takes a comment, which is kept when it closes', () => {
    const result = pressKeys(question, 'C-t', ...splitCharacters('why? '), 'M-return', 'b', 'return');
    expect(renderPressedForm(result)).toContain('Comment: why? b');
    expect(pressKeys(question, 'C-t', 'x', 'escape', 'return').reply).toEqual(answer({ q1: 'A' }, { comment: 'x' }));
  });

  it('can be skipped, with or without a reason, and not by Esc', () => {
    expect(pressKeys(question, 'C-x', 'return').reply).toEqual({ kind: 'decline' });
    expect(pressKeys(question, 'C-x', ...splitCharacters('No idea '), 'return').reply).toEqual({
      kind: 'decline',
      reason: 'No idea',
    });
    expect(renderPressedForm(pressKeys(question, 'C-x', 'escape'))).toContain('❯ 1. A');
  });

  it('is left for later by Esc, and left by Ctrl-C', () => {
    expect(pressKeys(question, 'escape').reply).toEqual({ kind: 'later' });
    expect(pressKeys(question, 'C-x', 'C-c').reply).toEqual({ kind: 'quit' });
  });

  it('shows all keys, and returns', () => {
    expect(renderPressedForm(pressKeys(question, '?'))).toContain('Ctrl-X   Skip');
    expect(renderPressedForm(pressKeys(question, 'f1', 'x'))).toContain('❯ 1. A');
    expect(renderPressedForm(pressKeys(questionFixture([{}]), '?'))).toContain('❯ ?[ ]');
  });

  it('shortens the line of keys to the most important', () => {
    const help = (width: number) => renderPressedForm(pressKeys(question), width).split('\n').at(-1);
    expect(help(100)).toBe('↑↓ move · type to filter · Enter send · Ctrl-T comment · Ctrl-X skip · Esc later · ? keys');
    expect(help(40)).toBe('Enter send · Esc later · ? keys');
    expect(help(20)).toBe('Enter send');
  });

  it('shows the deadline, and what happens then', () => {
    const due = questionFixture([{}], { expiresAt: '2026-11-16T09:40:00Z', onTimeout: 'default' });
    expect(renderPressedForm(pressKeys(due))).toMatch(/Due in 40 min\. After that, the agent uses the default\./);
  });

  it('hides the keys while they do nothing, and ignores keys while it sends', () => {
    const { form } = pressKeys(question);
    expect(renderPressedForm({ form: { ...form, isReady: false } })).not.toContain('Enter');
    const sending = { form: { ...form, isSending: true } };
    expect(renderPressedForm(sending)).toContain('Sending…');
  });

  it('distinguishes what was entered from defaults', () => {
    const preset = questionFixture([{ options: buildOptions('A', 'B'), default: 'B' }, { header: 'Name' }]);
    expect(listEnteredValues(pressKeys(preset).form)).toEqual([]);
    expect(listEnteredValues(pressKeys(preset, 'k', 'return', 'x', 'C-t', 'y').form)).toEqual([
      'Database: A',
      'Name: x',
      'Comment: y',
    ]);
  });
});
