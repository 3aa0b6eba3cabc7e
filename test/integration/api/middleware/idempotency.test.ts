import type { Conversation } from '#contract/conversation';
import type { TimelineEntry } from '#contract/timeline';
import { type ApiResponse, type CallApi, startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

type Told = ApiResponse<Record<string, unknown> & { code?: string }>;

/** Everything that may be sent again: what is sent, what counts as another body, and how often it took effect. */
interface Scene {
  route: (id: string) => string;
  body: object;
  other: object;
  /** Statuses of the one that did it and of the one that came after. */
  statuses: [number, number];
  effects: (p: TestParley, id: string, told: Told) => Promise<number>;
}

const entriesOf = async (p: TestParley, id: string): Promise<TimelineEntry[]> =>
  (await p.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${id}/timeline`)).body.items;

const count = async (p: TestParley, id: string, wanted: (entry: TimelineEntry) => boolean): Promise<number> =>
  (await entriesOf(p, id)).filter(wanted).length;

const SCENES: Record<string, Scene> = {
  start: {
    route: () => '/v1/conversations',
    body: { message: 'Started twice' },
    other: { message: 'Something else' },
    statuses: [201, 200],
    effects: (p, _id, told) =>
      count(p, String(told.body.id), (entry) => entry.kind === 'message' && entry.role === 'user'),
  },
  answer: {
    route: (id) => `/v1/conversations/${id}/questions/latest/answer`,
    body: { answer: 'A' },
    other: { answer: 'B' },
    statuses: [200, 200],
    effects: (p, id) => count(p, id, (entry) => entry.kind === 'question' && entry.settledId !== null),
  },
  decline: {
    route: (id) => `/v1/conversations/${id}/questions/latest/decline`,
    body: { reason: 'No' },
    other: { reason: 'Never' },
    statuses: [200, 200],
    effects: (p, id) => count(p, id, (entry) => entry.kind === 'question' && entry.settledId !== null),
  },
  message: {
    route: (id) => `/v1/conversations/${id}/messages`,
    body: { text: 'More' },
    other: { text: 'Less' },
    statuses: [202, 202],
    effects: (p, id) =>
      count(p, id, (entry) => entry.kind === 'message' && entry.role === 'user' && entry.text === 'More'),
  },
  cancel: {
    route: (id) => `/v1/conversations/${id}/cancel`,
    body: { reason: 'Enough' },
    other: { reason: 'More than enough' },
    statuses: [202, 202],
    effects: (p, id) => count(p, id, (entry) => entry.kind === 'status' && entry.status === 'cancelled'),
  },
};

const ROUNDS = 10;

describe('what is sent twice with one Idempotency-Key', () => {
  let p: TestParley;
  let other: { call: CallApi; stop(): Promise<void> };
  /** The model answers when this does. */
  let held: Promise<unknown> | undefined;
  beforeAll(async () => {
    p = await startParley({
      script: async (request) => {
        await held;
        const asked = request.body.messages.filter(({ role }) => role === 'assistant').length;
        const isTwice = JSON.stringify(request.body.messages[0]).includes('Twice');
        if (asked === 1 && isTwice) return replyWithQuestion('And now?', 'A', 'B');
        if (lastToolResults(request).length > 0) return replyWithText('done');
        return replyWithQuestion({
          question: 'Which?',
          options: [{ label: 'A' }, { label: 'B' }],
          allowOther: false,
        });
      },
    });
    other = await p.anotherApi();
  });
  afterAll(async () => {
    await other.stop();
    await p.stop();
  });

  const parked = async () => {
    const id = await p.start();
    await p.question(id);
    return id;
  };

  const untilAsked = async (id: string, question: string) => {
    for (;;) {
      const open = await p.question(id);
      if (open.id === question) return open;
    }
  };

  const send = (call: CallApi, scene: Scene, id: string, key: string, body: object): Promise<Told> => {
    const named = scene === SCENES.start ? { agent: p.agent, ...body } : body;
    return call('POST', scene.route(id), named, { 'idempotency-key': key });
  };

  it.each(Object.entries(SCENES))(
    `has one effect and tells both the same, at the same moment and by two APIs: %s, ${ROUNDS} times`,
    async (name, scene) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = name === 'start' ? '' : await parked();
        const key = `${name}-${round}`;
        const told = await Promise.all([
          send(p.call, scene, id, key, scene.body),
          send(other.call, scene, id, key, scene.body),
        ]);
        expect(told.map(({ status }) => status).sort()).toEqual([...scene.statuses].sort());
        expect(sameOf(told[0])).toEqual(sameOf(told[1]));
        expect(await scene.effects(p, id, told[0])).toBe(1);
      }
    },
  );

  it.each(Object.entries(SCENES))('is told how it stands, later and by the other API: %s', async (name, scene) => {
    const id = name === 'start' ? '' : await parked();
    const first = await send(p.call, scene, id, `later-${name}`, scene.body);
    // The reply may have been lost; the effect goes on all the same.
    const again = await send(other.call, scene, id, `later-${name}`, scene.body);
    expect([first.status, again.status]).toEqual(scene.statuses);
    expect(sameOf(again)).toEqual(sameOf(first));
    expect(await scene.effects(p, id, first)).toBe(1);
  });

  it.each(Object.entries(SCENES))('is refused with another body: %s', async (name, scene) => {
    const id = name === 'start' ? '' : await parked();
    const first = await send(p.call, scene, id, `other-${name}`, scene.body);
    const second = await send(other.call, scene, id, `other-${name}`, scene.other);
    expect([second.status, second.body.code]).toEqual([409, 'idempotency_conflict']);
    expect(await scene.effects(p, id, first)).toBe(1);
  });

  it.each(Object.entries(SCENES))('is refused with another body at the same moment: %s', async (name, scene) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = name === 'start' ? '' : await parked();
      const key = `moment-${name}-${round}`;
      const told = await Promise.all([
        send(p.call, scene, id, key, scene.body),
        send(other.call, scene, id, key, scene.other),
      ]);
      const refused = told.filter(({ status }) => status === 409);
      expect(refused.map(({ body }) => body.code)).toEqual(['idempotency_conflict']);
    }
  });

  it('is refused with another body at the same moment while the model is being called: message', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const thinking = createLatch();
      held = thinking.hold;
      const calls = p.model.requests.length;
      const id = await p.start();
      await p.model.received(calls);
      const scene = SCENES.message as Scene;
      const told = await Promise.all([
        send(p.call, scene, id, `busy-${round}`, scene.body),
        send(other.call, scene, id, `busy-${round}`, scene.other),
      ]);
      thinking.release();
      held = undefined;
      expect(told.map(({ status }) => status).sort()).toEqual([202, 409]);
    }
  });

  it('is refused for another question, also where that has just been shown', async () => {
    const id = await p.start('Twice');
    const first = await p.question(id);
    const key = { 'idempotency-key': 'again' };
    const route = (question: string) => `/v1/conversations/${id}/questions/${question}/answer`;
    expect((await p.call('POST', route(first.id), { answer: 'A' }, key)).status).toBe(200);
    const second = await untilAsked(id, 'question-2');
    const again = await p.call('POST', route(second.id), { answer: 'A' }, key);
    expect([again.status, again.body.code]).toEqual([409, 'idempotency_conflict']);
    expect((await p.question(id)).id).toBe('question-2');
    expect((await p.call('POST', route(second.id), { answer: 'A' })).status).toBe(200);
  });

  it.each(Object.entries(SCENES))('has one effect where the first reply never came: %s', async (name, scene) => {
    const id = name === 'start' ? '' : await parked();
    const key = `lost-${name}`;
    const gone = new AbortController();
    const named = scene === SCENES.start ? { agent: p.agent, ...scene.body } : scene.body;
    const lost = fetch(`${p.url}${scene.route(id)}`, {
      method: 'POST',
      body: JSON.stringify(named),
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      signal: gone.signal,
    });
    setImmediate(() => gone.abort());
    await lost.catch(() => undefined);
    const told = await send(other.call, scene, id, key, scene.body);
    expect(scene.statuses).toContain(told.status);
    expect(await scene.effects(p, id, told)).toBe(1);
  });
});

/** What both are told; only how far the agent has come since may differ. */
function sameOf({ body }: Told): unknown {
  const { question, id } = body as unknown as Conversation;
  const settled = 'conversation' in body ? question : undefined;
  return { id, settled };
}
