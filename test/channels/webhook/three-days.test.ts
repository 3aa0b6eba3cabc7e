import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Question } from '../../../src/contract/question';
import { installOnce, type Parley, parley } from '../../helpers/parley';
import { type Running, run } from '../../helpers/processes';
import { ask, lastToolResults, say } from '../../helpers/scripted-model';
import { makeSecret } from './given';
import { type Delivery, type Receiver, receiver } from './receiver';

const SECRET = makeSecret();

/** Days pass in seconds here. One at a time: time is the environment's, not the test's. */
let env: TestWorkflowEnvironment;
let p: Parley;
let r: Receiver;
beforeAll(async () => {
  const executable = { type: 'existing-path' as const, path: process.env.PARLEY_TEST_SERVER ?? '' };
  installOnce();
  env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  p = await parley({
    script: (request) => (lastToolResults(request).length > 0 ? say('done') : ask('Which?', 'A', 'B')),
    address: env.address,
    env: { PARLEY_WEBHOOK_SECRETS: `*=${SECRET}` },
  });
});
afterAll(async () => {
  await p.stop();
  await env.teardown();
});
beforeEach(async () => {
  r = await receiver(SECRET, 503);
});
afterEach(() => r.stop());

const begin = () => p.start('Hello', { callbackUrl: r.url, question: { timeout: 'never' } });
const questionOf = async (id: string) =>
  (await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`)).body;
const noticed = async (id: string): Promise<Question> => {
  for (;;) {
    const question = await questionOf(id);
    if (question.notices.length > 0) return question;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
};
const of = (type: string) => r.deliveries.filter((one) => one.type === type);
/** Tried, and tried again: what was sent never changed. */
const expectSame = (deliveries: Delivery[]) => {
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(1);
  expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
};
const waited = ({ askedAt }: Question, at = '') => (Date.parse(at) - Date.parse(askedAt)) / 3_600_000;

describe('a receiver that is down', () => {
  it('for nearly three days is told once it is back, with the same id', async () => {
    const id = await begin();
    await p.question(id);
    await env.sleep('69 hours');
    expect((await questionOf(id)).notices).toEqual([]);
    const tries = of('question.pending').length;
    expect(tries).toBeGreaterThan(30);
    r.answers(204);
    await env.sleep('150 minutes');
    const question = await noticed(id);
    expect(question.notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(waited(question, question.notices[0]?.at)).toBeGreaterThan(69);
    expect(r.deliveries).toHaveLength(tries + 1);
    expectSame(r.deliveries);
    await p.answer(id, { answer: 'A' });
    await p.until(id, 'completed');
    await r.until(tries + 3);
  });

  it('is told what came of it although the conversation has ended meanwhile', async () => {
    r.answers(204);
    const id = await begin();
    await r.until(1);
    r.answers(503);
    expect((await p.answer(id, { answer: 'A' })).status).toBe(200);
    await p.until(id, 'completed');
    await env.sleep('69 hours');
    const tries = [of('question.answered').length, of('conversation.completed').length];
    for (const count of tries) expect(count).toBeGreaterThan(30);
    r.answers(204);
    await env.sleep('150 minutes');
    await r.until(1 + (tries[0] ?? 0) + (tries[1] ?? 0) + 2);
    for (const [at, type] of ['question.answered', 'conversation.completed'].entries()) {
      expect(of(type)).toHaveLength((tries[at] ?? 0) + 1);
      expectSame(of(type));
    }
    await env.sleep('1 day');
    expect(of('question.answered')).toHaveLength((tries[0] ?? 0) + 1);
  });

  it('for longer is given up, and the question says so', async () => {
    const id = await begin();
    await p.question(id);
    await env.sleep('4 days');
    const question = await noticed(id);
    expect(question.notices).toMatchObject([
      { channel: 'webhook', what: `asked: could not be sent: 127.0.0.1:${r.port} answered 503.` },
    ]);
    const waitedHours = waited(question, question.notices[0]?.at);
    expect(waitedHours).toBeGreaterThan(68);
    expect(waitedHours).toBeLessThan(80);
    const tries = r.deliveries.length;
    r.answers(204);
    await env.sleep('1 day');
    expect(r.deliveries).toHaveLength(tries);
    expectSame(r.deliveries);
  });

  it('is asked again when it says, and not before', async () => {
    r.answers((response, _, index) =>
      index === 0 ? response.writeHead(503, { 'retry-after': '18000' }).end() : response.writeHead(204).end(),
    );
    const id = await begin();
    await r.until(1);
    await env.sleep('299 minutes');
    expect(r.deliveries).toHaveLength(1);
    await env.sleep('2 minutes');
    await noticed(id);
    expect(r.deliveries).toHaveLength(2);
  });
});

describe('a worker killed after it sent and before that was known', () => {
  let worker: Running;
  const startProcess = async () => {
    worker = run('test/helpers/diary-worker.js', {
      TASK_QUEUE: p.taskQueue,
      TEMPORAL_ADDRESS: env.address,
      ANTHROPIC_API_KEY: 'test',
      ANTHROPIC_BASE_URL: p.model.url,
      PARLEY_DATA: p.config.data,
      PARLEY_WEBHOOK_SECRETS: `*=${SECRET}`,
    });
    await worker.until(/running/);
  };
  const kill = async () => {
    worker.child.kill('SIGKILL');
    expect(await worker.ended).toBe('SIGKILL');
  };
  beforeEach(() => p.stopWorker());
  afterEach(() => worker.child.kill('SIGKILL'));

  it('leaves it to the next one, which sends the same, under the same id', async () => {
    await startProcess();
    r.answers(() => undefined);
    const id = await begin();
    await r.until(1);
    await kill();
    r.answers(204);
    await p.startWorker();
    await env.sleep('2 minutes');
    expect((await noticed(id)).notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(types()).toEqual(['question.pending', 'question.pending']);
    expectSame(r.deliveries);
  });

  const types = () => r.deliveries.map(({ type }) => type);

  it('leaves outcome and end to the next one, too', async () => {
    await startProcess();
    r.answers(204);
    const id = await begin();
    await r.until(1);
    r.answers(() => undefined);
    await p.answer(id, { answer: 'A' });
    await p.until(id, 'completed');
    await r.until(3);
    await kill();
    r.answers(204);
    await p.startWorker();
    await env.sleep('2 minutes');
    await r.until(5);
    for (const type of ['question.answered', 'conversation.completed']) {
      expect(of(type)).toHaveLength(2);
      expectSame(of(type));
    }
  });
});
