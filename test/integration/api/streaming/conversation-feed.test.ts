import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStreamHub } from '#api/streaming/hub';
import type { PendingActivity } from '#api/temporal/history';
import { FakeTemporal, TASK_COMPLETED_EVENT } from '#test/support/api/streaming/fake-temporal';
import { cloneState, modelSays, toolUse } from '#test/support/core/conversation-fixture';
import { isEventNamed, listEventNames, watchConversationEvents } from '#test/support/sse-client';

const writing = (id: string, text: string): PendingActivity[] => [{ id, type: 'think', told: { text } }];
const scheduled = (activityId: string) => ({
  activityTaskScheduledEventAttributes: { activityType: { name: 'think' }, activityId },
});
const completed = (scheduledEventId: number) => ({
  activityTaskCompletedEventAttributes: { scheduledEventId },
});

describe('a watched conversation', () => {
  let close: () => Promise<unknown> = async () => undefined;
  afterEach(() => close());

  async function watched(stage: FakeTemporal) {
    const link = { self: '', events: '', web: '', temporal: '' };
    const live = createStreamHub(stage.gateway, () => link, { textEveryMs: 1 });
    const run = stage.run('RUNNING');
    const server = createServer((request, response) => {
      void live.followConversation(run, undefined, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = async () => {
      await live.stop();
      server.close();
    };
    const watching = watchConversationEvents(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, run.id);
    await stage.read();
    const watcher = await watching;
    await watcher.until(isEventNamed('snapshot'));
    const shown = () => watcher.events.map((event) => (event.event === 'delta' ? `"${event.data.text}"` : event.event));
    const text = (wanted: string) => watcher.until((event) => event.event === 'delta' && event.data.text === wanted);
    return { watcher, shown, text };
  }

  it('shows no text of the next message before it has shown the last one', async () => {
    const stage = new FakeTemporal();
    const { shown, text } = await watched(stage);
    await stage.happen(TASK_COMPLETED_EVENT, scheduled('a'));
    await stage.read();
    stage.works = writing('a', 'Once');
    await text('Once');
    modelSays(stage.state, 'Once upon a time', toolUse('call-1', 'write_todos', { todos: [] }));
    await stage.happen(completed(2), TASK_COMPLETED_EVENT, scheduled('b'));
    await stage.reads.waiting();
    stage.works = writing('b', 'There');
    await stage.lookedAt(3);
    await stage.read();
    await text('There');
    expect(shown()).toEqual(['snapshot', '"Once"', 'message', 'todos', '"There"']);
  });

  it('shows no text of a message after it, however late it was seen', async () => {
    const stage = new FakeTemporal();
    const { shown, text, watcher } = await watched(stage);
    await stage.happen(TASK_COMPLETED_EVENT, scheduled('a'));
    await stage.read();
    stage.works = writing('a', 'Once');
    await text('Once');
    // This look is begun before the message is there, and over only after it.
    stage.works = undefined;
    await stage.looks.waiting();
    modelSays(stage.state, 'Once upon a time');
    // Read because of something else, before its history was.
    await stage.happen(TASK_COMPLETED_EVENT);
    await stage.read();
    await watcher.until(isEventNamed('message'));
    await stage.looks.answer(writing('a', 'Once upon'));
    stage.works = [];
    await stage.lookedAt(3);
    expect(shown()).toEqual(['snapshot', '"Once"', 'message', 'status']);
  });

  it('is read in the run it rolled over from where the new one has dropped what nobody was shown yet', async () => {
    const stage = new FakeTemporal();
    const { watcher } = await watched(stage);
    modelSays(stage.state, 'Long', toolUse('call-1', 'write_todos', { todos: [] }));
    await stage.happen(TASK_COMPLETED_EVENT, {
      workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: 'run-2' },
    });
    const dropped = { ...cloneState(stage.state), entries: [], truncated: true };
    await stage.reads.answer(dropped);
    await stage.read();
    await watcher.until(isEventNamed('todos'));
    expect(listEventNames(watcher.events)).toEqual(['1 snapshot', '2 message', '3 todos']);
    expect(stage.queried).toEqual(['run-1', 'run-2', 'run-1']);
    await stage.happen(TASK_COMPLETED_EVENT);
    modelSays(stage.state, 'Done');
    await stage.reads.answer({ ...cloneState(stage.state), entries: stage.state.entries.slice(-2) });
    await watcher.until(isEventNamed('status'));
    expect(listEventNames(watcher.events).slice(3)).toEqual(['4 message', '5 status']);
    expect(stage.queried.slice(3)).toEqual(['run-2']);
  });

  it('is read to its end in the run that ended, whatever has become of the conversation', async () => {
    const stage = new FakeTemporal();
    const { watcher } = await watched(stage);
    modelSays(stage.state, 'Done');
    await stage.happen(TASK_COMPLETED_EVENT, { workflowExecutionCompletedEventAttributes: {} });
    await stage.runs.answer(stage.run('COMPLETED'));
    await watcher.ended;
    expect(stage.found).toEqual([`${stage.state.id} run-1`]);
    expect(listEventNames(watcher.events)).toEqual(['1 snapshot', '2 message', '3 status', 'done']);
  });
});
