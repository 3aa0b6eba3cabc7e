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

describe('the web app is careful', () => {
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

  it('with Enter: pressed twice or held down it sends one answer, and never to a question nobody has read', async () => {
    const ids = [await startWithQuestion('Paint'), await startWithQuestion('Build')];
    const page = await web.openPage(`/questions/${ids[0]}/question-1`);
    await locateQuestionCard(page).getByRole('radio', { name: 'Red' }).waitFor();
    await page.keyboard.press('2');
    await holdEnter(page);
    await locateQuestionCard(page).getByRole('heading', { name: 'Which tool?' }).waitFor();
    await holdEnter(page);
    await page.getByRole('radio', { name: 'Saw' }).waitFor();
    expect((await web.getConversation(ids[1] ?? '')).status).toBe('waiting_for_input');
    // There, and only there, it sends.
    await page.keyboard.press('Enter');
    await web.waitForStatus(ids[1] ?? '', 'completed');
    expect(web.toolResultsFor('Paint')).toHaveLength(1);
  });

  it('with letters: whoever does not want them to act switches them off, and it stays so', async () => {
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

  it('with a comment: it is kept when somebody else gives the same answer', async () => {
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

  it('with a text nobody could parse: it is shown as it was typed, and the page lives', async () => {
    const id = await web.startConversation('Nest');
    await web.waitForStatus(id, 'completed');
    const page = await web.openPage(`/conversations/${id}`);
    await page.getByRole('region', { name: 'Timeline' }).getByText('deep').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Nest' }).waitFor();
  });

  it('with who is at the screen: the next person sees nothing of the last', async () => {
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

  it('with trouble on the way: what is not Parley is told from Parley, and it is back by itself', async () => {
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

  it('with the filter: a question that does not fit it goes, and one reads that none does', async () => {
    await startWithQuestion('Paint');
    const page = await web.openPage('/');
    await locateInboxRows(page).first().waitFor();
    await page.getByRole('searchbox', { name: 'Filter questions' }).fill('nowhere');
    await page.getByText('No matching questions').waitFor();
    expect(await locateQuestionCard(page).count()).toBe(0);
  });

  it('with the filter: a question that somebody else has answered goes, too', async () => {
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
