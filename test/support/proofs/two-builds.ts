import { randomBytes } from 'node:crypto';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { exampleOf } from '#core/example';
import { promote } from '#promote/promote';
import { checkOpen } from '#replay/check';
import { describeQueue } from '#temporal/task-queue';
import { features, outage } from '#test/histories/features';
import { parked as parkedPlay, rollingOverLater } from '#test/histories/months';
import { isEncrypted } from '#test/histories/recorded-with';
import { anotherBuild, CAREFUL, CARELESS } from '#test/support/another-build';
import { testKeys } from '#test/support/encryption';
import { eventually } from '#test/support/eventually';
import { NOBODY_COMES, type Parley, parley, type Settings } from '#test/support/parley';
import { lastToolResults, say, use } from '#test/support/scripted-model';

/** One of each kind. */
const FEW = ['parked', 'parked-for-sub-agents', 'courier-on-its-way'];
const AT_ONCE = 5;
const LONG_MS = 400_000;
const isOpenAtItsEnd =
  /(?<!^message-while-)parked|-on-its-way$|^rolled-over$|^links-taken-back$|^started-by-webhook$|^mended/;
const ROLLS_OVER = 'parked-and-rolls-over-later';
const every: typeof features = [
  ...features.filter(([name]) => isOpenAtItsEnd.test(name) && !isEncrypted(`-${name}`)),
  [ROLLS_OVER, rollingOverLater(), parkedPlay],
];
const few = features.filter(([name]) => FEW.includes(name));

const namespace = `two-builds-${randomBytes(4).toString('hex')}`;
/** However long its script was, the model says that it is done after it. */
const patient = (settings: Settings): Settings =>
  settings.replies
    ? { ...settings, replies: [...settings.replies, ...Array(20).fill(say('done'))] }
    : settings;
const settingsFor = (settings: Settings, build?: string): Settings => ({
  ...patient(settings),
  worker: false,
  env: { ...settings.env, TEMPORAL_NAMESPACE: namespace, ...(build ? { PARLEY_BUILD_ID: build } : {}) },
});

interface Played {
  name: string;
  id: string;
  p: Parley;
}

/** Answers whatever is asked, there and by those who work for it, until it is over. */
async function finish({ p, id }: Played): Promise<Conversation> {
  for (;;) {
    const conversation = await p.conversation(id);
    if (!['running', 'waiting_for_input'].includes(conversation.status)) return conversation;
    const { body } = await p.call<{ items: Question[] }>('GET', '/v1/questions?limit=100');
    const own = (body.items ?? []).filter(
      ({ conversationId, origin }) => conversationId === id || origin[0] === p.agent,
    );
    for (const { conversationId, id: qid, fields } of own) {
      const answers = Object.fromEntries(fields.map((field) => [field.key, exampleOf(field)]));
      await p.answer(conversationId, { answers }, qid);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const buildOf = (buildId: string) => ({ deploymentName: 'parley', buildId });

/** Parks features on one build and resumes them on the next: one of each kind, or every one. */
export function proveTwoBuilds(which: 'few' | 'every'): void {
  const played = which === 'every' ? every : few;
  const parked: Played[] = [];
  let careful: Awaited<ReturnType<typeof anotherBuild>>;
  let careless: Awaited<ReturnType<typeof anotherBuild>>;

  async function promoteTo(buildId: string): Promise<string[]> {
    const [{ p }] = parked as [Played];
    const wanted = { deploymentName: 'parley', buildId, isForced: false, waitMs: LONG_MS / 2 };
    return promote(p.client, { ...wanted, taskQueue: p.taskQueue }, () => undefined);
  }

  beforeAll(async () => {
    outage.isOver = false;
    [careful, careless] = await Promise.all([anotherBuild(CAREFUL), anotherBuild(CARELESS)]);
    for (const [name, settings] of played) {
      const p = await parley(settingsFor(settings, 'a'));
      parked.push({ name, id: '', p });
    }
    for (const { p } of parked) await p.startWorker();
    expect((await promoteTo('a')).join(' ')).toMatch(
      /Build a is the current one.*without a build id.*--unversioned/,
    );
    const play = async (one: Played) => {
      const [, , feature] = played.find(([name]) => name === one.name) as (typeof played)[0];
      one.id = await feature(one.p);
    };
    // Not all at once: the server would refuse some.
    for (let from = 0; from < parked.length; from += AT_ONCE)
      await Promise.all(parked.slice(from, from + AT_ONCE).map(play));
  }, LONG_MS);

  afterAll(async () => {
    await Promise.all(parked.map(({ p }) => p.stop()));
    careful.remove();
    careless.remove();
  });

  const checked = (build: { codePath: string }) => {
    const [{ p }] = parked as [Played];
    return checkOpen(p.client, { workflowBundle: build, keys: testKeys() }, {}, () => undefined);
  };

  it('would break on a build that does something else before each park, and the replay lists them', async () => {
    const { replayed, broken } = await checked(careless);
    const listed = new Set(broken.map(({ id }) => id));
    for (const { name, id, p } of parked) {
      const { question } = name.startsWith('courier') ? { question: null } : await p.conversation(id);
      // Nothing follows the park of a first question without a deadline: there the change comes last, and does no harm.
      const isHarmed = question ? question.expiresAt !== null || question.id !== 'question-1' : false;
      expect([name, listed.has(id)]).toEqual([name, isHarmed]);
    }
    expect(replayed).toBeGreaterThanOrEqual(parked.length);
    const { id, p } = parked.find(({ name }) => name === 'parked') as Played;
    expect(broken.find((one) => one.id === id)).toMatchObject({
      type: 'conversation',
      agent: p.agent,
      questionSince: (await p.question(id)).askedAt,
      reason: expect.stringMatching(/^[^\n]{10,301}$/),
    });
  });

  it('go on where the change is behind `patched`: the replay finds no fault', async () => {
    const report = await checked(careful);
    expect(report).toMatchObject({ broken: [], locked: [] });
    expect(report.replayed).toBeGreaterThanOrEqual(parked.length);
  });

  it(
    'are taken up by the next build once it is promoted, with their sub-agents, couriers and new runs',
    async () => {
      // Side by side, as they are while somebody deploys.
      for (const { p } of parked) await p.anotherWorker(buildOf('b'), { workflowBundle: careful });
      expect((await promoteTo('b')).join(' ')).toMatch(/Build b is the current one.*build a.*promote -- a$/);
      outage.isOver = true;
      for (const one of parked) {
        const handle = one.p.client.workflow.getHandle(one.id);
        // Each queue hears of it in its own time, and with many of them that takes a while.
        await eventually(async () => {
          const { current } = await describeQueue(one.p.client, one.p.taskQueue);
          expect(current).toEqual(buildOf('b'));
        });
        if (one.name.startsWith('courier')) {
          await handle.result();
        } else {
          expect([one.name, (await finish(one)).status]).toEqual([one.name, 'completed']);
          expect([one.name, (await handle.describe()).memo?.builtBy]).toEqual([one.name, 'b']);
        }
        const { events = [] } = await handle.fetchHistory();
        const builds = (events ?? []).flatMap(
          ({ workflowTaskCompletedEventAttributes: done }) => done?.deploymentVersion?.buildId ?? [],
        );
        // What it rolled over into began there.
        const first = one.name === ROLLS_OVER ? 'b' : 'a';
        expect([one.name, builds[0], builds.at(-1)]).toEqual([one.name, first, 'b']);
      }
    },
    LONG_MS,
  );
}

/** One conversation whose workers change their build. */
export function proveChangesOfBuild(): void {
  let p: Parley;
  const forever = { questions: [{ question: 'Which?' }], timeout: 'never' };
  beforeAll(async () => {
    p = await parley({
      ownWorker: true,
      worker: false,
      env: { TEMPORAL_NAMESPACE: namespace },
      script: (request) =>
        lastToolResults(request).some(({ text }) => text.includes('the end'))
          ? say('done')
          : use({ name: 'ask_user_question', input: forever }),
    });
  });
  afterAll(() => p.stop());

  async function workOn(workflowBundle?: { codePath: string }): Promise<void> {
    await p.stopWorker();
    await p.startWorker(workflowBundle ? { workflowBundle } : {});
  }
  async function answered(id: string, answer: string, qid: string): Promise<void> {
    expect((await p.answer(id, { answer }, qid)).status).toBeLessThan(300);
  }

  it('really goes on where the replay finds no harm in what a build does more', async () => {
    const careless = await anotherBuild(CARELESS);
    await workOn();
    const id = await p.start();
    await p.question(id);
    await workOn(careless);
    await answered(id, 'so', 'question-1');
    await p.question(id, 'question-2');
    // With nothing in memory, so that all of it is replayed.
    await workOn(careless);
    await answered(id, 'the end', 'question-2');
    await p.until(id, 'completed');
    const code = { workflowBundle: careless, keys: testKeys() };
    expect(await checkOpen(p.client, code, { id }, () => undefined)).toMatchObject({
      replayed: 1,
      broken: [],
    });
    careless.remove();
  });

  it('waits where older code does not know a patch, and goes on where newer code does', async () => {
    const careful = await anotherBuild(CAREFUL);
    await workOn(careful);
    const id = await p.start();
    await p.question(id);
    await workOn();
    // This worker cannot act on it.
    Object.assign(p.patience, NOBODY_COMES);
    await p.answer(id, { answer: 'the end' }, 'question-1');
    const handle = p.client.workflow.getHandle(id);
    const failures = async () =>
      ((await handle.fetchHistory()).events ?? []).flatMap(
        ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
      );
    while ((await failures()).length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await failures()).join()).toMatch(/nondeterminism/i);
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await workOn(careful);
    expect((await p.until(id, 'completed')).result).toBe('done');
    careful.remove();
  });
}
