import type { Client } from '@temporalio/client';
import type { ArchiveReader } from '#api/services/archived-entries';
import type { Conversation } from '#contract/conversation';
import type { ConversationState, MessageResult } from '#core/conversation/state';
import { buildMemo, type ConversationChanges } from '#core/projections';
import { initialSearchAttributes } from '#core/search-attributes';
import { isConversationState, type SubagentReport } from '#core/subagents';
import type { RecentTimeline } from '#core/timeline';
import { SEARCH_ATTRIBUTE_NAMES } from '#infra/temporal/prepare-namespace';
import { withKnownOutcome } from '#infra/temporal/sent-writes';
import { readTaskQueue, readTaskQueueStats, receivesTasks } from '#infra/temporal/task-queue';
import type { BacklogSnapshot } from '#telemetry/backlog-metrics';
import {
  addMessageSignal,
  CONVERSATION_WORKFLOW_TYPE,
  deliveryTaskQueue,
  getChangesQuery,
  getMessageResultQuery,
  getStateQuery,
  getTimelineQuery,
  getTranscriptQuery,
} from '#workflows/messages';
import type { ModelInput } from '#workflows/runtime/sinks';
import { isExecutionNotFound, WorkerUnavailableError } from './errors';
import {
  createRunReader,
  type Execution,
  type ExecutionRef,
  executionRefOf,
  isConversation,
  readListedExecution,
} from './execution';
import { createHistoryClient } from './history';
import { buildVisibilityQuery, STATUS_CLAUSES } from './visibility-query';
import { createWorkerPresence } from './worker-presence';

export interface ExecutionPage {
  runs: Execution[];
  /** All listed runs, including unreadable ones, in order. */
  refs: ExecutionRef[];
  /** Runs whose encryption key is not configured. */
  unreadable: ExecutionRef[];
  token: Buffer;
}

/** How long requests wait for Temporal or a worker before they reply without a result. */
export interface WaitLimits {
  /** For Temporal to answer a call. */
  rpcMs: number;
  /** For a worker to read a conversation. */
  queryMs: number;
  /** For a worker to process a message. */
  resultMs: number;
}

export const DEFAULT_WAIT_LIMITS: Readonly<WaitLimits> = { rpcMs: 3_000, queryMs: 2_000, resultMs: 2_000 };

const MAX_SAMPLED_QUESTIONS = 1_000;

/** What the gateway needs besides a Temporal client. */
export interface GatewayDeps {
  readArchive: ArchiveReader;
  /** Conversations are exported when they end. */
  isExportEnabled?: boolean;
  /** Salt of the hashed names in the search index, if names are hashed. */
  salt: string;
  /** Called with errors caused by a missing encryption key. */
  reportMissingKey(error: unknown): boolean;
  /** Read at each call. */
  waitLimits?: Readonly<WaitLimits>;
}

export type TemporalGateway = ReturnType<typeof createTemporalGateway>;

/** The only holder of a Temporal client. Every call has a deadline: Temporal may be down. */
export function createTemporalGateway(
  client: Client,
  taskQueue: string,
  { readArchive, isExportEnabled, salt, reportMissingKey, waitLimits = DEFAULT_WAIT_LIMITS }: GatewayDeps,
) {
  const withDeadline = <T>(call: () => Promise<T>, ms = waitLimits.rpcMs, abortSignal?: AbortSignal): Promise<T> => {
    const callWithDeadline = () => client.withDeadline(Date.now() + ms, call);
    return abortSignal ? client.withAbortSignal(abortSignal, callWithDeadline) : callWithDeadline();
  };
  const write = <T>(call: () => Promise<T>): Promise<T> => withKnownOutcome(() => withDeadline(call));
  const { namespace, loadedDataConverter } = client.options;
  const withExportSetting = (state: ConversationState): ConversationState => ({
    ...state,
    exportOnEnd: isExportEnabled || undefined,
  });
  const activePollers = async () => {
    const queue = await withDeadline(() => readTaskQueue(client, taskQueue));
    return queue.pollers.filter(({ build }) => receivesTasks(queue, build));
  };
  const readLastPoll = async () => Math.max(0, ...(await activePollers()).map(({ lastPollAt }) => lastPollAt));
  const workerPresence = createWorkerPresence(readLastPoll, waitLimits);
  const getHandle = (id: string, runId?: string) => client.workflow.getHandle(id, runId);
  const runs = createRunReader({ getHandle, withDeadline, workerPresence, waitLimits });

  return {
    namespace,
    workerPresence,
    readArchive,
    find: runs.find,
    findCachedOpenQuestion: runs.findCachedOpenQuestion,
    ...createHistoryClient({
      service: client.workflowService,
      namespace,
      converter: loadedDataConverter,
      withDeadline,
    }),
    /** Salt of the hashed names in the search index, if names are hashed. */
    salt,

    /**
     * Rejects unless Temporal answers and accepts queries on Parley's search attributes, which takes a moment after
     * registration.
     */
    async ready(): Promise<void> {
      const query = SEARCH_ATTRIBUTE_NAMES.map((name) => `${name} IS NOT NULL`).join(' AND ');
      await withDeadline(() => client.workflowService.countWorkflowExecutions({ namespace, query }));
    },

    /**
     * Counts the workers that polled recently and receive tasks, which excludes builds that are not current. May
     * include one that has just stopped.
     */
    async workers(): Promise<number> {
      const [pollers, absentSince] = await Promise.all([activePollers(), workerPresence.absentSince()]);
      return absentSince === undefined ? new Set(pollers.map(({ identity }) => identity)).size : 0;
    },

    /**
     * Returns how many questions are open, the age of up to a thousand of them, and the backlog of the task queue.
     * Wakes no workflow.
     */
    async backlog(): Promise<BacklogSnapshot> {
      const visibilityQuery = buildVisibilityQuery(STATUS_CLAUSES.waiting_for_input);
      const [pending, page, queues] = await Promise.all([
        this.count(visibilityQuery),
        this.list(visibilityQuery, MAX_SAMPLED_QUESTIONS),
        withDeadline(() => readTaskQueueStats(client, taskQueue, deliveryTaskQueue(taskQueue))),
      ]);
      const questions = page.runs.flatMap(({ memo: { question } }) =>
        question ? [{ agent: question.agent, askedAt: Date.parse(question.askedAt) }] : [],
      );
      return { pending, questions, queues };
    },

    /** Starts a conversation. Returns false if its id is taken, now or within the namespace's retention. */
    async start(state: ConversationState): Promise<boolean> {
      try {
        await write(() =>
          client.workflow.start(CONVERSATION_WORKFLOW_TYPE, {
            ...startOptions(withExportSetting(state), taskQueue),
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
          }),
        );
        return true;
      } catch (error) {
        if ((error as Error).name === 'WorkflowExecutionAlreadyStartedError') return false;
        throw error;
      }
    },

    /** Reopens a finished conversation with a message. If it was just reopened, the message is added to that run. */
    async reopen(state: ConversationState, message: unknown): Promise<void> {
      const options = {
        ...startOptions(withExportSetting(state), taskQueue),
        signal: addMessageSignal,
        signalArgs: [message] as [unknown],
      };
      await write(() =>
        client.workflow.signalWithStart(CONVERSATION_WORKFLOW_TYPE, {
          ...options,
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        }),
      );
    },

    /** Cancels through Temporal, with the same effect as the cancel signal: for a run that accepts no more signals. */
    cancel: (id: string) => write(() => client.workflow.getHandle(id).cancel()),

    /**
     * Sends a signal, which is durable once Temporal accepts it, with or without a worker. Returns false if the
     * conversation has ended.
     */
    async signal(id: string, name: { name: string }, payload: unknown): Promise<boolean> {
      try {
        await write(() => client.workflow.getHandle(id).signal(name.name, payload));
        return true;
      } catch (error) {
        if (isExecutionNotFound(error)) return false;
        throw error;
      }
    },

    /**
     * Returns the result of a finished conversation: its state, or a sub-agent's report; null if it was ended in
     * Temporal.
     */
    async closedResult(run: Execution): Promise<ConversationState | SubagentReport | null> {
      if (run.status !== 'COMPLETED') return null;
      const handle = client.workflow.getHandle<() => Promise<ConversationState | SubagentReport>>(run.id, run.runId, {
        followRuns: false,
      });
      return withDeadline(() => handle.result());
    },

    /** Returns the final state of a finished conversation, or null if it left none. */
    async closedState(run: Execution): Promise<ConversationState | null> {
      const outcome = await this.closedResult(run);
      return outcome && isConversationState(outcome) ? outcome : null;
    },

    queryState: (run: Execution): Promise<Conversation> => runs.query(run, getStateQuery),
    queryTimeline: (run: Execution): Promise<RecentTimeline> => runs.query(run, getTimelineQuery),
    queryTranscript: (run: Execution): Promise<ModelInput> => runs.query(run, getTranscriptQuery),
    queryChanges: (run: Execution, after: number): Promise<ConversationChanges> =>
      runs.query(run, getChangesQuery, after),

    /**
     * Returns a message's result from the state, `null` if it has none. Undefined if that needs a worker and none is
     * present; a repeat is still ignored by the workflow.
     */
    async findMessageResult(run: Execution, id: string): Promise<MessageResult | null | undefined> {
      const state = await this.closedState(run);
      if (state) return state.messageResults.find((result) => result.id === id) ?? null;
      return runs.query(run, getMessageResultQuery, id).catch(ignoreKnownErrors);
    },

    /** Lists a page of runs from Visibility. Wakes no workflow. */
    async list(visibilityQuery: string, pageSize: number, token?: Buffer): Promise<ExecutionPage> {
      const request = { namespace, pageSize, query: visibilityQuery, nextPageToken: token };
      const page = await withDeadline(() => client.workflowService.listWorkflowExecutions(request));
      const rows = page.executions ?? [];
      const decoded = await Promise.all(
        rows.map((row) => readListedExecution(loadedDataConverter, row, reportMissingKey)),
      );
      return {
        runs: decoded
          .filter((run) => run !== undefined && isConversation(run))
          .map((run) => runs.remember(run as Execution)),
        refs: rows.map(executionRefOf),
        unreadable: rows.filter((_, index) => decoded[index] === undefined).map(executionRefOf),
        token: Buffer.from(page.nextPageToken ?? []),
      };
    },

    /** Counts runs in Visibility. */
    async count(visibilityQuery: string): Promise<number> {
      const request = { namespace, query: visibilityQuery };
      const { count } = await withDeadline(() => client.workflowService.countWorkflowExecutions(request));
      return Number(count);
    },

    close: () => client.connection.close(),
  };
}

function ignoreKnownErrors(error: unknown): undefined {
  if (!(error instanceof WorkerUnavailableError || isExecutionNotFound(error))) throw error;
}

function startOptions(state: ConversationState, taskQueue: string) {
  return {
    workflowId: state.id,
    taskQueue,
    args: [state] as [ConversationState],
    memo: { ...buildMemo(state) },
    typedSearchAttributes: initialSearchAttributes(state),
    staticSummary: state.title,
  };
}
