import { randomBytes } from 'node:crypto';
import { defineSearchAttributeKey } from '@temporalio/common';
import { toExecution } from '#api/temporal/execution';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { createTemporalClient } from '#infra/temporal/client';
import { runPiped } from '#test/support/cli/run-cli';
import { collectLog } from '#test/support/collect-log';
import {
  ENCRYPTION_KEY_1,
  ENCRYPTION_KEY_2,
  startApiWithKeys,
  startWorkerWithKeys,
  WRONG_ENCRYPTION_KEY_1,
} from '#test/support/parley/encryption-variants';
import { type CallApi, startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { watchInboxEvents } from '#test/support/sse-client';
import { installTestRuntime } from '#test/support/temporal/runtime';
import { answerQuestionSignal } from '#workflows/messages';

type ListPage<T> = { items: T[]; unreadable?: number };

const log = collectLog();
const ALL_SCOPES = ['conversations:write', 'conversations:read', 'questions:answer'] as const;
const script: Parameters<typeof startParley>[0] = {
  script: (request) =>
    lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
  env: { PARLEY_ENCRYPTION_KEYS: ENCRYPTION_KEY_1 },
};

async function pollUntil<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('with encryption', () => {
  let p: TestParley;
  beforeAll(async () => {
    installTestRuntime(log.log);
    p = await startParley({ ownWorker: true, ...script, startsWorker: false });
    await p.startWorker();
  });
  afterAll(() => p.stop());

  const startParkedConversation = async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    return id;
  };

  it('an answer can be signaled by hand, in plain text', async () => {
    const id = await startParkedConversation();
    const plainClient = createTemporalClient({ ...p.config.temporal, encryption: undefined });
    await plainClient.workflow.getHandle(id).signal(answerQuestionSignal, { answers: { q1: 'A' } });
    await plainClient.connection.close();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
  });

  it('no question is shown after one is closed, though Temporal cannot remove it from the memo', async () => {
    const id = await startParkedConversation();
    expect((await p.answer(id, { answer: 'A' })).status).toBe(200);
    await p.waitForStatus(id, 'completed');
    const description = await p.client.workflow.getHandle(id).describe();
    expect(description.memo).toHaveProperty('question', undefined);
    expect(toExecution(id, description).memo.question).toBeNull();
  });

  it.each([
    ['another key', ENCRYPTION_KEY_2, 503, /"k1" is missing/],
    ['no key at all', undefined, 503, /"k1" is missing/],
    ['another key with that id', WRONG_ENCRYPTION_KEY_1, 503, /"k1": a different key was used/],
    ['the next key before it', `${ENCRYPTION_KEY_2} ${ENCRYPTION_KEY_1}`, 200, undefined],
  ])('a conversation with %s reads as expected: %#', async (_which, keys, status, detail) => {
    const id = await startParkedConversation();
    const apiLog = collectLog();
    const api = await startApiWithKeys(p, keys, undefined, apiLog.log);
    const read = await api.call('GET', `/v1/conversations/${id}`);
    expect(read.status).toBe(status);
    const list = `agent=${p.agent}`;
    const listed = (await api.call<ListPage<Conversation>>('GET', `/v1/conversations?${list}`)).body;
    const inbox = (await api.call<ListPage<Question>>('GET', `/v1/questions?${list}`)).body;
    if (detail) {
      expect(read.body).toMatchObject({
        code: 'encryption_key_missing',
        detail: expect.stringMatching(detail),
      });
      expect(read.headers.get('retry-after')).toBe('2');
      expect(listed).toEqual({ items: [], nextCursor: null, unreadable: expect.any(Number) });
      expect(inbox).toEqual({ items: [], nextCursor: null, unreadable: expect.any(Number) });
      const watcher = await watchInboxEvents(api.url);
      const snapshot = await watcher.waitForEvent((event) => event.event === 'snapshot');
      expect(snapshot.data).toMatchObject({ unreadable: expect.any(Number) });
      watcher.disconnect();
      const err = expect.stringMatching(/can't be decrypted \(key missing/);
      // Questions of other tests may be left in the namespace, which changes the exit code.
      for (const args of [['inbox', '--list'], ['inbox'], ['list']])
        expect((await runPiped(args, { PARLEY_URL: api.url })).err).toEqual(err);
      const cliResult = await runPiped(['list', '--agent', p.agent, '--json'], { PARLEY_URL: api.url });
      expect([cliResult.err, JSON.parse(cliResult.out)]).toEqual([
        err,
        { items: [], isMore: false, unreadable: expect.any(Number) },
      ]);
    } else {
      expect(listed.items.map((item) => item.id)).toContain(id);
      expect(inbox.items.map((item) => item.conversationId)).toContain(id);
      expect([listed.unreadable, inbox.unreadable]).toEqual([undefined, undefined]);
    }
    await api.stop();
    const missingKeys = apiLog.lines().flatMap((line) => line.encryptionKey ?? []);
    expect(missingKeys).toEqual(detail ? ['k1'] : []);
    expect((await p.answer(id, { answer: 'A' })).status).toBe(200);
  });

  it('keys are rotated under a parked conversation, which continues once a removed key is back', async () => {
    const id = await startParkedConversation();
    await p.stopWorker();
    const workerWithoutKey = await startWorkerWithKeys(p, ENCRYPTION_KEY_2);
    const answered = await p.answer(id, { answer: 'A' });
    expect(answered.status).toBe(202);
    const warning = await log.waitForLine((line) => line.encryptionKey === 'k1');
    expect(warning.msg).toMatch(/"k1" is missing.*PARLEY_ENCRYPTION_KEYS; nothing is lost/);
    const countFailedTasks = async () => {
      const { events = [] } = await p.client.workflow.getHandle(id).fetchHistory();
      return events?.filter((event) => event.workflowTaskFailedEventAttributes).length ?? 0;
    };
    await pollUntil(countFailedTasks, (failed) => failed > 0);
    await workerWithoutKey.stop();

    const workerWithBothKeys = await startWorkerWithKeys(p, `${ENCRYPTION_KEY_2} ${ENCRYPTION_KEY_1}`);
    const api = await startApiWithKeys(p, `${ENCRYPTION_KEY_2} ${ENCRYPTION_KEY_1}`);
    const get = async () => (await api.call<Conversation>('GET', `/v1/conversations/${id}`)).body;
    const completed = await pollUntil(get, ({ status }) => status === 'completed');
    expect(completed.result).toBe('done');
    const keys = log.lines().filter((line) => line.encryptionKey);
    expect(keys).toHaveLength(1);

    // What k2 wrote needs k2.
    const beforeKey = await p.call('GET', `/v1/conversations/${id}`);
    expect(beforeKey.body).toMatchObject({
      code: 'encryption_key_missing',
      detail: expect.stringMatching(/"k2"/),
    });
    await Promise.all([api.stop(), workerWithBothKeys.stop()]);
    await p.startWorker();
  });
});

describe("a workflow that is not Parley's", () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ ownWorker: true, startsWorker: false });
  });
  afterAll(() => p.stop());

  it.each([
    ['no memo', undefined],
    ['another kind of memo', { conversation: 'x', question: 7 }],
    ["a memo that looks like Parley's", { conversation: { id: 'other' }, start: {} }],
  ])('with %s is not found, and does not break a list', async (_what, memo) => {
    const workflowId = `foreign-${randomBytes(6).toString('hex')}`;
    const typedSearchAttributes = [
      { key: defineSearchAttributeKey('ParleyAgent', 'KEYWORD'), value: p.agent },
      { key: defineSearchAttributeKey('ParleyStatus', 'KEYWORD'), value: 'waiting_for_input' },
    ];
    const options = { workflowId, taskQueue: 'nobody', memo, typedSearchAttributes };
    const handle = await p.client.workflow.start('conversation', options);
    const count = () => p.client.workflow.count(`WorkflowId = '${workflowId}'`);
    await pollUntil(count, (seen) => seen.count > 0);
    expect((await p.call('GET', `/v1/conversations/${workflowId}`)).status).toBe(404);
    for (const list of ['conversations', 'questions']) {
      const { status, body } = await p.call('GET', `/v1/${list}?agent=${p.agent}`);
      expect([status, body]).toEqual([200, { items: [], nextCursor: null }]);
    }
    await handle.terminate();
  });
});

describe('names in search attributes', () => {
  let p: TestParley;
  beforeAll(async () => {
    const keys = { admin: ['admin' as const], maria: [...ALL_SCOPES], jo: [...ALL_SCOPES], eve: [...ALL_SCOPES] };
    p = await startParley({ ownWorker: true, ...script, keys });
  });
  afterAll(() => p.stop());

  const readAudience = async (id: string) => {
    const { typedSearchAttributes } = await p.client.workflow.getHandle(id).describe();
    return typedSearchAttributes.getAll().find(({ key }) => key.name === 'ParleyAudience')?.value as string[];
  };
  const listIdsFor = async (call: CallApi) => {
    const { body } = await call<ListPage<Conversation>>('GET', `/v1/conversations?agent=${p.agent}&limit=100`);
    return body.items.map(({ id }) => id);
  };
  const startAs = async (call: CallApi, overrides: object = {}) => {
    const { body, status } = await call<Conversation>('POST', '/v1/conversations', {
      message: 'Hi',
      agent: p.agent,
      ...overrides,
    });
    expect(status).toBe(201);
    await p.waitForStatus(body.id, 'waiting_for_input');
    return body.id;
  };
  const waitUntilListed = (call: CallApi, id: string) =>
    pollUntil(
      () => listIdsFor(call),
      (ids) => ids.includes(id),
    );

  it('are hidden, and everyone still finds their conversations', async () => {
    const id = await startAs(p.callAs('maria'), { assignees: ['jo', 'somebody "else"'] });
    const names = await readAudience(id);
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^[\w-]{16}$/);
    await waitUntilListed(p.callAs('maria'), id);
    await waitUntilListed(p.callAs('jo'), id);
    await waitUntilListed(p.callAs('admin'), id);
    expect(await listIdsFor(p.callAs('eve'))).not.toContain(id);
    expect((await p.callAs('eve')('GET', `/v1/conversations/${id}`)).status).toBe(404);
  });

  it("stay readable for everyone's conversations", async () => {
    const id = await startAs(p.callAs('maria'), { visibleTo: ['*'] });
    expect(await readAudience(id)).toContain('*');
    await waitUntilListed(p.callAs('eve'), id);
  });

  it('are found from before encryption, too', async () => {
    const unencryptedApi = await startApiWithKeys(p, undefined, 'maria');
    const id = await startAs(unencryptedApi.call);
    expect(await readAudience(id)).toEqual(['maria']);
    await unencryptedApi.stop();
    await waitUntilListed(p.callAs('maria'), id);
    expect(await listIdsFor(p.callAs('eve'))).not.toContain(id);
  });

  it('reveal to those with access that an unreadable conversation exists', async () => {
    const id = await startAs(p.callAs('maria'));
    await waitUntilListed(p.callAs('maria'), id);
    const codes = [];
    for (const name of ['maria', 'admin', 'eve']) {
      const api = await startApiWithKeys(p, ENCRYPTION_KEY_2, name);
      codes.push((await api.call<{ code: string }>('GET', `/v1/conversations/${id}`)).body.code);
      await api.stop();
    }
    expect(codes).toEqual(['encryption_key_missing', 'encryption_key_missing', 'conversation_not_found']);
  });

  it('may be as many as Temporal allows, and no more', async () => {
    const buildNames = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
    const start = (visibleTo: string[], assignees: string[]) =>
      p.callAs('maria')('POST', '/v1/conversations', { message: 'Hi', agent: p.agent, visibleTo, assignees });
    expect(
      (
        await start(
          buildNames(50),
          buildNames(44).map((name) => `m${name}`),
        )
      ).status,
    ).toBe(201);
    const refused = await start(
      buildNames(50),
      buildNames(50).map((name) => `m${name}`),
    );
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringMatching(/94 names/)]);
    const longNames = buildNames(50).map((name) => name.padEnd(200, 'x'));
    expect((await start(longNames, [])).status).toBe(201);
  });
});
