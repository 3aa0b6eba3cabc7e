import { randomBytes } from 'node:crypto';
import { questionsInTimeline } from '#core/timeline';
import { askingConversation } from '#test/support/core/conversation-fixture';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { CONVERSATION_WORKFLOW_TYPE, getTimelineQuery } from '#workflows/messages';

type Signal = [name: string, payload: object];

/** The first task of a run, as if it had just continued as new with its question while no worker was running. */
describe('signals that arrived before the first task of a run', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ ownWorker: true, startsWorker: false });
  });
  afterAll(() => p.stop());

  /** The state of its question once a worker has run. */
  async function standing(signals: Signal[]) {
    const id = `c-${randomBytes(8).toString('hex')}`;
    const { workflow, workflowService, options } = p.client;
    const state = askingConversation(undefined, { timeout: 'never' }, { id });
    const handle = await workflow.start(CONVERSATION_WORKFLOW_TYPE, {
      workflowId: id,
      taskQueue: p.taskQueue,
      args: [state],
    });
    for (const [signalName, payload] of signals) {
      const input = { payloads: [await options.loadedDataConverter.payloadConverter.toPayload(payload)] };
      const workflowExecution = { workflowId: id };
      const { namespace } = options;
      await workflowService.signalWorkflowExecution({ namespace, workflowExecution, signalName, input });
    }
    await p.startWorker();
    const { items } = await handle.query(getTimelineQuery);
    await p.stopWorker();
    // A cancelled one has ended by itself.
    await handle.terminate().catch(() => undefined);
    return questionsInTimeline(items)[0];
  }

  const decline: Signal = ['declineQuestion', { reason: 'No time', via: 'http' }];
  const answer: Signal = ['answerQuestion', { answer: 'Red', via: 'http' }];
  const message: Signal = ['addMessage', { text: 'By the way', via: 'http' }];
  const cancel: Signal = ['cancelConversation', { via: 'http' }];

  it.each<[string, Signal[], string]>([
    ['a decline and then an answer', [decline, answer], 'declined'],
    ['an answer and then a decline', [answer, decline], 'answered'],
    ['a cancel and then an answer', [cancel, answer], 'cancelled'],
    ['two answers', [['answerQuestion', { answer: 'Blue', via: 'http' }], answer], 'answered'],
    ['unknown signals, and then a decline and an answer', [['hello', {}], decline, answer], 'declined'],
    ['a signal name of the SDK, and then a decline and an answer', [['__temporal_x', {}], decline, answer], 'declined'],
  ])('are handled in the order received: %s', async (_what, signals, status) => {
    expect(await standing(signals)).toMatchObject({ status });
  });

  it('are handled in the order received: a message that is an answer, and then an answer', async () => {
    const outcome = { answers: { q1: { other: 'By the way' } } };
    expect(await standing([message, answer])).toMatchObject({ status: 'answered', outcome });
  });
});
