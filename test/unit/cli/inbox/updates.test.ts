import type { CommandContext } from '#cli/context';
import { renderInbox } from '#cli/inbox/render';
import { selectedQuestion } from '#cli/inbox/state';
import { InboxUpdates } from '#cli/inbox/updates';
import { createTextStyle } from '#cli/render/colors';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { NO_WORKER_MESSAGE } from '#presentation/labels';
import { resolvedSlackQuestion, slackQuestion } from '#test/support/slack/slack-samples';

/** An inbox with a fake client: the test sends its events, and sets which questions are resolved. */
function openFakeInbox(resolvedQuestions: Question[] = [], workers = 1) {
  const events: InboxEvent[] = [];
  let wake: () => void = () => undefined;
  const parley = {
    async *inboxEvents() {
      for (;;) {
        while (events.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        yield events.shift();
      }
    },
    status: async () => ({ workers }),
    question: async (id: string) => resolvedQuestions.find(({ conversationId }) => conversationId === id),
  };
  const updates = new InboxUpdates({ parley } as unknown as CommandContext, {});
  void updates.checkWorkers();
  const send = (event: InboxEvent) => {
    events.push(event);
    wake();
  };
  return { updates, send };
}

const snapshot = (...items: Question[]): InboxEvent => ({ event: 'snapshot', data: { items } });
const waitForAbort = (resolvedElsewhere: AbortSignal) =>
  new Promise<Question>((resolve) =>
    resolvedElsewhere.addEventListener('abort', () => resolve(resolvedElsewhere.reason)),
  );
const nextChange = (updates: InboxUpdates) =>
  new Promise<void>((resolve) => {
    updates.onChange = resolve;
  });

describe('the live updates of the inbox', () => {
  it('warn that no worker will process an answer, and keep new questions', async () => {
    const { updates, send } = openFakeInbox([], 0);
    send(snapshot(slackQuestion()));
    while (!updates.state.hasNoWorker || !updates.state.questions) await nextChange(updates);
    expect(updates.state.questions).toHaveLength(1);
    const viewport = { width: 100, height: 24, style: createTextStyle(false), now: Date.now() };
    expect(renderInbox(updates.state, viewport, undefined)).toContain(NO_WORKER_MESSAGE);
    expect(renderInbox({ ...updates.state, hasNoWorker: false }, viewport, undefined)).not.toContain(NO_WORKER_MESSAGE);
    updates.stop();
  });

  it('report that the current question was closed elsewhere', async () => {
    const { updates, send } = openFakeInbox();
    const question = slackQuestion();
    const resolvedElsewhere = updates.whileAnswering(question, waitForAbort);
    send({ event: 'question_answered', data: resolvedSlackQuestion(question) });
    expect(await resolvedElsewhere).toMatchObject({ status: 'answered', outcome: { by: 'maria' } });
    expect(updates.notice).toBeUndefined();
  });

  it('report what was closed while the connection was lost', async () => {
    const question = slackQuestion();
    const { updates, send } = openFakeInbox([resolvedSlackQuestion(question)]);
    const resolvedElsewhere = updates.whileAnswering(question, waitForAbort);
    send(snapshot());
    expect(await resolvedElsewhere).toMatchObject({ status: 'answered' });
  });

  it('do not close a question that is only not in the inbox yet', async () => {
    const question = slackQuestion();
    const other = slackQuestion([{}], { conversationId: 'c-2' });
    const { updates, send } = openFakeInbox([question]);
    const isAborted = await updates.whileAnswering(question, async (resolvedElsewhere) => {
      send(snapshot());
      send({ event: 'question_pending', data: other });
      while (selectedQuestion(updates.state)?.conversationId !== 'c-2') await nextChange(updates);
      return resolvedElsewhere.aborted;
    });
    expect(isAborted).toBe(false);
  });

  it('report who closed a question that was left, even one whose answer is saved', async () => {
    const { updates, send } = openFakeInbox();
    const question = slackQuestion();
    await updates.whileAnswering(question, async () => undefined);
    updates.markResolved(question, true);
    const change = nextChange(updates);
    send({ event: 'question_answered', data: resolvedSlackQuestion(question) });
    await change;
    expect(updates.notice).toMatch(/^Answered by maria on the web: /);
  });
});
