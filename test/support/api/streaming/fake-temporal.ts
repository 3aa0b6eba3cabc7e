import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { HistoryPage, PendingActivity } from '#api/temporal/history';
import type { ConversationState } from '#core/conversation/state';
import { buildMemo, selectChanges } from '#core/projections';
import { cloneState, startedConversation } from '#test/support/core/conversation-fixture';

/** Calls that a test answers when it likes, in the order they came. */
class PendingCalls<T> {
  private readonly open: ((value: T) => void)[] = [];
  private wake: () => void = () => undefined;

  take(): Promise<T> {
    return new Promise((resolve) => {
      this.open.push(resolve);
      this.wake();
    });
  }

  /** Somebody waits for an answer. */
  async waiting(): Promise<void> {
    while (this.open.length === 0) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async answer(value: T): Promise<void> {
    await this.waiting();
    this.open.shift()?.(value);
  }
}

export const TASK_COMPLETED_EVENT = { workflowTaskCompletedEventAttributes: {} };

/** A conversation, and a Temporal that does things in an order no real one could be made to keep. */
export class FakeTemporal {
  readonly state = startedConversation();
  readonly pages = new PendingCalls<HistoryPage>();
  readonly reads = new PendingCalls<ConversationState>();
  readonly runs = new PendingCalls<Execution>();
  /** What looks see; while there is nothing, they wait. */
  works: PendingActivity[] | undefined = [];
  readonly looks = new PendingCalls<PendingActivity[]>();
  readonly found: string[] = [];
  readonly queried: string[] = [];
  private events = 0;
  private looked = 0;

  readonly gateway = {
    awaitHistory: () => this.pages.take(),
    queryChanges: async ({ runId }: Execution, after: number) => {
      this.queried.push(runId);
      return selectChanges(await this.reads.take(), after);
    },
    underWay: async () => {
      this.looked += 1;
      return this.works ?? this.looks.take();
    },
    find: (id: string, runId: string) => {
      this.found.push(`${id} ${runId}`);
      return this.runs.take();
    },
    result: async () => cloneState(this.state),
  } as unknown as TemporalGateway;

  run(status: Execution['status']): Execution {
    const { id } = this.state;
    const runs = { runId: 'run-1', firstRunId: 'run-1', historyLength: 0 };
    return { id, ...runs, status, closedAt: null, memo: buildMemo(this.state) };
  }

  happen(...all: object[]): Promise<void> {
    const events = all.map((event) => {
      this.events += 1;
      return { eventId: this.events, ...event };
    });
    return this.pages.answer({
      events: events as unknown as HistoryPage['events'],
      token: new Uint8Array(1),
    });
  }

  /** Looked at so often since. */
  async lookedAt(times: number): Promise<void> {
    const enough = this.looked + times;
    while (this.looked < enough) await new Promise(setImmediate);
  }

  /** What is read now is how it stands now. */
  read(): Promise<void> {
    return this.reads.answer(cloneState(this.state));
  }
}
