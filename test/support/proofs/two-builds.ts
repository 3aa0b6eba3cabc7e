import { randomBytes } from 'node:crypto';
import { promoteBuild } from '#cli/admin/promote/promote-build';
import { replayOpenWorkflows } from '#cli/admin/replay/open-workflows';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { exampleAnswer } from '#core/temporal-ui-details';
import { readTaskQueue } from '#infra/temporal/task-queue';
import { channelOutage, featureScenarios } from '#test/histories/feature-scenarios';
import {
  createLateContinueAsNewSettings,
  isEncryptedRecording,
  parkConversationOnQuestion as parkedPlay,
} from '#test/histories/long-running-scenarios';
import { eventually } from '#test/support/eventually';
import { readTestEncryptionKeys } from '#test/support/parley/encryption';
import {
  startParley,
  type TestParley,
  type TestParleySettings,
  WAIT_LIMITS_WITHOUT_WORKER,
} from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { createMutatedBuild, PATCHED_CHANGES, UNPATCHED_CHANGES } from '#test/support/temporal/mutated-build';

/** One scenario of each kind. */
const FEW_NAMES = ['parked', 'parked-for-sub-agents', 'delivery-under-way'];
const CONCURRENCY = 5;
const LONG_TIMEOUT_MS = 400_000;
const OPEN_AT_END =
  /(?<!^message-while-)parked|-on-its-way$|^rolled-over$|^links-taken-back$|^started-by-webhook$|^mended/;
const CONTINUES_LATER = 'parked-and-rolls-over-later';
const allScenarios: typeof featureScenarios = [
  ...featureScenarios.filter(([name]) => OPEN_AT_END.test(name) && !isEncryptedRecording(`-${name}`)),
  [CONTINUES_LATER, createLateContinueAsNewSettings(), parkedPlay],
];
const fewScenarios = featureScenarios.filter(([name]) => FEW_NAMES.includes(name));

const namespace = `two-builds-${randomBytes(4).toString('hex')}`;
/** Adds final replies to a script, so that it never runs out. */
const withSpareReplies = (settings: TestParleySettings): TestParleySettings =>
  settings.replies
    ? { ...settings, replies: [...settings.replies, ...Array(20).fill(replyWithText('done'))] }
    : settings;
const createSettings = (settings: TestParleySettings, build?: string): TestParleySettings => ({
  ...withSpareReplies(settings),
  startsWorker: false,
  env: { ...settings.env, TEMPORAL_NAMESPACE: namespace, ...(build ? { PARLEY_BUILD_ID: build } : {}) },
});

interface ParkedScenario {
  name: string;
  id: string;
  p: TestParley;
}

/** Answers all questions of the conversation and its sub-agents until it has ended. */
async function answerUntilFinished({ p, id }: ParkedScenario): Promise<Conversation> {
  for (;;) {
    const conversation = await p.getConversation(id);
    if (!['running', 'waiting_for_input'].includes(conversation.status)) return conversation;
    const { body } = await p.call<{ items: Question[] }>('GET', '/v1/questions?limit=100');
    const own = (body.items ?? []).filter(
      ({ conversationId, origin }) => conversationId === id || origin[0] === p.agent,
    );
    for (const { conversationId, id: qid, fields } of own) {
      const answers = Object.fromEntries(fields.map((field) => [field.key, exampleAnswer(field)]));
      await p.answer(conversationId, { answers }, qid);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const deploymentVersion = (buildId: string) => ({ deploymentName: 'parley', buildId });

/** Parks features on one build and resumes them on the next: one of each kind, or every one. */
export function proveTwoBuilds(which: 'few' | 'every'): void {
  const scenarios = which === 'every' ? allScenarios : fewScenarios;
  const parked: ParkedScenario[] = [];
  let patchedBuild: Awaited<ReturnType<typeof createMutatedBuild>>;
  let unpatchedBuild: Awaited<ReturnType<typeof createMutatedBuild>>;

  async function promoteTo(buildId: string): Promise<string[]> {
    const [{ p }] = parked as [ParkedScenario];
    const wanted = { deploymentName: 'parley', buildId, isForced: false, waitMs: LONG_TIMEOUT_MS / 2 };
    return promoteBuild(p.client, { ...wanted, taskQueue: p.taskQueue }, () => undefined);
  }

  beforeAll(async () => {
    channelOutage.isOver = false;
    [patchedBuild, unpatchedBuild] = await Promise.all([
      createMutatedBuild(PATCHED_CHANGES),
      createMutatedBuild(UNPATCHED_CHANGES),
    ]);
    for (const [name, settings] of scenarios) {
      const p = await startParley(createSettings(settings, 'a'));
      parked.push({ name, id: '', p });
    }
    for (const { p } of parked) await p.startWorker();
    expect((await promoteTo('a')).join(' ')).toMatch(/Build a is now current.*without a build id.*--unversioned/);
    const play = async (one: ParkedScenario) => {
      const [, , feature] = scenarios.find(([name]) => name === one.name) as (typeof scenarios)[0];
      one.id = await feature(one.p);
    };
    // Limited, as the server would reject some if all started at once.
    for (let from = 0; from < parked.length; from += CONCURRENCY)
      await Promise.all(parked.slice(from, from + CONCURRENCY).map(play));
  }, LONG_TIMEOUT_MS);

  afterAll(async () => {
    await Promise.all(parked.map(({ p }) => p.stop()));
    patchedBuild.remove();
    unpatchedBuild.remove();
  });

  const replayOn = (build: { codePath: string }) => {
    const [{ p }] = parked as [ParkedScenario];
    return replayOpenWorkflows(
      p.client,
      { workflowBundle: build, keys: readTestEncryptionKeys() },
      {},
      () => undefined,
    );
  };

  it('would break on a build that does something else before each park, and the replay lists them', async () => {
    const { replayed, broken } = await replayOn(unpatchedBuild);
    const listed = new Set(broken.map(({ id }) => id));
    for (const { name, id, p } of parked) {
      const { question } = name.startsWith('delivery') ? { question: null } : await p.getConversation(id);
      // Nothing follows the park of a first question without a deadline: the change comes last there, and is harmless.
      // The question about a budget parks beside the sub-agents, not in the main loop.
      const isInMainLoop = question && name !== 'parked-at-its-budget';
      const isBroken = isInMainLoop ? question.expiresAt !== null || question.id !== 'question-1' : false;
      expect([name, listed.has(id)]).toEqual([name, isBroken]);
    }
    expect(replayed).toBeGreaterThanOrEqual(parked.length);
    const { id, p } = parked.find(({ name }) => name === 'parked') as ParkedScenario;
    expect(broken.find((one) => one.id === id)).toMatchObject({
      type: 'conversation',
      agent: p.agent,
      reason: expect.stringMatching(/^[^\n]{10,301}$/),
    });
  });

  it('go on where the change is behind `patched`: the replay finds no fault', async () => {
    const report = await replayOn(patchedBuild);
    expect(report).toMatchObject({ broken: [], locked: [] });
    expect(report.replayed).toBeGreaterThanOrEqual(parked.length);
  });

  it(
    'are taken up by the next build once it is promoted, with their sub-agents, deliveries and new runs',
    async () => {
      // Both builds run side by side, as during a deploy.
      for (const { p } of parked) await p.startAnotherWorker(deploymentVersion('b'), { workflowBundle: patchedBuild });
      expect((await promoteTo('b')).join(' ')).toMatch(/Build b is now current.*build a.*promote a$/);
      channelOutage.isOver = true;
      for (const one of parked) {
        const handle = one.p.client.workflow.getHandle(one.id);
        // Each queue learns of the promotion separately, which takes a while with many queues.
        await eventually(async () => {
          const { currentBuild: current } = await readTaskQueue(one.p.client, one.p.taskQueue);
          expect(current).toEqual(deploymentVersion('b'));
        });
        if (one.name.startsWith('delivery')) {
          await handle.result();
        } else {
          expect([one.name, (await answerUntilFinished(one)).status]).toEqual([one.name, 'completed']);
          expect([one.name, (await handle.describe()).memo?.builtBy]).toEqual([one.name, 'b']);
        }
        const { events = [] } = await handle.fetchHistory();
        const builds = (events ?? []).flatMap(
          ({ workflowTaskCompletedEventAttributes: done }) => done?.deploymentVersion?.buildId ?? [],
        );
        // This scenario's current run began on the second build.
        const first = one.name === CONTINUES_LATER ? 'b' : 'a';
        expect([one.name, builds[0], builds.at(-1)]).toEqual([one.name, first, 'b']);
      }
    },
    LONG_TIMEOUT_MS,
  );
}

/** Proves behaviour of one conversation whose workers change their build. */
export function proveBuildChange(): void {
  let p: TestParley;
  const questionWithoutDeadline = { questions: [{ question: 'Which?' }], timeout: 'never' };
  beforeAll(async () => {
    p = await startParley({
      ownWorker: true,
      startsWorker: false,
      env: { TEMPORAL_NAMESPACE: namespace },
      script: (request) =>
        lastToolResults(request).some(({ text }) => text.includes('the end'))
          ? replyWithText('done')
          : replyWithToolCalls({ name: 'ask_user_question', input: questionWithoutDeadline }),
    });
  });
  afterAll(() => p.stop());

  async function restartWorkerWith(workflowBundle?: { codePath: string }): Promise<void> {
    await p.stopWorker();
    await p.startWorker(workflowBundle ? { workflowBundle } : {});
  }
  async function answerQuestion(id: string, answer: string, qid: string): Promise<void> {
    expect((await p.answer(id, { answer }, qid)).status).toBeLessThan(300);
  }

  it('really goes on where the replay finds no harm in what a build does more', async () => {
    const unpatchedBuild = await createMutatedBuild(UNPATCHED_CHANGES);
    await restartWorkerWith();
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await restartWorkerWith(unpatchedBuild);
    await answerQuestion(id, 'so', 'question-1');
    await p.waitForQuestion(id, 'question-2');
    // With an empty cache, so that the whole run is replayed.
    await restartWorkerWith(unpatchedBuild);
    await answerQuestion(id, 'the end', 'question-2');
    await p.waitForStatus(id, 'completed');
    const code = { workflowBundle: unpatchedBuild, keys: readTestEncryptionKeys() };
    expect(await replayOpenWorkflows(p.client, code, { id }, () => undefined)).toMatchObject({
      replayed: 1,
      broken: [],
    });
    unpatchedBuild.remove();
  });

  it('waits where older code does not know a patch, and goes on where newer code does', async () => {
    const patchedBuild = await createMutatedBuild(PATCHED_CHANGES);
    await restartWorkerWith(patchedBuild);
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await restartWorkerWith();
    // This worker cannot process the answer.
    Object.assign(p.waitLimits, WAIT_LIMITS_WITHOUT_WORKER);
    await p.answer(id, { answer: 'the end' }, 'question-1');
    const handle = p.client.workflow.getHandle(id);
    const failures = async () =>
      ((await handle.fetchHistory()).events ?? []).flatMap(
        ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
      );
    while ((await failures()).length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await failures()).join()).toMatch(/nondeterminism/i);
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await restartWorkerWith(patchedBuild);
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    patchedBuild.remove();
  });
}
