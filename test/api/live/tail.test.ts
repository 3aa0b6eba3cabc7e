import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway, HistoryPage } from '../../../src/api/gateway';
import { createLive } from '../../../src/api/live/live';
import type { Run } from '../../../src/api/run';
import type { Work } from '../../../src/api/work';
import type { State } from '../../../src/core/state';
import { changesOf, memoOf } from '../../../src/core/view';
import { copyOf, says, started, use } from '../../core/given';
import { isNamed, told, watch } from '../../helpers/watcher';

/** Calls that a test answers when it likes, in the order they came. */
class Calls<T> {
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

const writing = (id: string, text: string): Work[] => [{ id, type: 'think', told: { text } }];
const taskCompleted = { workflowTaskCompletedEventAttributes: {} };
const scheduled = (activityId: string) => ({
  activityTaskScheduledEventAttributes: { activityType: { name: 'think' }, activityId },
});
const completed = (scheduledEventId: number) => ({
  activityTaskCompletedEventAttributes: { scheduledEventId },
});

/** A conversation, and a Temporal that does things in an order no real one could be made to keep. */
class Stage {
  readonly state = started();
  readonly pages = new Calls<HistoryPage>();
  readonly reads = new Calls<State>();
  readonly runs = new Calls<Run>();
  /** What looks see; while there is nothing, they wait. */
  works: Work[] | undefined = [];
  readonly looks = new Calls<Work[]>();
  readonly found: string[] = [];
  readonly queried: string[] = [];
  private events = 0;
  private looked = 0;

  readonly gateway = {
    awaitHistory: () => this.pages.take(),
    queryChanges: async ({ runId }: Run, after: number) => {
      this.queried.push(runId);
      return changesOf(await this.reads.take(), after);
    },
    underWay: async () => {
      this.looked += 1;
      return this.works ?? this.looks.take();
    },
    find: (id: string, runId: string) => {
      this.found.push(`${id} ${runId}`);
      return this.runs.take();
    },
    result: async () => copyOf(this.state),
  } as unknown as Gateway;

  run(status: Run['status']): Run {
    const { id } = this.state;
    const runs = { runId: 'run-1', firstRunId: 'run-1', historyLength: 0 };
    return { id, ...runs, status, closedAt: null, memo: memoOf(this.state) };
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
    return this.reads.answer(copyOf(this.state));
  }
}

describe('a watched conversation', () => {
  let close: () => Promise<unknown> = async () => undefined;
  afterEach(() => close());

  async function watched(stage: Stage) {
    const link = { self: '', events: '', web: '', temporal: '' };
    const live = createLive(stage.gateway, () => link, { textEveryMs: 1 });
    const run = stage.run('RUNNING');
    const server = createServer((request, response) => {
      void live.followConversation(run, undefined, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = async () => {
      await live.stop();
      server.close();
    };
    const watching = watch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, run.id);
    await stage.read();
    const watcher = await watching;
    await watcher.until(isNamed('snapshot'));
    const shown = () =>
      watcher.events.map((event) => (event.event === 'delta' ? `"${event.data.text}"` : event.event));
    const text = (wanted: string) =>
      watcher.until((event) => event.event === 'delta' && event.data.text === wanted);
    return { watcher, shown, text };
  }

  it('shows no text of the next message before it has shown the last one', async () => {
    const stage = new Stage();
    const { shown, text } = await watched(stage);
    await stage.happen(taskCompleted, scheduled('a'));
    await stage.read();
    stage.works = writing('a', 'Once');
    await text('Once');
    says(stage.state, 'Once upon a time', use('call-1', 'write_todos', { todos: [] }));
    await stage.happen(completed(2), taskCompleted, scheduled('b'));
    await stage.reads.waiting();
    stage.works = writing('b', 'There');
    await stage.lookedAt(3);
    await stage.read();
    await text('There');
    expect(shown()).toEqual(['snapshot', '"Once"', 'message', 'todos', '"There"']);
  });

  it('shows no text of a message after it, however late it was seen', async () => {
    const stage = new Stage();
    const { shown, text, watcher } = await watched(stage);
    await stage.happen(taskCompleted, scheduled('a'));
    await stage.read();
    stage.works = writing('a', 'Once');
    await text('Once');
    // This look is begun before the message is there, and over only after it.
    stage.works = undefined;
    await stage.looks.waiting();
    says(stage.state, 'Once upon a time');
    // Read because of something else, before its history was.
    await stage.happen(taskCompleted);
    await stage.read();
    await watcher.until(isNamed('message'));
    await stage.looks.answer(writing('a', 'Once upon'));
    stage.works = [];
    await stage.lookedAt(3);
    expect(shown()).toEqual(['snapshot', '"Once"', 'message', 'status']);
  });

  it('is read in the run it rolled over from where the new one has dropped what nobody was shown yet', async () => {
    const stage = new Stage();
    const { watcher } = await watched(stage);
    says(stage.state, 'Long', use('call-1', 'write_todos', { todos: [] }));
    await stage.happen(taskCompleted, {
      workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: 'run-2' },
    });
    const dropped = { ...copyOf(stage.state), entries: [], truncated: true };
    await stage.reads.answer(dropped);
    await stage.read();
    await watcher.until(isNamed('todos'));
    expect(told(watcher.events)).toEqual(['1 snapshot', '2 message', '3 todos']);
    expect(stage.queried).toEqual(['run-1', 'run-2', 'run-1']);
    await stage.happen(taskCompleted);
    says(stage.state, 'Done');
    await stage.reads.answer({ ...copyOf(stage.state), entries: stage.state.entries.slice(-2) });
    await watcher.until(isNamed('status'));
    expect(told(watcher.events).slice(3)).toEqual(['4 message', '5 status']);
    expect(stage.queried.slice(3)).toEqual(['run-2']);
  });

  it('is read to its end in the run that ended, whatever has become of the conversation', async () => {
    const stage = new Stage();
    const { watcher } = await watched(stage);
    says(stage.state, 'Done');
    await stage.happen(taskCompleted, { workflowExecutionCompletedEventAttributes: {} });
    await stage.runs.answer(stage.run('COMPLETED'));
    await watcher.ended;
    expect(stage.found).toEqual([`${stage.state.id} run-1`]);
    expect(told(watcher.events)).toEqual(['1 snapshot', '2 message', '3 status', 'done']);
  });
});
