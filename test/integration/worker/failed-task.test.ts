import { execFileSync } from 'node:child_process';
import type { Question } from '#contract/question';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { collectLog } from '#test/support/collect-log';
import { eventually } from '#test/support/eventually';
import {
  startParley,
  type TestParley,
  WAIT_LIMITS_WITH_WORKER,
  WAIT_LIMITS_WITHOUT_WORKER,
} from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { createMutatedBuild, UNPATCHED_CHANGES } from '#test/support/temporal/mutated-build';
import { installTestRuntime } from '#test/support/temporal/runtime';

describe('a worker whose code breaks a conversation', () => {
  const log = collectLog();
  let p: TestParley;
  let incompatibleBuild: Awaited<ReturnType<typeof createMutatedBuild>>;
  let id: string;
  let restoreRuntime: () => void;
  beforeAll(async () => {
    restoreRuntime = installTestRuntime(log.log);
    incompatibleBuild = await createMutatedBuild(UNPATCHED_CHANGES);
    const questionReply = replyWithQuestion('Which secret?', 'A', 'B');
    p = await startParley({
      ownWorker: true,
      script: (request) => (lastToolResults(request).length > 0 ? replyWithText('done') : questionReply),
    });
    id = await p.startConversation();
    await p.waitForQuestion(id);
  });
  afterAll(async () => {
    await p.stop();
    incompatibleBuild.remove();
    restoreRuntime();
  });

  it('logs which one and why in one line, without content', async () => {
    const { runId } = await p.client.workflow.getHandle(id).describe();
    await p.stopWorker();
    await p.startWorker({ workflowBundle: incompatibleBuild });
    // This worker cannot process it.
    Object.assign(p.waitLimits, WAIT_LIMITS_WITHOUT_WORKER);
    expect((await p.answer(id, { answer: 'A' })).status).toBe(202);
    const line = await log.waitForLine(({ msg }) => String(msg).includes('is stuck'));
    const reason = expect.stringMatching(/^[^\n]*HistoryEvent[^\n]*$/);
    expect(line).toMatchObject({ level: 50, run: runId, why: reason });
    expect(log.text()).not.toContain('secret');
  });

  it('continues it from before its last task, as the runbook says', async () => {
    const openQuestion = await p.waitForQuestion(id);
    const { namespace } = p.client.options;
    const { address } = p.config.temporal;
    const connectionArgs = ['--namespace', namespace, '--address', address ?? ''];
    const resetArgs = ['--workflow-id', id, '--type', 'LastWorkflowTask', '--reason', 'stuck'];
    execFileSync(findTemporalCli(), ['workflow', 'reset', ...resetArgs, ...connectionArgs]);
    // The task with the question runs again with the answer first, so the question is asked again and needs another
    // answer.
    const { expiresAt } = await eventually(async () => {
      const { question } = await p.getConversation(id);
      expect(question?.expiresAt ?? openQuestion.expiresAt).not.toBe(openQuestion.expiresAt);
      return question as Question;
    });
    expect(expiresAt).toBeTruthy();
    Object.assign(p.waitLimits, WAIT_LIMITS_WITH_WORKER);
    // 202 if Temporal has not yet seen the worker poll again; it acts on the answer either way.
    expect([200, 202]).toContain((await p.answer(id, { answer: 'A' })).status);
    expect(await p.waitForStatus(id, 'completed')).toMatchObject({ result: 'done' });
  });
});
