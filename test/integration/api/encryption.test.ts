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

type Listed<T> = { items: T[]; unreadable?: number };

const log = collectLog();
const CAN = ['conversations:write', 'conversations:read', 'questions:answer'] as const;
const script: Parameters<typeof startParley>[0] = {
  script: (request) =>
    lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
  env: { PARLEY_ENCRYPTION_KEYS: ENCRYPTION_KEY_1 },
};

async function until<T>(look: () => Promise<T>, isWanted: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (isWanted(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('with encryption', () => {
  let p: TestParley;
  beforeAll(async () => {
    installTestRuntime(log.log);
    p = await startParley({ ownWorker: true, ...script, worker: false });
    await p.startWorker();
  });
  afterAll(() => p.stop());

  const parked = async () => {
    const id = await p.start();
    await p.question(id);
    return id;
  };

  it('lets somebody answer by hand, in clear', async () => {
    const id = await parked();
    const inClear = createTemporalClient({ ...p.config.temporal, encryption: undefined });
    await inClear.workflow.getHandle(id).signal(answerQuestionSignal, { answers: { q1: 'A' } });
    await inClear.connection.close();
    expect((await p.until(id, 'completed')).result).toBe('done');
  });

  it('shows no question where one is settled, though Temporal cannot tell that the memo has none', async () => {
    const id = await parked();
    expect((await p.answer(id, { answer: 'A' })).status).toBe(200);
    await p.until(id, 'completed');
    const seen = await p.client.workflow.getHandle(id).describe();
    expect(seen.memo).toHaveProperty('question', undefined);
    expect(toExecution(id, seen).memo.question).toBeNull();
  });

  it.each([
    ['another key', ENCRYPTION_KEY_2, 503, /"k1", which is not here/],
    ['no key at all', undefined, 503, /"k1", which is not here/],
    ['another key of that name', WRONG_ENCRYPTION_KEY_1, 503, /"k1" that is here is not the one/],
    ['the next key before it', `${ENCRYPTION_KEY_2} ${ENCRYPTION_KEY_1}`, 200, undefined],
  ])('reads a conversation with %s as it should: %#', async (_which, keys, status, detail) => {
    const id = await parked();
    const own = collectLog();
    const api = await startApiWithKeys(p, keys, undefined, own.log);
    const read = await api.call('GET', `/v1/conversations/${id}`);
    expect(read.status).toBe(status);
    const list = `agent=${p.agent}`;
    const listed = (await api.call<Listed<Conversation>>('GET', `/v1/conversations?${list}`)).body;
    const inbox = (await api.call<Listed<Question>>('GET', `/v1/questions?${list}`)).body;
    if (detail) {
      expect(read.body).toMatchObject({
        code: 'encryption_key_missing',
        detail: expect.stringMatching(detail),
      });
      expect(read.headers.get('retry-after')).toBe('2');
      expect(listed).toEqual({ items: [], nextCursor: null, unreadable: expect.any(Number) });
      expect(inbox).toEqual({ items: [], nextCursor: null, unreadable: expect.any(Number) });
      const live = await watchInboxEvents(api.url);
      const snapshot = await live.until((event) => event.event === 'snapshot');
      expect(snapshot.data).toMatchObject({ unreadable: expect.any(Number) });
      live.leave();
      const err = expect.stringMatching(/cannot be read here: the key is missing/);
      // What others ask in the namespace may be left, which is an exit code of its own.
      for (const words of [['inbox', '--list'], ['inbox'], ['list']])
        expect((await runPiped(words, { PARLEY_URL: api.url })).err).toEqual(err);
      const told = await runPiped(['list', '--agent', p.agent, '--json'], { PARLEY_URL: api.url });
      expect([told.err, JSON.parse(told.out)]).toEqual([
        err,
        { items: [], isMore: false, unreadable: expect.any(Number) },
      ]);
    } else {
      expect(listed.items.map((one) => one.id)).toContain(id);
      expect(inbox.items.map((one) => one.conversationId)).toContain(id);
      expect([listed.unreadable, inbox.unreadable]).toEqual([undefined, undefined]);
    }
    await api.stop();
    const missing = own.lines().flatMap((line) => line.encryptionKey ?? []);
    expect(missing).toEqual(detail ? ['k1'] : []);
    expect((await p.answer(id, { answer: 'A' })).status).toBe(200);
  });

  it('changes keys under a parked conversation, and goes on once a key that was taken away is back', async () => {
    const id = await parked();
    await p.stopWorker();
    const without = await startWorkerWithKeys(p, ENCRYPTION_KEY_2);
    const answered = await p.answer(id, { answer: 'A' });
    expect(answered.status).toBe(202);
    const said = await log.until((line) => line.encryptionKey === 'k1');
    expect(said.msg).toMatch(/"k1", which is not here.*PARLEY_ENCRYPTION_KEYS; nothing is lost/);
    const attempts = async () => {
      const { events = [] } = await p.client.workflow.getHandle(id).fetchHistory();
      return events?.filter((event) => event.workflowTaskFailedEventAttributes).length ?? 0;
    };
    await until(attempts, (failed) => failed > 0);
    await without.stop();

    const both = await startWorkerWithKeys(p, `${ENCRYPTION_KEY_2} ${ENCRYPTION_KEY_1}`);
    const api = await startApiWithKeys(p, `${ENCRYPTION_KEY_2} ${ENCRYPTION_KEY_1}`);
    const get = async () => (await api.call<Conversation>('GET', `/v1/conversations/${id}`)).body;
    const done = await until(get, ({ status }) => status === 'completed');
    expect(done.result).toBe('done');
    const keys = log.lines().filter((line) => line.encryptionKey);
    expect(keys).toHaveLength(1);

    // What k2 wrote needs k2.
    const early = await p.call('GET', `/v1/conversations/${id}`);
    expect(early.body).toMatchObject({
      code: 'encryption_key_missing',
      detail: expect.stringMatching(/"k2"/),
    });
    await Promise.all([api.stop(), both.stop()]);
    await p.startWorker();
  });
});

describe('a workflow of somebody else', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ ownWorker: true, worker: false });
  });
  afterAll(() => p.stop());

  it.each([
    ['no memo', undefined],
    ['a memo of another kind', { conversation: 'x', question: 7 }],
    ['a memo that looks like ours', { conversation: { id: 'other' }, start: {} }],
  ])('with %s is not there, and costs nobody a list', async (_what, memo) => {
    const workflowId = `foreign-${randomBytes(6).toString('hex')}`;
    const typedSearchAttributes = [
      { key: defineSearchAttributeKey('ParleyAgent', 'KEYWORD'), value: p.agent },
      { key: defineSearchAttributeKey('ParleyStatus', 'KEYWORD'), value: 'waiting_for_input' },
    ];
    const options = { workflowId, taskQueue: 'nobody', memo, typedSearchAttributes };
    const handle = await p.client.workflow.start('conversation', options);
    const count = () => p.client.workflow.count(`WorkflowId = '${workflowId}'`);
    await until(count, (seen) => seen.count > 0);
    expect((await p.call('GET', `/v1/conversations/${workflowId}`)).status).toBe(404);
    for (const list of ['conversations', 'questions']) {
      const { status, body } = await p.call('GET', `/v1/${list}?agent=${p.agent}`);
      expect([status, body]).toEqual([200, { items: [], nextCursor: null }]);
    }
    await handle.terminate();
  });
});

describe('names in the index', () => {
  let p: TestParley;
  beforeAll(async () => {
    const keys = { admin: ['admin' as const], maria: [...CAN], jo: [...CAN], eve: [...CAN] };
    p = await startParley({ ownWorker: true, ...script, keys });
  });
  afterAll(() => p.stop());

  const audience = async (id: string) => {
    const { typedSearchAttributes } = await p.client.workflow.getHandle(id).describe();
    return typedSearchAttributes.getAll().find(({ key }) => key.name === 'ParleyAudience')?.value as string[];
  };
  const listedFor = async (call: CallApi) => {
    const { body } = await call<Listed<Conversation>>('GET', `/v1/conversations?agent=${p.agent}&limit=100`);
    return body.items.map(({ id }) => id);
  };
  const startAs = async (call: CallApi, more: object = {}) => {
    const { body, status } = await call<Conversation>('POST', '/v1/conversations', {
      message: 'Hi',
      agent: p.agent,
      ...more,
    });
    expect(status).toBe(201);
    await p.until(body.id, 'waiting_for_input');
    return body.id;
  };
  const seen = (call: CallApi, id: string) =>
    until(
      () => listedFor(call),
      (ids) => ids.includes(id),
    );

  it('are hidden, and each still finds what is theirs', async () => {
    const id = await startAs(p.as('maria'), { assignees: ['jo', 'somebody "else"'] });
    const names = await audience(id);
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^[\w-]{16}$/);
    await seen(p.as('maria'), id);
    await seen(p.as('jo'), id);
    await seen(p.as('admin'), id);
    expect(await listedFor(p.as('eve'))).not.toContain(id);
    expect((await p.as('eve')('GET', `/v1/conversations/${id}`)).status).toBe(404);
  });

  it('stay as they are for everybody', async () => {
    const id = await startAs(p.as('maria'), { visibleTo: ['*'] });
    expect(await audience(id)).toContain('*');
    await seen(p.as('eve'), id);
  });

  it('are found from before there was encryption, too', async () => {
    const before = await startApiWithKeys(p, undefined, 'maria');
    const id = await startAs(before.call);
    expect(await audience(id)).toEqual(['maria']);
    await before.stop();
    await seen(p.as('maria'), id);
    expect(await listedFor(p.as('eve'))).not.toContain(id);
  });

  it('tell who may know that a conversation is there which nobody can read', async () => {
    const id = await startAs(p.as('maria'));
    await seen(p.as('maria'), id);
    const codes = [];
    for (const name of ['maria', 'admin', 'eve']) {
      const api = await startApiWithKeys(p, ENCRYPTION_KEY_2, name);
      codes.push((await api.call<{ code: string }>('GET', `/v1/conversations/${id}`)).body.code);
      await api.stop();
    }
    expect(codes).toEqual(['encryption_key_missing', 'encryption_key_missing', 'conversation_not_found']);
  });

  it('may be as many as Temporal takes, and no more', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);
    const start = (visibleTo: string[], assignees: string[]) =>
      p.as('maria')('POST', '/v1/conversations', { message: 'Hi', agent: p.agent, visibleTo, assignees });
    expect(
      (
        await start(
          many(50),
          many(44).map((name) => `m${name}`),
        )
      ).status,
    ).toBe(201);
    const refused = await start(
      many(50),
      many(50).map((name) => `m${name}`),
    );
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringMatching(/94 names/)]);
    const long = many(50).map((name) => name.padEnd(200, 'x'));
    expect((await start(long, [])).status).toBe(201);
  });
});
