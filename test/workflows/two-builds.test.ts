import { randomBytes } from 'node:crypto';
import type { Conversation } from '../../src/contract/conversation';
import type { Question } from '../../src/contract/question';
import { exampleOf } from '../../src/core/example';
import { promote } from '../../src/promote/promote';
import { checkOpen } from '../../src/replay/check';
import { anotherBuild, CAREFUL, CARELESS } from '../helpers/another-build';
import { type Parley, parley, type Settings } from '../helpers/parley';
import { say } from '../helpers/scripted-model';
import { features, outage } from '../histories/features';

/** One of each kind here; all of them where PARLEY_TEST_ALL is set. */
const FEW = [
  'parked',
  'parked-in-the-middle',
  'parked-with-a-schema',
  'parked-a-second-time',
  'parked-and-told-elsewhere',
  'parked-for-sub-agents',
  'courier-on-its-way',
  'rolled-over',
];
const isOpenAtItsEnd = /parked|-on-its-way$|^rolled-over$|^links-taken-back$|^started-by-webhook$|^mended/;
const played = features.filter(([name]) =>
  process.env.PARLEY_TEST_ALL ? isOpenAtItsEnd.test(name) : FEW.includes(name),
);

const namespace = `two-builds-${randomBytes(4).toString('hex')}`;
/** However long its script was, the model says that it is done after it. */
const patient = (settings: Settings): Settings =>
  settings.replies
    ? { ...settings, replies: [...settings.replies, ...Array(20).fill(say('done'))] }
    : settings;
const settingsFor = (settings: Settings, build?: string): Settings => ({
  ...patient(settings),
  worker: false,
  env: { TEMPORAL_NAMESPACE: namespace, ...(build ? { PARLEY_BUILD_ID: build } : {}) },
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
    const own = body.items.filter(
      ({ conversationId, origin }) => conversationId === id || origin[0] === p.agent,
    );
    for (const { conversationId, id: qid, fields } of own) {
      const answers = Object.fromEntries(fields.map((field) => [field.key, exampleOf(field)]));
      await p.answer(conversationId, { answers }, qid);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const buildOf = (p: Parley, buildId: string) => ({ ...p.config.build, deploymentName: 'parley', buildId });

describe('conversations parked on one build', () => {
  const parked: Played[] = [];
  let careful: Awaited<ReturnType<typeof anotherBuild>>;
  let careless: Awaited<ReturnType<typeof anotherBuild>>;

  async function promoteTo(buildId: string): Promise<string[]> {
    const [{ p }] = parked as [Played];
    const wanted = { deploymentName: 'parley', buildId, isForced: false, waitMs: 20_000 };
    return promote(p.client, { ...wanted, taskQueue: p.taskQueue }, () => undefined);
  }

  beforeAll(async () => {
    [careful, careless] = await Promise.all([anotherBuild(CAREFUL), anotherBuild(CARELESS)]);
    for (const [name, settings] of played) {
      const p = await parley(settingsFor(settings, 'a'));
      parked.push({ name, id: '', p });
    }
    for (const { p } of parked) await p.startWorker();
    expect((await promoteTo('a')).join(' ')).toMatch(
      /Build a is the current one.*without a build id.*--unversioned/,
    );
    await Promise.all(
      parked.map(async (one) => {
        const [, , play] = played.find(([name]) => name === one.name) as (typeof played)[0];
        one.id = await play(one.p);
      }),
    );
  }, 120_000);

  afterAll(async () => {
    await Promise.all(parked.map(({ p }) => p.stop()));
    careful.remove();
    careless.remove();
  });

  const checked = (build: { codePath: string }) => {
    const [{ p }] = parked as [Played];
    return checkOpen(p.client, { workflowBundle: { codePath: build.codePath } }, {}, () => undefined);
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

  it('are taken up by the next build once it is promoted, with their sub-agents, couriers and new runs', async () => {
    for (const { p } of parked) {
      await p.stopWorker();
      p.config.build = buildOf(p, 'b');
      await p.startWorker({ workflowBundle: careful });
    }
    outage.isOver = true;
    expect((await promoteTo('b')).join(' ')).toMatch(/Build b is the current one.*build a.*promote -- a$/);
    for (const one of parked) {
      const handle = one.p.client.workflow.getHandle(one.id);
      if (one.name.startsWith('courier')) {
        await handle.result();
      } else {
        expect([one.name, (await finish(one)).status]).toEqual([one.name, 'completed']);
        expect((await handle.describe()).memo).toMatchObject({ builtBy: 'b' });
      }
      const { events = [] } = await handle.fetchHistory();
      const builds = (events ?? []).flatMap(
        ({ workflowTaskCompletedEventAttributes: done }) => done?.deploymentVersion?.buildId ?? [],
      );
      expect([one.name, builds[0], builds.at(-1)]).toEqual([one.name, 'a', 'b']);
    }
  });
});
