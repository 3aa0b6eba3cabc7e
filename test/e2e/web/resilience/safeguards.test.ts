import type { Page } from 'playwright-core';
import { eventually } from '#test/support/eventually';
import { replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRow,
  locateInboxRows,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

const NESTED_QUOTES = `Look:\n\n${'>'.repeat(5_000)} deep`;

describe('the web app is careful with', () => {
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      script: createReplyScript({
        Paint: replyWithQuestion({
          question: 'Which colour?',
          options: [{ label: 'Red' }, { label: 'Blue' }],
          default: 'Red',
        }),
        Build: replyWithQuestion({
          question: 'Which tool?',
          options: [{ label: 'Saw' }, { label: 'Glue' }],
          default: 'Saw',
        }),
        Nest: replyWithText(NESTED_QUOTES),
      }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  const startWithQuestion = async (message: string) => {
    const id = await web.startConversation(message);
    await web.waitForQuestion(id);
    return id;
  };
  const holdEnter = async (page: Page) => {
    for (let i = 0; i < 20; i += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
  };

  it('Enter: pressed twice or held it sends one answer, and never to a question not yet seen', async () => {
    const ids = [await startWithQuestion('Paint'), await startWithQuestion('Build')];
    const page = await web.openPage(`/questions/${ids[0]}/question-1`);
    await locateQuestionCard(page).getByRole('radio', { name: 'Red' }).waitFor();
    await page.keyboard.press('2');
    await holdEnter(page);
    await locateQuestionCard(page).getByRole('heading', { name: 'Which tool?' }).waitFor();
    await holdEnter(page);
    await page.getByRole('radio', { name: 'Saw' }).waitFor();
    expect((await web.getConversation(ids[1] ?? '')).status).toBe('waiting_for_input');
    // Only from this element does Enter send.
    await page.keyboard.press('Enter');
    await web.waitForStatus(ids[1] ?? '', 'completed');
    expect(web.toolResultsFor('Paint')).toHaveLength(1);
  });

  it('single-key shortcuts: they can be disabled, and stay disabled', async () => {
    const id = await startWithQuestion('Paint');
    const page = await web.openPage(`/questions/${id}/question-1`);
    await locateQuestionCard(page).getByRole('radio', { name: 'Red' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: /single-key/ }).uncheck();
    await page.reload();
    await locateQuestionCard(page).getByRole('radio', { name: 'Red' }).waitFor();
    await page.keyboard.press('2');
    await page.keyboard.press('o');
    expect(await locateQuestionCard(page).getByRole('radio', { name: 'Red' }).isChecked()).toBe(true);
    expect(new URL(page.url()).pathname).toBe(`/questions/${id}/question-1`);
    await web.callAs(web.bob)('POST', `/v1/conversations/${id}/cancel`);
  });

  it('a comment: it is kept if someone else gives the same answer', async () => {
    const id = await startWithQuestion('Paint');
    const page = await web.openPage(`/conversations/${id}`);
    await locateQuestionCard(page).getByText('Add a comment').click();
    const comment = locateQuestionCard(page).getByRole('textbox', { name: 'Comment for the agent' });
    await comment.fill('x');
    await comment.fill('');
    await comment.fill('Matt, please');
    await web.callAs(web.bob)('POST', `/v1/conversations/${id}/questions/question-1/answer`, { answer: 'Red' });
    await locateQuestionCard(page).getByText('Comment: Matt, please').waitFor();
  });

  it('a text that takes too long to parse: it is shown as plain text, and the page keeps working', async () => {
    const id = await web.startConversation('Nest');
    await web.waitForStatus(id, 'completed');
    const page = await web.openPage(`/conversations/${id}`);
    await page.getByRole('region', { name: 'Timeline' }).getByText('deep').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Nest' }).waitFor();
  });

  it('users of one computer: the next sees nothing of the previous', async () => {
    const id = await startWithQuestion('Paint');
    const page = await web.openPage(`/questions/${id}/question-1`);
    await locateQuestionCard(page).getByText('Add a comment').click();
    await locateQuestionCard(page).getByRole('textbox', { name: 'Comment for the agent' }).fill('Between us');
    await page.context().clearCookies();
    await page.goto(`${web.url}/questions/${id}/question-1`);
    await page.getByLabel('API key').fill(web.apiKey(web.bob));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await locateQuestionCard(page).getByRole('radio', { name: 'Red' }).waitFor();
    expect(await locateQuestionCard(page).getByText('Between us').count()).toBe(0);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Between us');
    await web.callAs(web.bob)('POST', `/v1/conversations/${id}/cancel`);
  });

  it('errors on the way: other servers are not mistaken for Parley, and it recovers by itself', async () => {
    const id = await startWithQuestion('Paint');
    const page = await web.openPage(`/questions/${id}/question-1`);
    await locateQuestionCard(page).getByRole('radio', { name: 'Red' }).waitFor();
    await page.route('**/v1/**', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad</h1>' }),
    );
    await page.route('**/healthz', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '' }));
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByText("You're offline").waitFor();
    await page.unroute('**/v1/**');
    await page.unroute('**/healthz');
    await eventually(async () => expect(await page.getByText("You're offline").count()).toBe(0));
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await web.waitForStatus(id, 'completed');
  });

  it('the filter: a question that does not match leaves, and the page says that none match', async () => {
    await startWithQuestion('Paint');
    const page = await web.openPage('/');
    await locateInboxRows(page).first().waitFor();
    await page.getByRole('searchbox', { name: 'Filter questions' }).fill('nowhere');
    await page.getByText('No matching questions').waitFor();
    expect(await locateQuestionCard(page).count()).toBe(0);
  });

  it('the filter: a question that someone else answered leaves, too', async () => {
    const id = await startWithQuestion('Paint');
    const page = await web.openPage(`/?search=${id}`);
    await locateInboxRow(page, id).waitFor();
    await web.callAs(web.bob)('POST', `/v1/conversations/${id}/questions/question-1/answer`, { answer: 'Red' });
    await locateQuestionCard(page).getByText('Answered').waitFor();
    await page.getByRole('searchbox', { name: 'Filter questions' }).fill('nowhere');
    await page.getByText('No matching questions').waitFor();
    expect(await locateQuestionCard(page).count()).toBe(0);
  });
});
