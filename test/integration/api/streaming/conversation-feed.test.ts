import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStreamHub } from '#api/streaming/hub';
import type { PendingActivity } from '#api/temporal/history';
import { FakeTemporal, TASK_COMPLETED_EVENT } from '#test/support/api/streaming/fake-temporal';
import { cloneState, modelSays, toolUse } from '#test/support/core/conversation-fixture';
import { isEventNamed, listEventNames, watchConversationEvents } from '#test/support/sse-client';

const partialText = (id: string, text: string): PendingActivity[] => [{ id, type: 'callModel', heartbeat: { text } }];
const scheduled = (activityId: string) => ({
  activityTaskScheduledEventAttributes: { activityType: { name: 'callModel' }, activityId },
});
const completed = (scheduledEventId: number) => ({
  activityTaskCompletedEventAttributes: { scheduledEventId },
});

describe('a feed of a conversation', () => {
  let close: () => Promise<unknown> = async () => undefined;
  afterEach(() => close());

  async function startWatching(temporal: FakeTemporal) {
    const links = { self: '', events: '', web: '', temporal: '' };
    const streamHub = createStreamHub(temporal.gateway, () => links, { textPollMs: 1 });
    const run = temporal.run('RUNNING');
    const server = createServer((request, response) => {
      void streamHub.followConversation(run, undefined, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = async () => {
      await streamHub.stop();
      server.close();
    };
    const watching = watchConversationEvents(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, run.id);
    await temporal.answerStateRead();
    const watcher = await watching;
    await watcher.waitForEvent(isEventNamed('snapshot'));
    const shownEvents = () =>
      watcher.events.map((event) => (event.event === 'delta' ? `"${event.data.text}"` : event.event));
    const waitForText = (wanted: string) =>
      watcher.waitForEvent((event) => event.event === 'delta' && event.data.text === wanted);
    return { watcher, shownEvents, waitForText };
  }

  it('shows no text of the next message before it has shown the previous one', async () => {
    const temporal = new FakeTemporal();
    const { shownEvents, waitForText } = await startWatching(temporal);
    await temporal.emitEvents(TASK_COMPLETED_EVENT, scheduled('a'));
    await temporal.answerStateRead();
    temporal.pendingActivities = partialText('a', 'Once');
    await waitForText('Once');
    modelSays(temporal.state, 'Once upon a time', toolUse('call-1', 'write_todos', { todos: [] }));
    await temporal.emitEvents(completed(2), TASK_COMPLETED_EVENT, scheduled('b'));
    await temporal.stateReads.waitForCall();
    temporal.pendingActivities = partialText('b', 'There');
    await temporal.waitForActivityReads(3);
    await temporal.answerStateRead();
    await waitForText('There');
    expect(shownEvents()).toEqual(['snapshot', '"Once"', 'message', 'todos', '"There"']);
  });

  it('shows no partial text after its message, however late it arrives', async () => {
    const temporal = new FakeTemporal();
    const { shownEvents, waitForText, watcher } = await startWatching(temporal);
    await temporal.emitEvents(TASK_COMPLETED_EVENT, scheduled('a'));
    await temporal.answerStateRead();
    temporal.pendingActivities = partialText('a', 'Once');
    await waitForText('Once');
    // This poll starts before the message exists, and ends after it.
    temporal.pendingActivities = undefined;
    await temporal.activityReads.waitForCall();
    modelSays(temporal.state, 'Once upon a time');
    // Read for another reason, before its history was.
    await temporal.emitEvents(TASK_COMPLETED_EVENT);
    await temporal.answerStateRead();
    await watcher.waitForEvent(isEventNamed('message'));
    await temporal.activityReads.answer(partialText('a', 'Once upon'));
    temporal.pendingActivities = [];
    await temporal.waitForActivityReads(3);
    expect(shownEvents()).toEqual(['snapshot', '"Once"', 'message', 'status']);
  });

  it('reads the previous run after continue-as-new, if the new one dropped entries not shown yet', async () => {
    const temporal = new FakeTemporal();
    const { watcher } = await startWatching(temporal);
    modelSays(temporal.state, 'Long', toolUse('call-1', 'write_todos', { todos: [] }));
    await temporal.emitEvents(TASK_COMPLETED_EVENT, {
      workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: 'run-2' },
    });
    const dropped = { ...cloneState(temporal.state), entries: [], truncated: true };
    await temporal.stateReads.answer(dropped);
    await temporal.answerStateRead();
    await watcher.waitForEvent(isEventNamed('todos'));
    expect(listEventNames(watcher.events)).toEqual(['1 snapshot', '2 message', '3 todos']);
    expect(temporal.queriedRuns).toEqual(['run-1', 'run-2', 'run-1']);
    await temporal.emitEvents(TASK_COMPLETED_EVENT);
    modelSays(temporal.state, 'Done');
    await temporal.stateReads.answer({ ...cloneState(temporal.state), entries: temporal.state.entries.slice(-2) });
    await watcher.waitForEvent(isEventNamed('status'));
    expect(listEventNames(watcher.events).slice(3)).toEqual(['4 message', '5 status']);
    expect(temporal.queriedRuns.slice(3)).toEqual(['run-2']);
  });

  it('reads a run to its end, whatever happened to the conversation since', async () => {
    const temporal = new FakeTemporal();
    const { watcher } = await startWatching(temporal);
    modelSays(temporal.state, 'Done');
    await temporal.emitEvents(TASK_COMPLETED_EVENT, { workflowExecutionCompletedEventAttributes: {} });
    await temporal.executions.answer(temporal.run('COMPLETED'));
    await watcher.closed;
    expect(temporal.foundRuns).toEqual([`${temporal.state.id} run-1`]);
    expect(listEventNames(watcher.events)).toEqual(['1 snapshot', '2 message', '3 status', 'done']);
  });
});
