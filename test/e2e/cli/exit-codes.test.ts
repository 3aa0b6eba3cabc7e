import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { CLI_MAIN_FILE, runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithError, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley({
    keys: { maria: ['conversations:write', 'conversations:read'], boss: ['admin'] },
    script: (request) => {
      if (JSON.stringify(request.body.messages[0]).includes('Break')) return replyWithError(400);
      return lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B');
    },
  });
  env = { PARLEY_URL: parley.url, PARLEY_API_KEY: parley.apiKey('maria') };
});
afterAll(() => parley.stop());

async function startWaiting(): Promise<string> {
  const id = await parley.startConversation();
  await parley.waitForQuestion(id);
  return id;
}

/** Runs a command that must print one line to stderr, and nothing else; returns its exit code. */
async function exitCodeOf(args: string[], environment = env): Promise<number> {
  const { code, out, err } = await runPiped(args, environment);
  expect([out, err]).toEqual(['', expect.stringMatching(/^parley: [^\n]+\n$/)]);
  return code;
}

describe('the exit code', () => {
  it('is 0 if it is done', async () => {
    const id = await startWaiting();
    expect(
      (await runPiped(['answer', id, '--field', 'q1=A'], { ...env, PARLEY_API_KEY: parley.apiKey('boss') })).code,
    ).toBe(0);
    await parley.waitForStatus(id, 'completed');
    expect((await runPiped(['watch', id], env)).code).toBe(0);
  });

  it('is 1 if the conversation failed, or the server is unreachable', async () => {
    const id = await parley.startConversation('Break');
    await parley.waitForStatus(id, 'failed');
    expect((await runPiped(['watch', id], env)).code).toBe(1);
    expect(await exitCodeOf(['list'], { PARLEY_URL: 'http://127.0.0.1:9' })).toBe(1);
  });

  it('is 1 if what responds is not Parley', async () => {
    expect(await exitCodeOf(['list'], { ...env, PARLEY_URL: `${parley.url}/elsewhere` })).toBe(1);
  });

  it('is 1 if the output cannot be written', async () => {
    // Asynchronous, because the API runs in this process.
    const fullDevice = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [CLI_MAIN_FILE, 'list', '--json'], {
      stdio: ['ignore', fullDevice, 'pipe'],
      env: { PATH: process.env.PATH, ...env },
    });
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    const [status] = await once(child, 'close');
    closeSync(fullDevice);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^parley: [^\n]+ENOSPC[^\n]+\n$/)]);
  });

  it('is 2 on wrong usage, with JSON on --json', async () => {
    const { code, out, err } = await runPiped(['list', '--json', '--nonsense'], env);
    expect([code, out, JSON.parse(err)]).toEqual([2, '', { code: 'usage', message: expect.any(String) }]);
  });

  it.each([
    [['frobnicate']],
    [['list', '--nonsense']],
    [['list', '--limit', 'many']],
    [['cancel']],
    [['cancel', 'one', 'two']],
    [['answer', '-']],
    [['list', '--url', 'ftp://example.com']],
  ])('is 2 for %j', async (args) => expect(await exitCodeOf(args)).toBe(2));

  it('is 3 if an answer is needed', async () => {
    expect((await runPiped(['watch', await startWaiting(), '--no-input'], env)).code).toBe(3);
  });

  it.each([
    [['show', 'no-such-thing']],
    [['watch', 'no-such-thing']],
    [['say', 'no-such-thing', 'Hello']],
    [['answer', 'no-such-thing', '--field', 'q1=A']],
    [['decline', 'no-such-thing']],
    [['cancel', 'no-such-thing']],
    [['export', 'no-such-thing']],
    [['agents', 'no-such-thing']],
    [['start', 'no-such-thing', 'Hello']],
  ])('is 4 for %j', async (args) => expect(await exitCodeOf(args)).toBe(4));

  it('is 5 for a key that cannot be sent', async () => {
    expect(await exitCodeOf(['list'], { ...env, PARLEY_API_KEY: 'parley_schlüssel' })).toBe(5);
  });

  it('is 5 if the request is refused', async () => {
    expect(await exitCodeOf(['list'], { PARLEY_URL: parley.url })).toBe(5);
    expect(await exitCodeOf(['list'], { ...env, PARLEY_API_KEY: 'parley_wrong' })).toBe(5);
    const id = await startWaiting();
    expect(await exitCodeOf(['decline', id])).toBe(5);
    expect(await exitCodeOf(['answer', id, '--field', 'q1=C'], { ...env, PARLEY_API_KEY: parley.apiKey('boss') })).toBe(
      5,
    );
  });
});
