import { execFileSync } from 'node:child_process';
import type { Question } from '#contract/question';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { collectLog } from '#test/support/collect-log';
import { eventually } from '#test/support/eventually';
import {
  PATIENCE_WITH_WORKER,
  PATIENCE_WITHOUT_WORKER,
  startParley,
  type TestParley,
} from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { createMutatedBuild, UNPATCHED_CHANGES } from '#test/support/temporal/mutated-build';
import { installTestRuntime } from '#test/support/temporal/runtime';

describe('a worker whose code breaks a conversation', () => {
  const log = collectLog();
  let p: TestParley;
  let careless: Awaited<ReturnType<typeof createMutatedBuild>>;
  let id: string;
  let restore: () => void;
  beforeAll(async () => {
    restore = installTestRuntime(log.log);
    careless = await createMutatedBuild(UNPATCHED_CHANGES);
    const wanted = replyWithQuestion('Which secret?', 'A', 'B');
    p = await startParley({
      ownWorker: true,
      script: (request) => (lastToolResults(request).length > 0 ? replyWithText('done') : wanted),
    });
    id = await p.start();
    await p.question(id);
  });
  afterAll(async () => {
    await p.stop();
    careless.remove();
    restore();
  });

  it('says which and why in one line, without what was said in it', async () => {
    const { runId } = await p.client.workflow.getHandle(id).describe();
    await p.stopWorker();
    await p.startWorker({ workflowBundle: careless });
    // This worker cannot act on it.
    Object.assign(p.patience, PATIENCE_WITHOUT_WORKER);
    expect((await p.answer(id, { answer: 'A' })).status).toBe(202);
    const line = await log.until(({ msg }) => String(msg).includes('cannot go on'));
    const why = expect.stringMatching(/^[^\n]*HistoryEvent[^\n]*$/);
    expect(line).toMatchObject({ level: 50, run: runId, why });
    expect(log.text()).not.toContain('secret');
  });

  it('takes it up from before its last task, as the runbook says', async () => {
    const before = await p.question(id);
    const { namespace } = p.client.options;
    const { address } = p.config.temporal;
    const where = ['--namespace', namespace, '--address', address ?? ''];
    const what = ['--workflow-id', id, '--type', 'LastWorkflowTask', '--reason', 'stuck'];
    execFileSync(findTemporalCli(), ['workflow', 'reset', ...what, ...where]);
    // The task that asked is gone over again with the answer before its question: it is asked anew, and has to be answered anew.
    const { expiresAt } = await eventually(async () => {
      const { question } = await p.conversation(id);
      expect(question?.expiresAt ?? before.expiresAt).not.toBe(before.expiresAt);
      return question as Question;
    });
    expect(expiresAt).toBeTruthy();
    Object.assign(p.patience, PATIENCE_WITH_WORKER);
    expect((await p.answer(id, { answer: 'A' })).status).toBe(200);
    expect(await p.until(id, 'completed')).toMatchObject({ result: 'done' });
  });
});
