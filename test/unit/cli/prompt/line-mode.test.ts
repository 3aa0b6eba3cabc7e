import { PassThrough } from 'node:stream';
import { createLinePrompter } from '#cli/prompt/line-mode';
import { lineReaderFor } from '#cli/tty/line-reader';
import { createTerminal } from '#cli/tty/terminal';
import type { Question } from '#contract/question';
import { buildOptions, questionFixture } from '#test/support/cli/question-fixtures';
import { eventually } from '#test/support/eventually';

/** Asks with these lines to read; what was replied and what was said. */
async function asked(question: Question, input: string) {
  const stage = opened();
  stage.input.end(input);
  const reply = await createLinePrompter(stage.terminal, question, stage.putting).ask();
  return { reply, said: stage.said() };
}

function opened() {
  const input = new PassThrough();
  const output = new PassThrough();
  const gone = new AbortController();
  let said = '';
  output.on('data', (chunk) => {
    said += chunk;
  });
  const streams = { stdin: input, stdout: output, stderr: output } as unknown as NodeJS.Process;
  const terminal = createTerminal(streams, {}, true);
  return { input, gone, terminal, putting: gone.signal, said: () => said };
}

const answer = (answers: object) => ({ kind: 'answer', answers });
const colours = { header: 'Colour', options: buildOptions('Red', 'Green', 'Blue, dark') };
const one = questionFixture([colours]);
const many = questionFixture([{ ...colours, multiSelect: true, allowOther: true }]);

describe('a question on a pipe', () => {
  it('is printed with numbered options', async () => {
    const told = questionFixture([
      {
        ...colours,
        options: [{ label: 'Red', description: 'Warm.' }, { label: 'Green' }],
        allowOther: true,
        default: 'Red',
      },
    ]);
    const { said } = await asked(told, '1\n');
    expect(said).toContain('assistant asks');
    expect(said).toContain('  1. Red\n     Warm.\n  2. Green\n  3. Other…\nDefault: Red.\n');
    expect(said).toContain(
      'Write a number from 1 to 2 or a label, or other: and then what it is. (Or /decline, /later, /help.)',
    );
    expect(said).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it.each([
    [one, '2\n', { q1: 'Green' }],
    [one, 'green\r\n', { q1: 'Green' }],
    [one, 'blue, dark\n', { q1: 'Blue, dark' }],
    [many, '1, 3\n', { q1: ['Red', 'Blue, dark'] }],
    [many, 'blue, dark\n', { q1: ['Blue, dark'] }],
    [many, 'red,2,red\n', { q1: ['Red', 'Green'] }],
    [many, '1, other: a, b\n', { q1: ['Red', { other: 'a, b' }] }],
    [questionFixture([{ ...colours, allowOther: true }]), 'other: mine\n', { q1: { other: 'mine' } }],
    [questionFixture([{ ...colours, default: 'Green' }]), '\n', { q1: 'Green' }],
    [questionFixture([{ ...colours, required: false }]), '\n', {}],
    [questionFixture([{ schema: { type: 'boolean' } }]), 'y\n', { q1: true }],
    [questionFixture([{ schema: { type: 'boolean' } }]), 'NO\n', { q1: false }],
    [questionFixture([{ schema: { type: 'boolean' }, default: false }]), '\n', { q1: false }],
    [questionFixture([{ schema: { type: 'integer' } }]), ' 7 \n', { q1: 7 }],
    [questionFixture([{}]), 'no end of line', { q1: 'no end of line' }],
    [questionFixture([{ options: buildOptions('Accept', 'Decline') }]), 'Decline\n', { q1: 'Decline' }],
    [questionFixture([{ options: buildOptions('Now', 'Later') }]), 'later\n', { q1: 'Later' }],
    [questionFixture([{ options: buildOptions('/later', '?') }]), '/later\n', { q1: '/later' }],
    [questionFixture([{ options: buildOptions('/later', '?') }]), '?\n', { q1: '?' }],
    [questionFixture([{}]), 'Decline the offer politely, please\n', { q1: 'Decline the offer politely, please' }],
    [questionFixture([{}]), '/usr/bin\n', { q1: '/usr/bin' }],
    [questionFixture([{}]), '/later today\n', { q1: '/later today' }],
  ])('is answered by a line: %#', async (question, input, answers) => {
    expect((await asked(question, input)).reply).toEqual(answer(answers));
  });

  it.each([
    [one, '4\n1\n', '"4" is none of them. Write a number from 1 to 3 or a label.'],
    [one, '\n1\n', 'Choose one.'],
    [many, 'other\n1\n', 'Write other: and then what it is.'],
    [many, '1, x\n1\n', '"x" is none of them.'],
    [questionFixture([{ schema: { type: 'boolean' } }]), '\nmaybe\ny\n', 'Choose yes or no.\nWrite yes or no.'],
    [questionFixture([{ schema: { type: 'integer', maximum: 5 } }]), '6\n5\n', 'Must be a whole number of at most 5.'],
    [one, '?\n1\n', '/decline, or /decline and why: you will not answer it.'],
    [one, '/help\n1\n', '/later: it waits on.'],
  ])('says what does not fit, and asks again: %#', async (question, input, words) => {
    const { reply, said } = await asked(question, input);
    expect([reply.kind, said]).toEqual(['answer', expect.stringContaining(words)]);
  });

  it('takes a confirmation by its words only, and never by an empty line', async () => {
    const confirms = { tool: 'x', arguments: {}, digest: '' };
    const grave = questionFixture([{ options: buildOptions('Yes, proceed', 'No, cancel') }], { confirms });
    const { reply, said } = await asked(grave, '\nyes\n');
    expect([reply, said]).toEqual([answer({ q1: 'Yes, proceed' }), expect.stringContaining('Choose yes or no.')]);
  });

  it.each([
    ['/decline\n', { kind: 'decline' }],
    ['/Decline too early\n', { kind: 'decline', reason: 'too early' }],
    ['/later\n', { kind: 'later' }],
    ['', { kind: 'later' }],
  ])('is declined or left: %j', async (input, reply) => {
    expect((await asked(one, input)).reply).toEqual(reply);
  });

  it('asks field by field, and says it all in a line', async () => {
    const several = questionFixture([colours, { header: 'Count', schema: { type: 'integer' } }]);
    const { reply, said } = await asked(several, '1\n3\n');
    expect(reply).toEqual(answer({ q1: 'Red', q2: 3 }));
    expect(said).toContain('That is all: Colour Red · Count 3');
  });

  it('asks again only for what the server did not take', async () => {
    const { input, terminal, putting, said } = opened();
    const asker = createLinePrompter(terminal, questionFixture([colours, { header: 'Name' }]), putting);
    input.write('1\nx\n');
    await asker.ask();
    asker.tellFaults([{ path: 'answers.q2', message: 'is taken' }]);
    input.write('y\n');
    expect(await asker.ask()).toEqual(answer({ q1: 'Red', q2: 'y' }));
    expect(said()).toContain('Name: Is taken.');
  });

  it('sends the same again on an empty line, when it could not be sent', async () => {
    const { input, terminal, putting, said } = opened();
    const asker = createLinePrompter(terminal, one, putting);
    input.write('2\n\n');
    const first = await asker.ask();
    asker.tellTrouble('Away.');
    expect(await asker.ask()).toEqual(first);
    asker.tellTrouble('Away.');
    input.end('2\n/later\n');
    expect(await asker.ask()).toEqual({ kind: 'later' });
    expect(said()).toContain('An empty line sends the same again.');
  });

  it('reads no more than it needs: the next question has the next line', async () => {
    const { input, terminal, putting } = opened();
    input.write('1\n2\n');
    expect(await createLinePrompter(terminal, one, putting).ask()).toEqual(answer({ q1: 'Red' }));
    expect(await createLinePrompter(terminal, one, putting).ask()).toEqual(answer({ q1: 'Green' }));
    const third = createLinePrompter(terminal, one, putting).ask();
    input.write('blue,');
    input.write(' dark\n');
    expect(await third).toEqual(answer({ q1: 'Blue, dark' }));
  });

  it('gives way, and leaves the line for what comes next', async () => {
    const { input, terminal, putting, gone } = opened();
    const settled = questionFixture([colours], { status: 'answered' });
    const reply = createLinePrompter(terminal, one, putting).ask();
    gone.abort(settled);
    expect(await reply).toEqual({ kind: 'gone', question: settled });
    input.write('kept\n');
    expect(await lineReaderFor(terminal.input).next()).toBe('kept');
  });

  it('can tell whether what is written next may have been meant for it', async () => {
    const several = questionFixture([colours, { header: 'Name' }]);
    const withdrawn = async (written: string) => {
      const { input, terminal, putting, gone, said } = opened();
      const asker = createLinePrompter(terminal, several, putting);
      const reply = asker.ask();
      input.write(written);
      await eventually(async () => expect(said()).toContain(written === '1\n' ? 'Name' : 'Colour'));
      gone.abort(several);
      await reply;
      return asker.withdraw();
    };
    expect(await withdrawn('')).toBe(false);
    expect(await withdrawn('1\n')).toBe(true);
    expect(await withdrawn('Gre')).toBe(true);
  });

  it('cannot tell what is written next where it was gone before anybody looked', async () => {
    const { input, terminal, putting, gone } = opened();
    input.write('1\n2\n');
    gone.abort(one);
    const asker = createLinePrompter(terminal, one, putting);
    expect([(await asker.ask()).kind, asker.withdraw()]).toEqual(['gone', true]);
  });

  it('forgets what was written ahead at a terminal without a screen', async () => {
    const { input, terminal, putting } = opened();
    Object.assign(input, { isTTY: true });
    input.write('1\n2\n');
    const asker = createLinePrompter(terminal, one, putting);
    await asker.ask();
    expect(asker.withdraw()).toBe(false);
    input.write('3\n');
    expect(await lineReaderFor(terminal.input).next()).toBe('3');
  });
});
