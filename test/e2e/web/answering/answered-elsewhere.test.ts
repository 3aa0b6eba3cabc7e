import type { Page } from 'playwright-core';
import type { Question } from '#contract/question';
import { replyWithQuestion } from '#test/support/scripted-model';
import { createReplyScript, locateQuestionCard, startWebFixture, type WebFixture } from '#test/support/web/web-fixture';

describe('a question that is settled while somebody fills it in', () => {
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
  const kept = (page: Page) => locateQuestionCard(page).getByRole('region', { name: 'What you had typed' });
  const byBob = (id: string) =>
    w.as(w.bob)('POST', `/v1/conversations/${id}/questions/question-1/answer`, { answer: 'Bruno' });
  /** A page at that question that takes it for as it is given here, and hears no news of it. */
  const uninformed = async (question: Question) => {
    const { conversationId, id } = question;
    const page = await w.visit('/new');
    await page.route(/\/events(\?|$)/, (route) => route.abort());
    await page.route(`**/v1/conversations/${conversationId}/questions/${id}`, (route) =>
      route.fulfill({ json: question }),
    );
    await page.goto(`${w.url}/questions/${conversationId}/${id}`);
    return page;
  };
  const parked = async (more = {}) => {
    const id = await w.start('Name', more);
    await w.question(id);
    return id;
  };

  it('tells who answered, and by what way, and keeps what was typed', async () => {
    const id = await parked();
    const page = await w.visit(`/conversations/${id}`);
    await box(page).fill('Half a na');
    expect((await byBob(id)).status).toBe(200);
    const told = new RegExp(`^Answered by ${w.bob} over HTTP, (just now|.* ago)$`);
    await locateQuestionCard(page).getByText(told).waitFor();
    expect(await locateQuestionCard(page).getByRole('definition').textContent()).toBe('Bruno');
    expect(await kept(page).getByRole('listitem').textContent()).toMatch(/Half a na$/);
    expect(await box(page).count()).toBe(0);
  });

  it('tells whoever sends too late who was quicker, though no news had come', async () => {
    const id = await parked();
    const page = await uninformed(await w.question(id));
    await box(page).fill('Rosa');
    await byBob(id);
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await locateQuestionCard(page).getByText(`Answered by ${w.bob} over HTTP`).waitFor();
    expect(await kept(page).getByRole('listitem').textContent()).toMatch(/Rosa$/);
    expect(new URL(page.url()).pathname).toBe(`/questions/${id}/question-1`);
    await w.until(id, 'completed');
    expect(w.heard('Name')).not.toContainEqual(expect.stringContaining('Rosa'));
  });

  it('tells that nobody answered in time, and keeps what was typed', async () => {
    const id = await w.start('Name', { question: { timeout: '1s' } });
    await w.until(id, 'completed');
    const { body: late } = await w.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    const page = await uninformed({ ...late, status: 'pending', outcome: null, expiresAt: null });
    await box(page).fill('Too sl');
    await page.unrouteAll();
    await locateQuestionCard(page).getByText('Nobody answered in time').waitFor();
    expect(await locateQuestionCard(page).getByText('No answer').count()).toBe(1);
    expect(await kept(page).getByRole('listitem').textContent()).toMatch(/Too sl$/);
    expect(await box(page).count()).toBe(0);
  });

  it('tells that the conversation was ended', async () => {
    const id = await parked();
    const page = await w.visit(`/conversations/${id}`);
    await box(page).fill('Half a na');
    await w.as(w.bob)('POST', `/v1/conversations/${id}/cancel`, { reason: 'Never mind' });
    await locateQuestionCard(page).getByText('No longer needed: the conversation was ended').waitFor();
    await kept(page).getByText('Half a na').waitFor();
  });
});
