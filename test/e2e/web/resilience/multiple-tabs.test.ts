import type { BrowserContext, Page, Request } from 'playwright-core';
import { eventually } from '#test/support/eventually';
import { createLatch, replyWithQuestion } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRow,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

describe('two tabs of one browser', () => {
  let w: WebFixture;
  beforeAll(async () => {
    w = await startWebFixture({
      script: createReplyScript({
        Name: replyWithQuestion('What name?'),
        Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
      }),
    });
  });
  afterEach(() => w.closePages());
  afterAll(() => w.stop());

  const box = (page: Page) => locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
  /** Streams of the inbox that are open, in any tab. */
  const streamsOf = (context: BrowserContext) => {
    const open = new Set<Request>();
    const end = (request: Request) => void open.delete(request);
    context.on('request', (request) => {
      if (request.url().includes('/v1/questions/events')) open.add(request);
    });
    context.on('requestfailed', end).on('requestfinished', end);
    return (page: Page) => [...open].filter((request) => request.frame().page() === page).length;
  };

  it.each([
    ['the inbox', (id: string) => `/questions/${id}/question-1`],
    ['the conversation', (id: string) => `/conversations/${id}`],
  ])('show in %s what was answered in the other, by whom, and keep what was typed', async (_what, path) => {
    const id = await w.start('Name');
    await w.question(id);
    const other = await w.visit(path(id));
    const mine = await w.pages.beside(other, `${w.url}/conversations/${id}`);
    await box(mine).waitFor();
    await box(other).fill('Half a na');
    await box(mine).fill('Rosa');
    await locateQuestionCard(mine).getByRole('button', { name: 'Send answer' }).click();

    for (const page of [mine, other]) {
      await locateQuestionCard(page).getByText(`Answered by ${w.ann} in the web app`).waitFor();
      expect(await locateQuestionCard(page).getByRole('definition').textContent()).toBe('Rosa');
      expect(await box(page).count()).toBe(0);
    }
    const kept = locateQuestionCard(other).getByRole('region', { name: 'What you had typed' });
    expect(await kept.getByRole('listitem').textContent()).toMatch(/Half a na$/);
    expect(await kept.textContent()).toContain('not sent');
    expect(await locateQuestionCard(mine).getByText('not sent').count()).toBe(0);
    // As a tab does that sends its own before it sees what this one has stored.
    await other.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('parley.draft.')) localStorage.removeItem(key);
    });
    await other.reload();
    expect(await kept.getByRole('listitem').textContent()).toMatch(/Half a na$/);
    await kept.getByRole('button', { name: 'Discard' }).click();
    await kept.waitFor({ state: 'detached' });
  });

  it('show in the one that sent nothing of the other as not sent, though the other heard of it first', async () => {
    const id = await w.start('Name');
    await w.question(id);
    const other = await w.visit('/new');
    await other.context().route('**/v1/questions/events', (route) => route.abort());
    await other.goto(`${w.url}/conversations/${id}`);
    const mine = await w.pages.beside(other, 'about:blank');
    // Nothing but the reply to its own answer tells this tab that the question is settled, and that comes last.
    await mine.route('**/v1/conversations/*/events', () => undefined);
    const { hold, release } = createLatch();
    await mine.route('**/answer', async (route) => {
      const response = await route.fetch();
      await hold;
      await route.fulfill({ response });
    });
    await mine.goto(`${w.url}/conversations/${id}`);
    await box(other).fill('Half a na');
    await box(mine).fill('Rosa');
    await locateQuestionCard(mine).getByRole('button', { name: 'Send answer' }).click();
    await locateQuestionCard(other)
      .getByRole('region', { name: 'What you had typed' })
      .getByText('Half a na')
      .waitFor();
    release();
    await locateQuestionCard(mine).getByText(`Answered by ${w.ann} in the web app`).waitFor();
    expect(await locateQuestionCard(mine).getByText('not sent').count()).toBe(0);
  });

  it('listen to the inbox once, and the second takes over when the first is closed', async () => {
    const first = await w.visit('/new');
    const streams = streamsOf(first.context());
    await first.goto(`${w.url}/`);
    await first.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await eventually(() => expect(streams(first)).toBe(1));
    const second = await w.pages.beside(first, `${w.url}/`);
    const id = await w.start('Paint');
    for (const page of [first, second]) await locateInboxRow(page, id).waitFor();
    // On a busy machine the second may take the first for asleep, and listen in its place.
    await eventually(() => expect(streams(first) + streams(second)).toBe(1));
    const [listening, left] = streams(first) === 1 ? [first, second] : [second, first];

    await listening.close();
    await eventually(() => expect(streams(left)).toBe(1));
    const next = await w.start('Paint');
    await locateInboxRow(left, next).waitFor();
  });
});
