import type { TestService } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ModelScript } from '#models/demo/reply';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import {
  isSummaryModelRequest,
  lastToolResults,
  replyWithError,
  replyWithText,
  replyWithToolCalls,
} from '#test/support/scripted-model';
import { startTimeSkippingServer } from '#test/support/temporal/time-skipping-server';
import { builtInTools } from '#tools/registry';
import type { ToolContext } from '#tools/tool';

const HOUR = 3_600_000;
const NEVER = new Promise(() => undefined);

/** Hours pass in a second here. Tests run one at a time, because they share the clock. */
describe('time that passes during calls', () => {
  let env: TestWorkflowEnvironment;
  let p: TestParley;
  beforeAll(async () => {
    env = await startTimeSkippingServer();
  });
  afterEach(() => p.stop());
  afterAll(() => env.teardown());

  async function start(settings: TestParleySettings): Promise<string> {
    p = await startParley({ ...settings, address: env.address });
    return p.startConversation();
  }

  /** Skips time until the conversation ends, and returns how long it took. */
  async function skipToEnd(id: string): Promise<number> {
    const handle = env.client.workflow.getHandle(id);
    await handle.result();
    // This server does not enforce the limit of later attempts, so it is read.
    for (const { activityTaskScheduledEventAttributes: scheduled } of (await handle.fetchHistory()).events ?? []) {
      const limitMs = optionalTsToMs(scheduled?.scheduleToCloseTimeout) ?? 0;
      if (limitMs > 0) expect(limitMs).toBeGreaterThan(365 * 24 * HOUR);
    }
    const { createdAt, completedAt } = await p.getConversation(id);
    return Date.parse(completedAt ?? '') - Date.parse(createdAt);
  }

  it('backs off from an overloaded model, however soon that may be retried and however many attempts it takes', async () => {
    const refusals = Array.from({ length: 30 }, (_, n) =>
      replyWithError(n % 2 ? 429 : 529, { retryAfter: [0, 1, 5][n % 3] }),
    );
    const id = await start({ replies: [...refusals, replyWithText('at last')] });
    expect(await skipToEnd(id)).toBeGreaterThan(HOUR / 3);
    expect((await p.getConversation(id)).result).toBe('at last');
  });

  describe('without a worker does not end', () => {
    const { tool, onceTool } = createRecordingTool();
    // Without a cache: this server would send queries to the queue of a worker that has stopped.
    const maxCachedWorkflows = 0;

    /** The server stops skipping while an activity waits for a worker, so that is undone. */
    async function stopForHours(): Promise<void> {
      const { testService } = env.connection as { testService?: TestService };
      await p.stopWorker();
      await testService?.unlockTimeSkipping({});
      await env.sleep('4h');
      await testService?.lockTimeSkipping({});
      await p.startWorker();
    }

    it('a model call', async () => {
      const id = await start({ maxCachedWorkflows, replies: [{ text: 'never', hold: NEVER }, replyWithText('done')] });
      await p.model.waitForRequest(0);
      await stopForHours();
      expect(await skipToEnd(id)).toBeGreaterThan(4 * HOUR);
      expect((await p.getConversation(id)).result).toBe('done');
    });

    it('a summary', async () => {
      const summaries: unknown[] = [];
      let isHeld: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        isHeld = resolve;
      });
      const script: ModelScript = (request, index) => {
        if (!isSummaryModelRequest(request))
          return index < 12
            ? { text: 'words '.repeat(600), calls: [{ name: 'write_todos', input: { todos: [] } }] }
            : replyWithText('done');
        if (summaries.push(request) > 1) return replyWithText('A summary');
        isHeld();
        return { text: 'never', hold: NEVER };
      };
      const id = await start({ script, maxCachedWorkflows, frontMatter: 'contextWindow: 12000\nmaxTokens: 300' });
      await held;
      await stopForHours();
      await skipToEnd(id);
      expect((await p.getConversation(id)).result).toBe('done');
      expect(summaries.length).toBeGreaterThan(1);
    });

    it.each([
      ['that may run again', 'write_line', { text: 'wrote it', isError: false }],
      ['that may not', 'write_line_once', { text: expect.stringContaining('may have run in part'), isError: true }],
    ])('a tool %s', async (_, name, expected) => {
      let runs = 0;
      const holding = [tool, onceTool].map((one) => ({
        ...one,
        execution: {
          ...one.execution,
          execute: (_: unknown, { signal }: ToolContext) =>
            new Promise<string>((resolve, reject) => {
              if (++runs > 1) resolve('wrote it');
              signal.addEventListener('abort', () => reject(new Error('stopped')));
            }),
        } as typeof one.execution,
      }));
      const replies = [replyWithToolCalls({ name, input: { line: 'it' }, id: 'call' }), replyWithText('done')];
      const id = await start({ maxCachedWorkflows, tools: [...builtInTools, ...holding], replies });
      while (runs === 0) await new Promise((resolve) => setTimeout(resolve, 15));
      await stopForHours();
      await skipToEnd(id);
      expect(lastToolResults(await p.model.waitForRequest(1))).toEqual([{ id: 'call', ...expected }]);
    });
  });
});
