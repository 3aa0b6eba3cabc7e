import type { Conversation } from '#contract/conversation';
import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { readFirstMessage } from '#test/support/web/web-fixture';

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley({
    script: (request) => {
      const message = readFirstMessage(request);
      return message === 'Ask me'
        ? replyWithQuestion('Which colour?', 'Red', 'Blue')
        : replyWithText(`You said: ${message}`);
    },
  });
  env = { PARLEY_URL: parley.url };
});
afterAll(() => parley.stop());

describe('parley start', () => {
  it('uses the assistant if no agent is named', async () => {
    const { code, out } = await runPiped(['start', 'Good day to you', '--json'], env);
    expect([code, JSON.parse(out)]).toMatchObject([0, { agent: 'assistant', result: 'You said: Good day to you' }]);
  });

  it('treats an agent’s name alone as a missing message', async () => {
    const { code, out, err } = await runPiped(['start', 'assistant'], env);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('assistant is an agent. Add a message');
    expect((await runPiped(['start', 'hello', '--json'], env)).code).toBe(0);
  });

  it('reads the message from a pipe', async () => {
    const { code, out } = await runPiped(['start', parley.agent, '-'], env, 'From a pipe');
    expect([code, out]).toEqual([0, 'You said: From a pipe\n']);
  });

  it('exits with 3 if a question comes after the end of stdin', async () => {
    const { code, out, err } = await runPiped(['start', parley.agent, '-'], env, 'Ask me');
    expect([code, out]).toEqual([3, expect.stringContaining('Which colour?')]);
    expect(out).toContain('Still open.');
    expect(err).not.toContain('parley:');
  });

  it('prints only the id with --detach, or the conversation with --json', async () => {
    const { code, out, err } = await runPiped(['start', parley.agent, 'Go', '--detach'], env);
    expect([code, err]).toEqual([0, '']);
    expect((await parley.waitForStatus(out.trim(), 'completed')).result).toBe('You said: Go');
    const json = await runPiped(['start', parley.agent, 'Go', '--detach', '--json', '--id', `${parley.agent}-1`], env);
    expect(JSON.parse(json.out)).toMatchObject({ id: `${parley.agent}-1`, agent: parley.agent });
  });

  it('passes on access, question and metadata options', async () => {
    const args = [
      '--metadata',
      '{"ticket":7}',
      '--timeout',
      '4h',
      '--on-timeout',
      'fail',
      '--assign',
      'sam',
      '--assign',
      'kim',
      '--visible-to',
      '*',
      '--notify',
      'log',
    ];
    const { out, code } = await runPiped(['start', parley.agent, 'Go', '--json', ...args], env);
    expect([code, (JSON.parse(out) as Conversation).metadata]).toEqual([0, { ticket: 7 }]);
  });

  it.each([
    [[], 2, 'Missing message. Example: parley start "Plan our team offsite"'],
    [[''], 2, 'The message is empty'],
    [
      ['assistant', 'plan', 'our', 'offsite'],
      2,
      'Put the message in quotes: parley start assistant "plan our offsite"',
    ],
    [['Plan our', 'offsite'], 2, 'Put the whole message in quotes: parley start "Plan our offsite"'],
    [['Go', '--metadata', '[1]'], 2, '--metadata must be a JSON object'],
    [['nobody-of-that-name', 'Go'], 4, 'List agents with `parley agents`.'],
    [['Go', '--timeout', 'soon'], 5, 'timeout'],
    [['Go', '--notify', 'pigeon'], 5, 'pigeon'],
  ])('refuses %j with exit code %i', async (args, exit, message) => {
    const { code, out, err } = await runPiped(['start', ...args], env);
    expect([code, out]).toEqual([exit, '']);
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
