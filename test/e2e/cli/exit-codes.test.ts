import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { CLI_MAIN_FILE, runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithError, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

let stage: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await startParley({
    keys: { maria: ['conversations:write', 'conversations:read'], boss: ['admin'] },
    script: (request) => {
      if (JSON.stringify(request.body.messages[0]).includes('Break')) return replyWithError(400);
      return lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B');
    },
  });
  env = { PARLEY_URL: stage.url, PARLEY_API_KEY: stage.key('maria') };
});
afterAll(() => stage.stop());

async function parked(): Promise<string> {
  const id = await stage.start();
  await stage.question(id);
  return id;
}

/** What it says goes to stderr, on one line, and nothing else anywhere. */
async function refused(words: string[], given = env): Promise<number> {
  const { code, out, err } = await runPiped(words, given);
  expect([out, err]).toEqual(['', expect.stringMatching(/^parley: [^\n]+\n$/)]);
  return code;
}

describe('the end of a command tells a script', () => {
  it('0: it is done', async () => {
    const id = await parked();
    expect(
      (await runPiped(['answer', id, '--field', 'q1=A'], { ...env, PARLEY_API_KEY: stage.key('boss') })).code,
    ).toBe(0);
    await stage.until(id, 'completed');
    expect((await runPiped(['watch', id], env)).code).toBe(0);
  });

  it('1: it failed, or nothing answers', async () => {
    const id = await stage.start('Break');
    await stage.until(id, 'failed');
    expect((await runPiped(['watch', id], env)).code).toBe(1);
    expect(await refused(['list'], { PARLEY_URL: 'http://127.0.0.1:9' })).toBe(1);
  });

  it('1: whatever answers, it is not Parley', async () => {
    expect(await refused(['list'], { ...env, PARLEY_URL: `${stage.url}/elsewhere` })).toBe(1);
  });

  it('1: what was asked for cannot be written', async () => {
    // Not waited for in one go: the API is in this very process.
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [CLI_MAIN_FILE, 'list', '--json'], {
      stdio: ['ignore', full, 'pipe'],
      env: { PATH: process.env.PATH, ...env },
    });
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    const [status] = await once(child, 'close');
    closeSync(full);
    expect([status, said]).toEqual([1, expect.stringMatching(/^parley: [^\n]+ENOSPC[^\n]+\n$/)]);
  });

  it('2: wrong use, as JSON for whoever asked for it', async () => {
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
  ])('2: %j is wrong use', async (words) => expect(await refused(words)).toBe(2));

  it('3: it waits for an answer', async () => {
    expect((await runPiped(['watch', await parked(), '--no-input'], env)).code).toBe(3);
  });

  it.each([
    [['show', 'no-such-thing']],
    [['watch', 'no-such-thing']],
    [['say', 'no-such-thing', 'Hello']],
    [['answer', 'no-such-thing', '--field', 'q1=A']],
    [['decline', 'no-such-thing']],
    [['cancel', 'no-such-thing']],
    [['export', 'no-such-thing']],
    [['open', 'no-such-thing']],
    [['agents', 'no-such-thing']],
    [['start', 'no-such-thing', 'Hello']],
  ])('4: %j is not found', async (words) => expect(await refused(words)).toBe(4));

  it('5: a key that cannot even be sent', async () => {
    expect(await refused(['list'], { ...env, PARLEY_API_KEY: 'parley_schlüssel' })).toBe(5);
  });

  it('5: it is refused', async () => {
    expect(await refused(['list'], { PARLEY_URL: stage.url })).toBe(5);
    expect(await refused(['list'], { ...env, PARLEY_API_KEY: 'parley_wrong' })).toBe(5);
    const id = await parked();
    expect(await refused(['decline', id])).toBe(5);
    expect(await refused(['answer', id, '--field', 'q1=C'], { ...env, PARLEY_API_KEY: stage.key('boss') })).toBe(5);
  });
});
