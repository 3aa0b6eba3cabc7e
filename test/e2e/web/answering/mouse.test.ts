import { eventually } from '#test/support/eventually';
import { createLatch, replyWithQuestion } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRows,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

describe('a person with a mouse', () => {
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      script: createReplyScript({
        Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
        Write: replyWithQuestion('What name?'),
      }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  it('sees a question arrive and answers it with a comment, which the agent gets exactly', async () => {
    const page = await web.openPage('/');
    await page.getByRole('heading', { name: "You're all caught up" }).waitFor();
    expect(await page.title()).toBe('Inbox · Parley');

    const startPage = await web.pages.openTab(page, `${web.url}/new`);
    await startPage.getByRole('radio', { name: web.agent }).check();
    await startPage.getByRole('textbox', { name: 'Message' }).fill('Paint');
    await startPage.getByRole('button', { name: 'Start' }).click();
    await startPage.waitForURL('**/conversations/*');
    const id = new URL(startPage.url()).pathname.split('/')[2] ?? '';
    const card = locateQuestionCard(page);
    await card.getByRole('radio', { name: 'Blue' }).click();
    const icon = page.locator('link[rel="icon"]');
    await eventually(async () => {
      expect(await locateInboxRows(page).allTextContents()).toEqual([expect.stringContaining('Which colour?')]);
      expect(await page.title()).toBe('(1) Inbox · Parley');
      const href = decodeURIComponent((await icon.getAttribute('href')) ?? '');
      expect(href).toMatch(/^data:image\/svg.*>1<\/text>/);
      expect(await page.getByRole('link', { name: 'Inbox 1 waiting' }).count()).toBe(1);
    });

    await card.getByText('Add a comment').click();
    await card.getByLabel('Comment for the agent').fill('A dark one');
    await card.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('status').getByText('Answer sent').waitFor();
    await page.getByRole('heading', { name: "You're all caught up" }).waitFor();
    await eventually(async () => {
      expect(await locateInboxRows(page).count()).toBe(0);
      expect(await page.title()).toBe('Inbox · Parley');
      expect(await icon.getAttribute('href')).toBe('/favicon.svg');
    });

    await web.waitForStatus(id, 'completed');
    const used = /^2 model calls · [\d,]+ tokens( \(\d+% cached\))? · \$[\d.]+$/;
    await startPage.locator('aside dd', { hasText: used }).first().waitFor({ state: 'attached' });
    expect(web.toolResultsFor('Paint').map((text) => JSON.parse(text))).toEqual([
      { answers: { 'Which colour?': 'Blue' }, comment: 'A dark one' },
    ]);
    const { items } = (await web.call<{ items: { outcome: object }[] }>('GET', `/v1/conversations/${id}/questions`))
      .body;
    expect(items[0]?.outcome).toMatchObject({ by: web.ann, via: 'web' });
  });

  it('sends once on a double click or a double Enter', async () => {
    const id = await web.startConversation('Write');
    await web.waitForQuestion(id);
    const page = await web.openPage(`/questions/${id}/question-1`);
    const { hold, release } = createLatch();
    const postedUrls: string[] = [];
    await page.route('**/answer', async (route) => {
      postedUrls.push(route.request().url());
      await hold;
      await route.continue();
    });
    const nameInput = locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
    await nameInput.fill('Rosa');
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).dblclick();
    const send = locateQuestionCard(page).getByRole('button', { name: 'Sending…' });
    await send.click({ clickCount: 2, force: true });
    await send.press('Enter');
    await nameInput.press('Control+Enter');
    await nameInput.press('Control+Enter');
    release();
    await page.getByRole('status').getByText('Answer sent').waitFor();
    await web.waitForStatus(id, 'completed');
    expect(postedUrls).toHaveLength(1);
    expect(web.toolResultsFor('Write')).toEqual(['{"answers":{"What name?":"Rosa"}}']);
  });
});
