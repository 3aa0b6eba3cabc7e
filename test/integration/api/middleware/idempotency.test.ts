import type { Conversation } from '#contract/conversation';
import type { TimelineEntry } from '#contract/timeline';
import { type ApiResponse, type CallApi, startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

type Reply = ApiResponse<Record<string, unknown> & { code?: string }>;

/** A request that may be repeated: its content, another body, and how often it took effect. */
interface Scenario {
  route: (id: string) => string;
  body: object;
  otherBody: object;
  /** Statuses of the request that took effect and of the repeat. */
  statuses: [number, number];
  countEffects: (p: TestParley, id: string, reply: Reply) => Promise<number>;
}

const readEntries = async (p: TestParley, id: string): Promise<TimelineEntry[]> =>
  (await p.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${id}/timeline`)).body.items;

const countEntries = async (p: TestParley, id: string, predicate: (entry: TimelineEntry) => boolean): Promise<number> =>
  (await readEntries(p, id)).filter(predicate).length;

const SCENARIOS: Record<string, Scenario> = {
  start: {
    route: () => '/v1/conversations',
    body: { message: 'Started twice' },
    otherBody: { message: 'Something else' },
    statuses: [201, 200],
    countEffects: (p, _id, reply) =>
      countEntries(p, String(reply.body.id), (entry) => entry.kind === 'message' && entry.role === 'user'),
  },
  answer: {
    route: (id) => `/v1/conversations/${id}/questions/latest/answer`,
    body: { answer: 'A' },
    otherBody: { answer: 'B' },
    statuses: [200, 200],
    countEffects: (p, id) => countEntries(p, id, (entry) => entry.kind === 'question' && entry.settledId !== null),
  },
  decline: {
    route: (id) => `/v1/conversations/${id}/questions/latest/decline`,
    body: { reason: 'No' },
    otherBody: { reason: 'Never' },
    statuses: [200, 200],
    countEffects: (p, id) => countEntries(p, id, (entry) => entry.kind === 'question' && entry.settledId !== null),
  },
  message: {
    route: (id) => `/v1/conversations/${id}/messages`,
    body: { text: 'More' },
    otherBody: { text: 'Less' },
    statuses: [202, 202],
    countEffects: (p, id) =>
      countEntries(p, id, (entry) => entry.kind === 'message' && entry.role === 'user' && entry.text === 'More'),
  },
  cancel: {
    route: (id) => `/v1/conversations/${id}/cancel`,
    body: { reason: 'Enough' },
    otherBody: { reason: 'More than enough' },
    statuses: [202, 202],
    countEffects: (p, id) => countEntries(p, id, (entry) => entry.kind === 'status' && entry.status === 'cancelled'),
  },
};

const ROUNDS = 10;

describe('a request sent twice with one Idempotency-Key', () => {
  let p: TestParley;
  let otherApi: { call: CallApi; stop(): Promise<void> };
  /** The model replies once this resolves. */
  let modelHold: Promise<unknown> | undefined;
  beforeAll(async () => {
    p = await startParley({
      script: async (request) => {
        await modelHold;
        const turns = request.body.messages.filter(({ role }) => role === 'assistant').length;
        const isTwice = JSON.stringify(request.body.messages[0]).includes('Twice');
        if (turns === 1 && isTwice) return replyWithQuestion('And now?', 'A', 'B');
        if (lastToolResults(request).length > 0) return replyWithText('done');
        return replyWithQuestion({
          question: 'Which?',
          options: [{ label: 'A' }, { label: 'B' }],
          allowOther: false,
        });
      },
    });
    otherApi = await p.startAnotherApi();
  });
  afterAll(async () => {
    await otherApi.stop();
    await p.stop();
  });

  const startParkedConversation = async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    return id;
  };

  const waitUntilAsked = async (id: string, question: string) => {
    for (;;) {
      const open = await p.waitForQuestion(id);
      if (open.id === question) return open;
    }
  };

  const send = (call: CallApi, scenario: Scenario, id: string, key: string, body: object): Promise<Reply> => {
    const requestBody = scenario === SCENARIOS.start ? { agent: p.agent, ...body } : body;
    return call('POST', scenario.route(id), requestBody, { 'idempotency-key': key });
  };

  it.each(Object.entries(SCENARIOS))(
    `has one effect and the same reply, at the same moment and through two APIs: %s, ${ROUNDS} times`,
    async (name, scenario) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = name === 'start' ? '' : await startParkedConversation();
        const key = `${name}-${round}`;
        const replies = await Promise.all([
          send(p.call, scenario, id, key, scenario.body),
          send(otherApi.call, scenario, id, key, scenario.body),
        ]);
        expect(replies.map(({ status }) => status).sort()).toEqual([...scenario.statuses].sort());
        expect(stableFields(replies[0])).toEqual(stableFields(replies[1]));
        expect(await scenario.countEffects(p, id, replies[0])).toBe(1);
      }
    },
  );

  it.each(Object.entries(SCENARIOS))(
    'returns the current state, later and through the other API: %s',
    async (name, scenario) => {
      const id = name === 'start' ? '' : await startParkedConversation();
      const first = await send(p.call, scenario, id, `later-${name}`, scenario.body);
      // The reply may have been lost; the effect remains.
      const again = await send(otherApi.call, scenario, id, `later-${name}`, scenario.body);
      expect([first.status, again.status]).toEqual(scenario.statuses);
      expect(stableFields(again)).toEqual(stableFields(first));
      expect(await scenario.countEffects(p, id, first)).toBe(1);
    },
  );

  it.each(Object.entries(SCENARIOS))('is rejected with another body: %s', async (name, scenario) => {
    const id = name === 'start' ? '' : await startParkedConversation();
    const first = await send(p.call, scenario, id, `other-${name}`, scenario.body);
    const second = await send(otherApi.call, scenario, id, `other-${name}`, scenario.otherBody);
    expect([second.status, second.body.code]).toEqual([409, 'idempotency_conflict']);
    expect(await scenario.countEffects(p, id, first)).toBe(1);
  });

  it.each(Object.entries(SCENARIOS))('is rejected with another body at the same moment: %s', async (name, scenario) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = name === 'start' ? '' : await startParkedConversation();
      const key = `moment-${name}-${round}`;
      const replies = await Promise.all([
        send(p.call, scenario, id, key, scenario.body),
        send(otherApi.call, scenario, id, key, scenario.otherBody),
      ]);
      const refused = replies.filter(({ status }) => status === 409);
      expect(refused.map(({ body }) => body.code)).toEqual(['idempotency_conflict']);
    }
  });

  it('is rejected with another body at the same moment during a model call: message', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const modelLatch = createLatch();
      modelHold = modelLatch.hold;
      const calls = p.model.requests.length;
      const id = await p.startConversation();
      await p.model.waitForRequest(calls);
      const scenario = SCENARIOS.message as Scenario;
      const replies = await Promise.all([
        send(p.call, scenario, id, `busy-${round}`, scenario.body),
        send(otherApi.call, scenario, id, `busy-${round}`, scenario.otherBody),
      ]);
      modelLatch.release();
      modelHold = undefined;
      expect(replies.map(({ status }) => status).sort()).toEqual([202, 409]);
    }
  });

  it('is rejected for another question, even if that was just shown', async () => {
    const id = await p.startConversation('Twice');
    const first = await p.waitForQuestion(id);
    const key = { 'idempotency-key': 'again' };
    const route = (question: string) => `/v1/conversations/${id}/questions/${question}/answer`;
    expect((await p.call('POST', route(first.id), { answer: 'A' }, key)).status).toBe(200);
    const second = await waitUntilAsked(id, 'question-2');
    const again = await p.call('POST', route(second.id), { answer: 'A' }, key);
    expect([again.status, again.body.code]).toEqual([409, 'idempotency_conflict']);
    expect((await p.waitForQuestion(id)).id).toBe('question-2');
    expect((await p.call('POST', route(second.id), { answer: 'A' })).status).toBe(200);
  });

  it.each(Object.entries(SCENARIOS))('has one effect if the first reply was lost: %s', async (name, scenario) => {
    const id = name === 'start' ? '' : await startParkedConversation();
    const key = `lost-${name}`;
    const abortController = new AbortController();
    const requestBody = scenario === SCENARIOS.start ? { agent: p.agent, ...scenario.body } : scenario.body;
    const lostRequest = fetch(`${p.url}${scenario.route(id)}`, {
      method: 'POST',
      body: JSON.stringify(requestBody),
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      signal: abortController.signal,
    });
    setImmediate(() => abortController.abort());
    await lostRequest.catch(() => undefined);
    const reply = await send(otherApi.call, scenario, id, key, scenario.body);
    expect(scenario.statuses).toContain(reply.status);
    expect(await scenario.countEffects(p, id, reply)).toBe(1);
  });
});

/** What both replies share; only the agent's progress since may differ. */
function stableFields({ body }: Reply): unknown {
  const { question, id } = body as unknown as Conversation;
  const resolvedQuestion = 'conversation' in body ? question : undefined;
  return { id, settled: resolvedQuestion };
}
