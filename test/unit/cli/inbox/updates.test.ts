import type { CommandContext } from '#cli/context';
import { renderInbox } from '#cli/inbox/render';
import { selectedQuestion } from '#cli/inbox/state';
import { type InboxUpdates, openInboxUpdates } from '#cli/inbox/updates';
import { createTextStyle } from '#cli/render/colors';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { NO_WORKER_MESSAGE } from '#presentation/labels';
import { resolvedSlackQuestion, slackQuestion } from '#test/support/slack/slack-samples';

/** An inbox that says what it is told to say, and knows how its questions stand. */
function inbox(standing: Question[] = [], workers = 1) {
  const waiting: InboxEvent[] = [];
  let wake: () => void = () => undefined;
  const parley = {
    async *inboxEvents() {
      for (;;) {
        while (waiting.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        yield waiting.shift();
      }
    },
    status: async () => ({ workers }),
    question: async (id: string) => standing.find(({ conversationId }) => conversationId === id),
  };
  const news = openInboxUpdates({ parley } as unknown as CommandContext, {});
  const say = (event: InboxEvent) => {
    waiting.push(event);
    wake();
  };
  return { news, say };
}

const snapshot = (...items: Question[]): InboxEvent => ({ event: 'snapshot', data: { items } });
const aborted = (gone: AbortSignal) =>
  new Promise<Question>((resolve) => gone.addEventListener('abort', () => resolve(gone.reason)));
const changed = (news: InboxUpdates) =>
  new Promise<void>((resolve) => {
    news.onChange = resolve;
  });

describe('the news of the inbox', () => {
  it('says that no worker is there to act on an answer, and keeps what came meanwhile', async () => {
    const { news, say } = inbox([], 0);
    say(snapshot(slackQuestion()));
    while (!news.shelf.hasNoWorker || !news.shelf.questions) await changed(news);
    expect(news.shelf.questions).toHaveLength(1);
    const room = { width: 100, height: 24, style: createTextStyle(false), now: Date.now() };
    expect(renderInbox(news.shelf, room, undefined)).toContain(NO_WORKER_MESSAGE);
    expect(renderInbox({ ...news.shelf, hasNoWorker: false }, room, undefined)).not.toContain(NO_WORKER_MESSAGE);
    news.stop();
  });

  it('tells whoever is at a question that it was settled elsewhere', async () => {
    const { news, say } = inbox();
    const asked = slackQuestion();
    const gone = news.during(asked, aborted);
    say({ event: 'question_answered', data: resolvedSlackQuestion(asked) });
    expect(await gone).toMatchObject({ status: 'answered', outcome: { by: 'maria' } });
    expect(news.said).toBeUndefined();
  });

  it('finds out what was settled while the line was down', async () => {
    const asked = slackQuestion();
    const { news, say } = inbox([resolvedSlackQuestion(asked)]);
    const gone = news.during(asked, aborted);
    say(snapshot());
    expect(await gone).toMatchObject({ status: 'answered' });
  });

  it('does not give way for a question that the inbox only does not show yet', async () => {
    const asked = slackQuestion();
    const other = slackQuestion([{}], { conversationId: 'c-2' });
    const { news, say } = inbox([asked]);
    const left = await news.during(asked, async (gone) => {
      say(snapshot());
      say({ event: 'question_pending', data: other });
      while (selectedQuestion(news.shelf)?.conversationId !== 'c-2') await changed(news);
      return gone.aborted;
    });
    expect(left).toBe(false);
  });

  it('says by whom a question was settled that one is no longer at, also one whose answer is kept', async () => {
    const { news, say } = inbox();
    const asked = slackQuestion();
    await news.during(asked, async () => undefined);
    news.tell(asked, true);
    const heard = changed(news);
    say({ event: 'question_answered', data: resolvedSlackQuestion(asked) });
    await heard;
    expect(news.said).toMatch(/^Answered by maria in the web app: /);
  });
});
