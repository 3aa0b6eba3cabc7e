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
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      script: createReplyScript({
        Name: replyWithQuestion('What name?'),
        Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
      }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  const nameInput = (page: Page) => locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
  /** Counts the open inbox streams of each tab. */
  const trackInboxStreams = (context: BrowserContext) => {
    const openRequests = new Set<Request>();
    const removeRequest = (request: Request) => void openRequests.delete(request);
    context.on('request', (request) => {
      if (request.url().includes('/v1/questions/events')) openRequests.add(request);
    });
    context.on('requestfailed', removeRequest).on('requestfinished', removeRequest);
    return (page: Page) => [...openRequests].filter((request) => request.frame().page() === page).length;
  };

  it.each([
    ['the inbox', (id: string) => `/questions/${id}/question-1`],
    ['the conversation', (id: string) => `/conversations/${id}`],
  ])('show in %s what was answered in the other, by whom, and keep the draft', async (_what, path) => {
    const id = await web.startConversation('Name');
    await web.waitForQuestion(id);
    const otherTab = await web.openPage(path(id));
    const answeringTab = await web.pages.openTab(otherTab, `${web.url}/conversations/${id}`);
    await nameInput(answeringTab).waitFor();
    await nameInput(otherTab).fill('Half a na');
    await nameInput(answeringTab).fill('Rosa');
    await locateQuestionCard(answeringTab).getByRole('button', { name: 'Send answer' }).click();

    for (const page of [answeringTab, otherTab]) {
      await locateQuestionCard(page).getByText(`Answered by ${web.ann} on the web`).waitFor();
      expect(await locateQuestionCard(page).getByRole('definition').textContent()).toBe('Rosa');
      expect(await nameInput(page).count()).toBe(0);
    }
    const unsentDraft = locateQuestionCard(otherTab).getByRole('region', { name: 'Unsent draft' });
    expect(await unsentDraft.getByRole('listitem').textContent()).toMatch(/Half a na$/);
    expect(await unsentDraft.textContent()).toContain('unsent draft');
    expect(await locateQuestionCard(answeringTab).getByText('unsent draft').count()).toBe(0);
    // Simulates a tab that sends its own draft before it sees the one stored here.
    await otherTab.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('parley.draft.')) localStorage.removeItem(key);
    });
    await otherTab.reload();
    expect(await unsentDraft.getByRole('listitem').textContent()).toMatch(/Half a na$/);
    await unsentDraft.getByRole('button', { name: 'Discard' }).click();
    await unsentDraft.waitFor({ state: 'detached' });
  });

  it('show nothing as unsent in the tab that sent, even if the other heard of the outcome first', async () => {
    const id = await web.startConversation('Name');
    await web.waitForQuestion(id);
    const otherTab = await web.openPage('/new');
    await otherTab.context().route('**/v1/questions/events', (route) => route.abort());
    await otherTab.goto(`${web.url}/conversations/${id}`);
    const answeringTab = await web.pages.openTab(otherTab, 'about:blank');
    // Only the reply to its own answer tells this tab that the question is resolved, and that reply comes last.
    await answeringTab.route('**/v1/conversations/*/events', () => undefined);
    const { hold, release } = createLatch();
    await answeringTab.route('**/answer', async (route) => {
      const response = await route.fetch();
      await hold;
      await route.fulfill({ response });
    });
    await answeringTab.goto(`${web.url}/conversations/${id}`);
    await nameInput(otherTab).fill('Half a na');
    await nameInput(answeringTab).fill('Rosa');
    await locateQuestionCard(answeringTab).getByRole('button', { name: 'Send answer' }).click();
    await locateQuestionCard(otherTab).getByRole('region', { name: 'Unsent draft' }).getByText('Half a na').waitFor();
    release();
    await locateQuestionCard(answeringTab).getByText(`Answered by ${web.ann} on the web`).waitFor();
    expect(await locateQuestionCard(answeringTab).getByText('unsent draft').count()).toBe(0);
  });

  it('share one inbox stream; the second takes over when the first is closed', async () => {
    const first = await web.openPage('/new');
    const countStreams = trackInboxStreams(first.context());
    await first.goto(`${web.url}/`);
    await first.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await eventually(() => expect(countStreams(first)).toBe(1));
    const second = await web.pages.openTab(first, `${web.url}/`);
    const id = await web.startConversation('Paint');
    for (const page of [first, second]) await locateInboxRow(page, id).waitFor();
    // On a busy machine the second tab may assume that the first is suspended, and take over.
    await eventually(() => expect(countStreams(first) + countStreams(second)).toBe(1));
    const [leader, remaining] = countStreams(first) === 1 ? [first, second] : [second, first];

    await leader.close();
    await eventually(() => expect(countStreams(remaining)).toBe(1));
    const next = await web.startConversation('Paint');
    await locateInboxRow(remaining, next).waitFor();
  });
});
