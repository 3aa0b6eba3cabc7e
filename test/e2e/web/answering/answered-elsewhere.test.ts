import type { Page } from 'playwright-core';
import type { Question } from '#contract/question';
import { replyWithQuestion } from '#test/support/scripted-model';
import { createReplyScript, locateQuestionCard, startWebFixture, type WebFixture } from '#test/support/web/web-fixture';

describe('a question that is closed while it is being answered', () => {
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
  const unsentDraft = (page: Page) => locateQuestionCard(page).getByRole('region', { name: 'Unsent draft' });
  const answerAsBob = (id: string) =>
    web.callAs(web.bob)('POST', `/v1/conversations/${id}/questions/question-1/answer`, { answer: 'Bruno' });
  /** Opens a page that shows the question as given here and receives no updates. */
  const visitWithoutUpdates = async (question: Question) => {
    const { conversationId, id } = question;
    const page = await web.openPage('/new');
    await page.route(/\/events(\?|$)/, (route) => route.abort());
    await page.route(`**/v1/conversations/${conversationId}/questions/${id}`, (route) =>
      route.fulfill({ json: question }),
    );
    await page.goto(`${web.url}/questions/${conversationId}/${id}`);
    return page;
  };
  const startWithQuestion = async (options = {}) => {
    const id = await web.startConversation('Name', options);
    await web.waitForQuestion(id);
    return id;
  };

  it('shows who answered and how, and keeps the draft', async () => {
    const id = await startWithQuestion();
    const page = await web.openPage(`/conversations/${id}`);
    await nameInput(page).fill('Half a na');
    expect((await answerAsBob(id)).status).toBe(200);
    const outcomeText = new RegExp(`^Answered by ${web.bob} over HTTP · (just now|.* ago)$`);
    await locateQuestionCard(page).getByText(outcomeText).waitFor();
    expect(await locateQuestionCard(page).getByRole('definition').textContent()).toBe('Bruno');
    expect(await unsentDraft(page).getByRole('listitem').textContent()).toMatch(/Half a na$/);
    expect(await nameInput(page).count()).toBe(0);
  });

  it('tells a late sender who answered first, even if no event arrived', async () => {
    const id = await startWithQuestion();
    const page = await visitWithoutUpdates(await web.waitForQuestion(id));
    await nameInput(page).fill('Rosa');
    await answerAsBob(id);
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await locateQuestionCard(page).getByText(`Answered by ${web.bob} over HTTP`).waitFor();
    expect(await unsentDraft(page).getByRole('listitem').textContent()).toMatch(/Rosa$/);
    expect(new URL(page.url()).pathname).toBe(`/questions/${id}/question-1`);
    await web.waitForStatus(id, 'completed');
    expect(web.toolResultsFor('Name')).not.toContainEqual(expect.stringContaining('Rosa'));
  });

  it('says that the deadline passed, and keeps the draft', async () => {
    const id = await web.startConversation('Name', { question: { timeout: '1s' } });
    await web.waitForStatus(id, 'completed');
    const { body: timedOut } = await web.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    const page = await visitWithoutUpdates({ ...timedOut, status: 'pending', outcome: null, expiresAt: null });
    await nameInput(page).fill('Too sl');
    await page.unrouteAll();
    await locateQuestionCard(page).getByText('No answer in time').waitFor();
    expect(await locateQuestionCard(page).getByText('No answer', { exact: true }).count()).toBe(1);
    expect(await unsentDraft(page).getByRole('listitem').textContent()).toMatch(/Too sl$/);
    expect(await nameInput(page).count()).toBe(0);
  });

  it('says that the conversation ended', async () => {
    const id = await startWithQuestion();
    const page = await web.openPage(`/conversations/${id}`);
    await nameInput(page).fill('Half a na');
    await web.callAs(web.bob)('POST', `/v1/conversations/${id}/cancel`, { reason: 'Never mind' });
    await locateQuestionCard(page).getByText('Closed: conversation cancelled').waitFor();
    await unsentDraft(page).getByText('Half a na').waitFor();
  });
});
