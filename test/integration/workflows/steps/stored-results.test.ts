import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Problem } from '#contract/problem';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { runPiped } from '#test/support/cli/run-cli';
import { type FakeS3, startFakeS3 } from '#test/support/fake-servers/s3';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';
import { defineActivityTool } from '#tools/tool';

/** A book of that many characters, always the same, with one word that occurs once. */
function book(length: number): string {
  const pages = Array.from({ length: Math.ceil(length / 20) }, (_, n) => `page ${String(n).padStart(13, '0')}. `);
  const text = pages.join('').slice(0, length);
  const at = Math.floor(length * 0.8);
  return `${text.slice(0, at)}NEEDLE${text.slice(at + 6)}`;
}

describe('a large tool result', () => {
  let s3: FakeS3;
  let p: TestParley;
  const runs: number[] = [];
  let play: (request: ModelRequest) => ScriptedReply = () => replyWithText('done');
  const fetchBook = defineActivityTool({
    name: 'fetch_book',
    description: 'Fetch a book.',
    input: z.strictObject({ length: z.int(), fail: z.boolean().optional() }),
    runOnce: true,
    async execute({ length, fail }) {
      runs.push(length);
      if (fail) throw new Error(book(length));
      return book(length);
    },
  });
  const secret = randomBytes(32).toString('base64');
  beforeAll(async () => {
    s3 = await startFakeS3();
    p = await startParley({
      tools: [...builtInTools, fetchBook],
      env: {
        ...s3.environment,
        PARLEY_STORAGE: `s3://${s3.bucket}/kept`,
        PARLEY_ENCRYPTION_KEYS: `k1:${secret}`,
      },
      script: (request) => play(request),
    });
  });
  afterAll(async () => {
    await p.stop();
    await s3.stop();
  });
  beforeEach(() => void runs.splice(0));

  const fetches = (length: number, more = {}) => replyWithToolCalls({ name: 'fetch_book', input: { length, ...more } });
  const reads = (input: object) => replyWithToolCalls({ name: 'read_result', input });
  const handleIn = (heard = '') => /"(r-[0-9a-f]{12})"/.exec(heard)?.[1] ?? '';

  /** Makes the model call these tools in order; returns the results it read. */
  async function runAndReadResults(
    ...calls: ((before: string[]) => ScriptedReply)[]
  ): Promise<{ id: string; modelTexts: string[] }> {
    const seen: string[] = [];
    play = (request) => {
      seen.push(...lastToolResults(request).map(({ text }) => text));
      return calls[seen.length]?.(seen) ?? replyWithText('done');
    };
    const id = await p.startConversation();
    await p.waitForStatus(id, 'completed');
    return { id, modelTexts: seen };
  }

  it('of 3 MB is stored, and the model pages and searches through it', async () => {
    const whole = book(3_000_000);
    const { id, modelTexts: all } = await runAndReadResults(
      () => fetches(3_000_000),
      ([kept]) => reads({ handle: handleIn(kept), find: 'needle' }),
      ([kept]) => reads({ handle: handleIn(kept), from: 2_400_000 - 10, length: 100 }),
      ([kept]) => reads({ handle: handleIn(kept), from: 2_990_000, length: 16_000 }),
      ([kept]) => reads({ handle: handleIn(kept), from: 3_000_000 }),
      () => reads({ handle: 'r-000000000000' }),
      () => reads({ handle: '../../other' }),
    );
    const [first = '', found = '', around = '', end = '', past = '', none = '', odd = ''] = all;
    expect(first.startsWith(`[Full result saved as "${handleIn(first)}": 3000000 characters. Read more`)).toBe(true);
    expect(first).toContain(whole.slice(0, 4_000));
    expect(first).toContain('… [2996000 more characters]');
    expect(first.length).toBeLessThan(4_200);
    expect(found).toMatch(/^\[Found 1 times/);
    expect(found).toContain('2400000: …');
    expect(around).toBe(
      `[Characters 2399990 to 2400090 of 3000000; 599910 more, continue with from: 2400090.]\n${whole.slice(2_399_990, 2_400_090)}`,
    );
    expect(end).toBe(`[Characters 2990000 to 3000000 of 3000000; end of result.]\n${whole.slice(2_990_000)}`);
    expect(past).toContain('the result has 3000000 characters');
    for (const missing of [none, odd]) expect(missing).toContain('No result');
    expect(runs).toEqual([3_000_000]);
    const kept = [...s3.objects].filter(([name]) => name.includes(id));
    expect(kept.map(([name]) => name)).toEqual([`kept/conversations/${id}/results/${handleIn(first)}`]);
    expect(kept[0]?.[1].toString('latin1')).not.toContain('page');
    const history = await p.client.workflow.getHandle(id).fetchHistory();
    expect(JSON.stringify(history).length).toBeLessThan(300_000);

    const route = `/v1/conversations/${id}/results/`;
    const read = await fetch(`${p.url}${route}${handleIn(first)}`);
    expect([read.status, await read.text()]).toEqual([200, whole]);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename=${id}-${handleIn(first)}.txt`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const code = async (at: string) => {
      const { status, body } = await p.call<Problem>('GET', at);
      return `${status} ${body.code} ${body.detail}`;
    };
    for (const handle of ['r-000000000000', '..%2F..%2Fother'])
      expect(await code(route + handle)).toMatch(/^404 result_not_found No result/);
    s3.deny(true);
    const denied = await code(route + handleIn(first));
    s3.deny(false);
    expect(denied).toMatch(/^503 storage_unavailable The result can't be read from storage/);
    expect(denied).not.toContain(s3.bucket);
    const shown = await runPiped(['show', id], { PARLEY_URL: p.url });
    expect(shown.out).toMatch(/→ 3,000,000 characters: page 0000/);
    expect(shown.out).toContain(`\n  Full result: ${p.url}${route}${handleIn(first)}\n`);
    expect(shown.out).not.toContain('Full result saved');

    const other = await runAndReadResults(() => reads({ handle: handleIn(first) }));
    expect(await code(`/v1/conversations/${other.id}/results/${handleIn(first)}`)).toMatch(/^404 result_not_found/);
    expect(other.modelTexts).toEqual([`No result "${handleIn(first)}" in this conversation.`]);
  });

  it('is stored above 20,000 characters, even if it reports a failure', async () => {
    const { modelTexts: seen } = await runAndReadResults(
      () => fetches(20_000),
      () => fetches(20_001, { fail: true }),
    );
    expect(seen[0]).toBe(book(20_000));
    expect(seen[1]).toMatch(/^\[Full result saved as "r-[0-9a-f]{12}": 20001 characters/);
  });

  it('is truncated if the storage fails, without running the tool again', async () => {
    s3.deny(true);
    const { modelTexts: seen } = await runAndReadResults(
      () => fetches(150_000),
      () => fetches(250_000),
    );
    s3.deny(false);
    expect(seen[0]).toBe(book(150_000));
    expect(seen[1]?.startsWith(book(250_000).slice(0, 200_000))).toBe(true);
    expect(seen[1]).toMatch(/50000 more characters\]\n\[The rest of this result is lost: it could not be saved/);
    expect(runs).toEqual([150_000, 250_000]);
  });

  it('that cannot be read is reported as such, without its location', async () => {
    const { modelTexts: seen } = await runAndReadResults(
      () => fetches(30_000),
      ([kept]) => {
        s3.deny(true);
        return reads({ handle: handleIn(kept) });
      },
    );
    s3.deny(false);
    expect(seen[1]).toMatch(/^The result cannot be read right now, but is not lost\./);
    expect(seen[1]).not.toMatch(new RegExp(`${s3.bucket}|127\\.0|PARLEY|s3:`));
  });

  it('can be read by every agent, whatever its file lists', async () => {
    const { body } = await p.call<{ tools: string[] }>('GET', `/v1/agents/${p.agent}`);
    expect(body.tools).toContain('read_result');
  });
});
