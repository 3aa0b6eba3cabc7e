import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { replyWithQuestion } from '#test/support/scripted-model';
import {
  createReplyScript,
  createSignedInState,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

const readOnlyPerson = `rita-${randomBytes(4).toString('hex')}`;

describe('a person signed in with a key', () => {
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      keys: { [readOnlyPerson]: ['conversations:read'] },
      script: createReplyScript({ Name: replyWithQuestion('What name?') }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  const nameInput = (page: Page) => locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
  const startWithQuestion = async (options = {}) => {
    const id = await web.startConversation('Name', options);
    await web.waitForQuestion(id);
    return id;
  };
  const keyInput = (page: Page) => page.getByLabel('API key');
  const signIn = async (page: Page) => {
    await keyInput(page).fill(web.apiKey(web.ann));
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it('signs in, sees an error for a wrong key, and gets to the page that the link led to', async () => {
    const id = await startWithQuestion();
    const page = await web.pages.open(`${web.url}/questions/${id}/question-1`);
    await keyInput(page).fill('parley_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Unknown key').waitFor();
    await signIn(page);
    await nameInput(page).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/questions/${id}/question-1`);
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('that may not answer sees the question, and why there is no form', async () => {
    const id = await startWithQuestion({ visibleTo: [readOnlyPerson] });
    const page = await web.openPage(`/conversations/${id}`, { as: readOnlyPerson });
    await locateQuestionCard(page).getByText('You can view but not answer questions').waitFor();
    expect(await locateQuestionCard(page).getByRole('listitem').allTextContents()).toEqual(['What name?']);
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await locateQuestionCard(page).getByRole('button').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New conversation' }).count()).toBe(0);
    await page.getByRole('button', { name: `Sign out ${readOnlyPerson}` }).waitFor();
  });

  it('whose session has expired signs in again, and is back where they were with the draft', async () => {
    const id = await startWithQuestion();
    const page = await web.pages.open('about:blank', { storageState: await createSignedInState(web, web.ann) });
    // Once both streams are open, the page sends no more authenticated requests.
    const streamResponses = [/questions\/events$/, /conversations\/.*\/events$/].map((url) =>
      page.waitForResponse(url),
    );
    await page.goto(`${web.url}/conversations/${id}`);
    await Promise.all(streamResponses);
    await nameInput(page).fill('Rosa');
    await page.context().clearCookies();
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('status').getByText('your drafts are saved').waitFor();
    expect(await page.getByText('What name?').count()).toBe(0);
    expect((await web.getConversation(id)).status).toBe('waiting_for_input');

    await signIn(await web.pages.openTab(page, `${web.url}/`));
    await nameInput(page).waitFor();
    expect(await nameInput(page).inputValue()).toBe('Rosa');
    expect(new URL(page.url()).pathname).toBe(`/conversations/${id}`);
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await locateQuestionCard(page).getByText(`Answered by ${web.ann} on the web`).waitFor();
    await web.waitForStatus(id, 'completed');
    expect(web.toolResultsFor('Name')).toHaveLength(1);
  });

  it('leaves no draft behind when signing out, in any tab', async () => {
    const id = await startWithQuestion();
    const page = await web.openPage(`/conversations/${id}`);
    const other = await web.pages.openTab(page, `${web.url}/conversations/${id}`);
    await nameInput(other).fill('Secret');
    await page.getByRole('button', { name: `Sign out ${web.ann}` }).click();
    for (const tab of [page, other]) await keyInput(tab).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Secret');
    await signIn(page);
    await nameInput(other).waitFor();
    expect(await nameInput(other).inputValue()).toBe('');
    await web.callAs(web.bob)('POST', `/v1/conversations/${id}/questions/question-1/answer`, { answer: 'Bruno' });
    await locateQuestionCard(other).getByText(`Answered by ${web.bob} over HTTP`).waitFor();
    expect(await other.getByText('Secret').count()).toBe(0);
  });
});
