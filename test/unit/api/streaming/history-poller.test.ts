import { EMPTY_SUMMARY, reduceHistoryEvents } from '#api/streaming/history-poller';
import { IMMEDIATELY, PollLoop, UNTIL_WOKEN } from '#api/streaming/poll-loop';

type Event = Parameters<typeof reduceHistoryEvents>[1][number];

/** Events as Temporal numbers them, from 1. */
const numbered = (...events: object[]): Event[] =>
  events.map((event, index) => ({ eventId: index + 1, ...event }) as unknown as Event);

const taskCompleted = { workflowTaskCompletedEventAttributes: {} };
const signaled = { workflowExecutionSignaledEventAttributes: {} };
const scheduled = (name: string) => ({
  activityTaskScheduledEventAttributes: { activityType: { name }, activityId: `${name}-id` },
});
const completed = (scheduledEventId: number) => ({
  activityTaskCompletedEventAttributes: { scheduledEventId },
});

describe('the history of a run', () => {
  it('has news if a workflow task completed after the known position', () => {
    const events = numbered(signaled, taskCompleted, signaled);
    expect(reduceHistoryEvents(EMPTY_SUMMARY, events, 0)).toMatchObject({ events: 3, hasChanges: true });
    expect(reduceHistoryEvents(EMPTY_SUMMARY, events, 2)).toMatchObject({ events: 3, hasChanges: false });
    expect(reduceHistoryEvents(EMPTY_SUMMARY, numbered(signaled), 0).hasChanges).toBe(false);
    // A change is reported once.
    expect(reduceHistoryEvents(reduceHistoryEvents(EMPTY_SUMMARY, events, 0), [], 0).hasChanges).toBe(false);
  });

  it('shows which model call is in progress', () => {
    const events = numbered(
      scheduled('callModel'),
      scheduled('runTool'),
      completed(2),
      completed(1),
      scheduled('callModel'),
    );
    const thinking = [1, 2, 3, 4, 5].map(
      (count) => reduceHistoryEvents(EMPTY_SUMMARY, events.slice(0, count), 0).modelCall?.scheduledEventId,
    );
    expect(thinking).toEqual([1, 1, 1, undefined, 5]);
    const page = reduceHistoryEvents(reduceHistoryEvents(EMPTY_SUMMARY, events.slice(0, 2), 0), events.slice(2, 4), 0);
    expect(page.modelCall).toBeUndefined();
  });

  it.each(['Completed', 'Failed', 'Canceled', 'Terminated', 'TimedOut'])('has ended when %s', (how) => {
    const [event] = numbered({ [`workflowExecution${how}EventAttributes`]: {} });
    expect(reduceHistoryEvents(EMPTY_SUMMARY, event ? [event] : [], 0)).toMatchObject({
      ending: 'closed',
      hasChanges: true,
    });
  });

  it('continues in another run after continue-as-new', () => {
    const events = numbered({
      workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: 'next' },
    });
    expect(reduceHistoryEvents(EMPTY_SUMMARY, events, 0).ending).toEqual({ continuedAsRunId: 'next' });
  });
});

describe('a poll loop', () => {
  it('repeats a failed step, and waits as long as a step says, or until it is notified', async () => {
    const failures: unknown[] = [];
    const delays = [IMMEDIATELY, 'fault', UNTIL_WOKEN, 1];
    let steps = 0;
    const loop = new PollLoop(
      async () => {
        const delay = delays[steps++];
        if (delay === UNTIL_WOKEN) setImmediate(() => loop.wake());
        if (steps === delays.length) loop.stop();
        if (typeof delay !== 'number') throw delay;
        return delay;
      },
      (error) => failures.push(error),
    );
    await loop.run();
    expect([steps, failures]).toEqual([4, ['fault']]);
  });
});
