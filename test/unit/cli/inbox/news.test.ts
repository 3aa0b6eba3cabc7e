import type { Context } from '#cli/context';
import { drawInbox } from '#cli/inbox/draw';
import { listen, type News } from '#cli/inbox/news';
import { marked } from '#cli/inbox/shelf';
import { styleFor } from '#cli/text/style';
import type { InboxEvent } from '#contract/event';
import type { Question } from '#contract/question';
import { NO_WORKER } from '#core/words';
import { question, settled } from '#test/support/channels/slack/given';

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
  const news = listen({ parley } as unknown as Context, {});
  const say = (event: InboxEvent) => {
    waiting.push(event);
    wake();
  };
  return { news, say };
}

const snapshot = (...items: Question[]): InboxEvent => ({ event: 'snapshot', data: { items } });
const aborted = (gone: AbortSignal) =>
  new Promise<Question>((resolve) => gone.addEventListener('abort', () => resolve(gone.reason)));
const changed = (news: News) =>
  new Promise<void>((resolve) => {
    news.onChange = resolve;
  });

describe('the news of the inbox', () => {
  it('says that no worker is there to act on an answer, and keeps what came meanwhile', async () => {
    const { news, say } = inbox([], 0);
    say(snapshot(question()));
    while (!news.shelf.hasNoWorker || !news.shelf.questions) await changed(news);
    expect(news.shelf.questions).toHaveLength(1);
    const room = { width: 100, height: 24, style: styleFor(false), now: Date.now() };
    expect(drawInbox(news.shelf, room, undefined)).toContain(NO_WORKER);
    expect(drawInbox({ ...news.shelf, hasNoWorker: false }, room, undefined)).not.toContain(NO_WORKER);
    news.stop();
  });

  it('tells whoever is at a question that it was settled elsewhere', async () => {
    const { news, say } = inbox();
    const asked = question();
    const gone = news.during(asked, aborted);
    say({ event: 'question_answered', data: settled(asked) });
    expect(await gone).toMatchObject({ status: 'answered', outcome: { by: 'maria' } });
    expect(news.said).toBeUndefined();
  });

  it('finds out what was settled while the line was down', async () => {
    const asked = question();
    const { news, say } = inbox([settled(asked)]);
    const gone = news.during(asked, aborted);
    say(snapshot());
    expect(await gone).toMatchObject({ status: 'answered' });
  });

  it('does not give way for a question that the inbox only does not show yet', async () => {
    const asked = question();
    const other = question([{}], { conversationId: 'c-2' });
    const { news, say } = inbox([asked]);
    const left = await news.during(asked, async (gone) => {
      say(snapshot());
      say({ event: 'question_pending', data: other });
      while (marked(news.shelf)?.conversationId !== 'c-2') await changed(news);
      return gone.aborted;
    });
    expect(left).toBe(false);
  });

  it('says by whom a question was settled that one is no longer at, also one whose answer is kept', async () => {
    const { news, say } = inbox();
    const asked = question();
    await news.during(asked, async () => undefined);
    news.tell(asked, true);
    const heard = changed(news);
    say({ event: 'question_answered', data: settled(asked) });
    await heard;
    expect(news.said).toMatch(/^Answered by maria in the web app: /);
  });
});
