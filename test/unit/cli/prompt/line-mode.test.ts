import { PassThrough } from 'node:stream';
import { LinePrompter } from '#cli/prompt/line-mode';
import { lineReaderFor } from '#cli/tty/line-reader';
import { createTerminal } from '#cli/tty/terminal';
import type { Question } from '#contract/question';
import { buildOptions, questionFixture } from '#test/support/cli/question-fixtures';
import { eventually } from '#test/support/eventually';

/** Prompts with `input` on stdin; returns the reply and what was printed. */
async function answerLines(question: Question, input: string) {
  const fixture = openTerminal();
  fixture.input.end(input);
  const reply = await new LinePrompter(fixture.terminal, question, fixture.resolvedElsewhere).ask();
  return { reply, output: fixture.output() };
}

function openTerminal() {
  const input = new PassThrough();
  const stdout = new PassThrough();
  const resolvedAbort = new AbortController();
  let output = '';
  stdout.on('data', (chunk) => {
    output += chunk;
  });
  const streams = { stdin: input, stdout, stderr: stdout } as unknown as NodeJS.Process;
  const terminal = createTerminal(streams, {}, true);
  return { input, resolvedAbort, terminal, resolvedElsewhere: resolvedAbort.signal, output: () => output };
}

const answer = (answers: object) => ({ kind: 'answer', answers });
const colours = { header: 'Colour', options: buildOptions('Red', 'Green', 'Blue, dark') };
const single = questionFixture([colours]);
const multiple = questionFixture([{ ...colours, multiSelect: true, allowOther: true }]);

describe('a question on a pipe', () => {
  it('is printed with numbered options', async () => {
    const described = questionFixture([
      {
        ...colours,
        options: [{ label: 'Red', description: 'Warm.' }, { label: 'Green' }],
        allowOther: true,
        default: 'Red',
      },
    ]);
    const { output } = await answerLines(described, '1\n');
    expect(output).toContain('assistant asks');
    expect(output).toContain('  1. Red\n     Warm.\n  2. Green\n  3. Other…\nDefault: Red.\n');
    expect(output).toContain(
      'Enter a number from 1 to 2 or a label, or other: and your own answer (or /decline, /later, /help).',
    );
    expect(output).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it.each([
    [single, '2\n', { q1: 'Green' }],
    [single, 'green\r\n', { q1: 'Green' }],
    [single, 'blue, dark\n', { q1: 'Blue, dark' }],
    [multiple, '1, 3\n', { q1: ['Red', 'Blue, dark'] }],
    [multiple, 'blue, dark\n', { q1: ['Blue, dark'] }],
    [multiple, 'red,2,red\n', { q1: ['Red', 'Green'] }],
    [multiple, '1, other: a, b\n', { q1: ['Red', { other: 'a, b' }] }],
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
    expect((await answerLines(question, input)).reply).toEqual(answer(answers));
  });

  it.each([
    [single, '4\n1\n', '"4" is not an option. Enter a number from 1 to 3 or a label.'],
    [single, '\n1\n', 'Choose one.'],
    [multiple, 'other\n1\n', 'Enter other: and your own answer.'],
    [multiple, '1, x\n1\n', '"x" is not an option.'],
    [questionFixture([{ schema: { type: 'boolean' } }]), '\nmaybe\ny\n', 'Enter yes or no.\nEnter yes or no.'],
    [questionFixture([{ schema: { type: 'integer', maximum: 5 } }]), '6\n5\n', 'Must be a whole number of at most 5.'],
    [single, '?\n1\n', '/decline [reason]: skip the question.'],
    [single, '/help\n1\n', '/later: leave it open.'],
  ])('reports an invalid line, and asks again: %#', async (question, input, text) => {
    const { reply, output } = await answerLines(question, input);
    expect([reply.kind, output]).toEqual(['answer', expect.stringContaining(text)]);
  });

  it('takes an approval by its exact words only, and never by an empty line', async () => {
    const confirms = { tool: 'x', arguments: {}, digest: '' };
    const destructive = questionFixture([{ options: buildOptions('Yes, proceed', 'No, cancel') }], { confirms });
    const { reply, output } = await answerLines(destructive, '\nyes\n');
    expect([reply, output]).toEqual([answer({ q1: 'Yes, proceed' }), expect.stringContaining('Enter yes or no.')]);
  });

  it.each([
    ['/decline\n', { kind: 'decline' }],
    ['/Decline too early\n', { kind: 'decline', reason: 'too early' }],
    ['/later\n', { kind: 'later' }],
    ['', { kind: 'later' }],
  ])('is skipped or left: %j', async (input, reply) => {
    expect((await answerLines(single, input)).reply).toEqual(reply);
  });

  it('asks field by field, and repeats the answers on one line', async () => {
    const several = questionFixture([colours, { header: 'Count', schema: { type: 'integer' } }]);
    const { reply, output } = await answerLines(several, '1\n3\n');
    expect(reply).toEqual(answer({ q1: 'Red', q2: 3 }));
    expect(output).toContain('Your answers: Colour Red · Count 3');
  });

  it('asks again only for what the server rejected', async () => {
    const { input, terminal, resolvedElsewhere, output } = openTerminal();
    const prompter = new LinePrompter(terminal, questionFixture([colours, { header: 'Name' }]), resolvedElsewhere);
    input.write('1\nx\n');
    await prompter.ask();
    prompter.showIssues([{ path: 'answers.q2', message: 'is taken' }]);
    input.write('y\n');
    expect(await prompter.ask()).toEqual(answer({ q1: 'Red', q2: 'y' }));
    expect(output()).toContain('Name: Is taken.');
  });

  it('sends the same again on an empty line, if it could not be sent', async () => {
    const { input, terminal, resolvedElsewhere, output } = openTerminal();
    const prompter = new LinePrompter(terminal, single, resolvedElsewhere);
    input.write('2\n\n');
    const first = await prompter.ask();
    prompter.showError('Away.');
    expect(await prompter.ask()).toEqual(first);
    prompter.showError('Away.');
    input.end('2\n/later\n');
    expect(await prompter.ask()).toEqual({ kind: 'later' });
    expect(output()).toContain('An empty line sends your answer again');
  });

  it('reads no more than it needs: the next question has the next line', async () => {
    const { input, terminal, resolvedElsewhere } = openTerminal();
    input.write('1\n2\n');
    expect(await new LinePrompter(terminal, single, resolvedElsewhere).ask()).toEqual(answer({ q1: 'Red' }));
    expect(await new LinePrompter(terminal, single, resolvedElsewhere).ask()).toEqual(answer({ q1: 'Green' }));
    const third = new LinePrompter(terminal, single, resolvedElsewhere).ask();
    input.write('blue,');
    input.write(' dark\n');
    expect(await third).toEqual(answer({ q1: 'Blue, dark' }));
  });

  it('closes if it is answered elsewhere, and leaves the line for what comes next', async () => {
    const { input, terminal, resolvedElsewhere, resolvedAbort } = openTerminal();
    const resolved = questionFixture([colours], { status: 'answered' });
    const reply = new LinePrompter(terminal, single, resolvedElsewhere).ask();
    resolvedAbort.abort(resolved);
    expect(await reply).toEqual({ kind: 'resolvedElsewhere', question: resolved });
    input.write('kept\n');
    expect(await lineReaderFor(terminal.input).nextLine()).toBe('kept');
  });

  it('knows whether the next input may have been meant for it', async () => {
    const several = questionFixture([colours, { header: 'Name' }]);
    const withdrawAfter = async (text: string) => {
      const { input, terminal, resolvedElsewhere, resolvedAbort, output } = openTerminal();
      const prompter = new LinePrompter(terminal, several, resolvedElsewhere);
      const reply = prompter.ask();
      input.write(text);
      await eventually(async () => expect(output()).toContain(text === '1\n' ? 'Name' : 'Colour'));
      resolvedAbort.abort(several);
      await reply;
      return prompter.withdraw();
    };
    expect(await withdrawAfter('')).toBe(false);
    expect(await withdrawAfter('1\n')).toBe(true);
    expect(await withdrawAfter('Gre')).toBe(true);
  });

  it('cannot know that if it closed before it was shown', async () => {
    const { input, terminal, resolvedElsewhere, resolvedAbort } = openTerminal();
    input.write('1\n2\n');
    resolvedAbort.abort(single);
    const prompter = new LinePrompter(terminal, single, resolvedElsewhere);
    expect([(await prompter.ask()).kind, prompter.withdraw()]).toEqual(['resolvedElsewhere', true]);
  });

  it('discards input typed ahead at a terminal without a screen', async () => {
    const { input, terminal, resolvedElsewhere } = openTerminal();
    Object.assign(input, { isTTY: true });
    input.write('1\n2\n');
    const prompter = new LinePrompter(terminal, single, resolvedElsewhere);
    await prompter.ask();
    expect(prompter.withdraw()).toBe(false);
    input.write('3\n');
    expect(await lineReaderFor(terminal.input).nextLine()).toBe('3');
  });
});
