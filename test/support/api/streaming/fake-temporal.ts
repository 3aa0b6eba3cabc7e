import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { HistoryPage, PendingActivity } from '#api/temporal/history';
import type { ConversationState } from '#core/conversation/state';
import { buildMemo, selectChanges } from '#core/projections';
import { cloneState, startedConversation } from '#test/support/core/conversation-fixture';

/** Pending calls, in order of arrival, that the test answers explicitly. */
class PendingCalls<T> {
  private readonly resolvers: ((value: T) => void)[] = [];
  private notifyWaiter: () => void = () => undefined;

  add(): Promise<T> {
    return new Promise((resolve) => {
      this.resolvers.push(resolve);
      this.notifyWaiter();
    });
  }

  /** Resolves when there is a call to answer. */
  async waitForCall(): Promise<void> {
    while (this.resolvers.length === 0) {
      await new Promise<void>((resolve) => {
        this.notifyWaiter = resolve;
      });
    }
  }

  async answer(value: T): Promise<void> {
    await this.waitForCall();
    this.resolvers.shift()?.(value);
  }
}

export const TASK_COMPLETED_EVENT = { workflowTaskCompletedEventAttributes: {} };

/**
 * A conversation and a fake Temporal. The test controls the order of replies, which is impossible with a real server.
 */
export class FakeTemporal {
  readonly state = startedConversation();
  readonly historyPages = new PendingCalls<HistoryPage>();
  readonly stateReads = new PendingCalls<ConversationState>();
  readonly executions = new PendingCalls<Execution>();
  /** What reads of pending activities return; while `undefined`, they wait for `activityReads`. */
  pendingActivities: PendingActivity[] | undefined = [];
  readonly activityReads = new PendingCalls<PendingActivity[]>();
  readonly foundRuns: string[] = [];
  readonly queriedRuns: string[] = [];
  private eventCount = 0;
  private activityReadCount = 0;

  readonly gateway = {
    pollHistory: () => this.historyPages.add(),
    queryChanges: async ({ runId }: Execution, after: number) => {
      this.queriedRuns.push(runId);
      return selectChanges(await this.stateReads.add(), after);
    },
    pendingActivities: async () => {
      this.activityReadCount += 1;
      return this.pendingActivities ?? this.activityReads.add();
    },
    find: (id: string, runId: string) => {
      this.foundRuns.push(`${id} ${runId}`);
      return this.executions.add();
    },
    closedState: async () => cloneState(this.state),
  } as unknown as TemporalGateway;

  run(status: Execution['status']): Execution {
    const { id } = this.state;
    const runs = { runId: 'run-1', firstRunId: 'run-1', historyLength: 0 };
    return { id, ...runs, status, closedAt: null, memo: buildMemo(this.state) };
  }

  emitEvents(...all: object[]): Promise<void> {
    const events = all.map((event) => {
      this.eventCount += 1;
      return { eventId: this.eventCount, ...event };
    });
    return this.historyPages.answer({
      events: events as unknown as HistoryPage['events'],
      token: new Uint8Array(1),
    });
  }

  /** Resolves after that many more reads. */
  async waitForActivityReads(times: number): Promise<void> {
    const wantedCount = this.activityReadCount + times;
    while (this.activityReadCount < wantedCount) await new Promise(setImmediate);
  }

  /** Answers the next state read with the current state. */
  answerStateRead(): Promise<void> {
    return this.stateReads.answer(cloneState(this.state));
  }
}
