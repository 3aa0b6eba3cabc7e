import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLive } from '#api/live/live';
import type { Work } from '#api/work';
import { copyOf, says, use } from '#test/support/core/given';
import { Stage, taskCompleted } from '#test/support/stage';
import { isNamed, told, watch } from '#test/support/watcher';

const writing = (id: string, text: string): Work[] => [{ id, type: 'think', told: { text } }];
const scheduled = (activityId: string) => ({
  activityTaskScheduledEventAttributes: { activityType: { name: 'think' }, activityId },
});
const completed = (scheduledEventId: number) => ({
  activityTaskCompletedEventAttributes: { scheduledEventId },
});

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
