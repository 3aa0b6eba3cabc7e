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

const reader = `rita-${randomBytes(4).toString('hex')}`;

describe('somebody signed in with a key', () => {
  let w: WebFixture;
  beforeAll(async () => {
    w = await startWebFixture({
      keys: { [reader]: ['conversations:read'] },
      script: createReplyScript({ Name: replyWithQuestion('What name?') }),
    });
  });
  afterEach(() => w.closePages());
  afterAll(() => w.stop());

  const box = (page: Page) => locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
  const parked = async (more = {}) => {
    const id = await w.start('Name', more);
    await w.question(id);
    return id;
  };
  const key = (page: Page) => page.getByLabel('API key');
  const signIn = async (page: Page) => {
    await key(page).fill(w.key(w.ann));
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it('begins with the key, is told of a wrong one, and gets to where the link led', async () => {
    const id = await parked();
    const page = await w.pages.open(`${w.url}/questions/${id}/question-1`);
    await key(page).fill('parley_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This key is not known here').waitFor();
    await signIn(page);
    await box(page).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/questions/${id}/question-1`);
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('that may not answer reads the question, and why there is no form', async () => {
    const id = await parked({ visibleTo: [reader] });
    const page = await w.visit(`/conversations/${id}`, { as: reader });
    await locateQuestionCard(page).getByText('Your key may not answer questions').waitFor();
    expect(await locateQuestionCard(page).getByRole('listitem').allTextContents()).toEqual(['What name?']);
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await locateQuestionCard(page).getByRole('button').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: `Sign out ${reader}` }).waitFor();
  });

  it('that has run out signs in again, and is where it was with what was typed', async () => {
    const id = await parked();
    const page = await w.pages.open('about:blank', { storageState: await createSignedInState(w, w.ann) });
    // With both open, nothing asks for leave by itself any more.
    const streams = [/questions\/events$/, /conversations\/.*\/events$/].map((url) => page.waitForResponse(url));
    await page.goto(`${w.url}/conversations/${id}`);
    await Promise.all(streams);
    await box(page).fill('Rosa');
    await page.context().clearCookies();
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('status').getByText('What you typed is kept').waitFor();
    expect(await page.getByText('What name?').count()).toBe(0);
    expect((await w.conversation(id)).status).toBe('waiting_for_input');

    await signIn(await w.pages.beside(page, `${w.url}/`));
    await box(page).waitFor();
    expect(await box(page).inputValue()).toBe('Rosa');
    expect(new URL(page.url()).pathname).toBe(`/conversations/${id}`);
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await locateQuestionCard(page).getByText(`Answered by ${w.ann} in the web app`).waitFor();
    await w.until(id, 'completed');
    expect(w.heard('Name')).toHaveLength(1);
  });

  it('leaves nothing that was typed behind when it signs out, in any tab', async () => {
    const id = await parked();
    const page = await w.visit(`/conversations/${id}`);
    const other = await w.pages.beside(page, `${w.url}/conversations/${id}`);
    await box(other).fill('Secret');
    await page.getByRole('button', { name: `Sign out ${w.ann}` }).click();
    for (const tab of [page, other]) await key(tab).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Secret');
    await signIn(page);
    await box(other).waitFor();
    expect(await box(other).inputValue()).toBe('');
    await w.as(w.bob)('POST', `/v1/conversations/${id}/questions/question-1/answer`, { answer: 'Bruno' });
    await locateQuestionCard(other).getByText(`Answered by ${w.bob} over HTTP`).waitFor();
    expect(await other.getByText('Secret').count()).toBe(0);
  });
});
