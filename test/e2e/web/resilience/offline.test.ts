import type { Page } from 'playwright-core';
import { replyWithQuestion } from '#test/support/scripted-model';
import { startTcpProxy, type TcpProxy } from '#test/support/tcp-proxy';
import {
  createReplyScript,
  createSignedInState,
  locateInboxRows,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

describe('somebody whose network is cut', () => {
  let w: WebFixture;
  let way: TcpProxy;
  beforeAll(async () => {
    w = await startWebFixture({
      script: createReplyScript({
        Name: replyWithQuestion('What name?'),
        Again: replyWithQuestion('What name now?'),
        Once: replyWithQuestion('Which word?'),
        Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
      }),
    });
    way = await startTcpProxy(w.url);
  });
  afterEach(() => way.mend());
  afterAll(async () => {
    await way.stop();
    await w.stop();
  });

  const visit = async (path: string) =>
    w.pages.open(way.url + path, { storageState: await createSignedInState(w, w.ann) });
  const banner = (page: Page) => page.getByRole('status').getByText('Parley cannot be reached just now');
  const send = (page: Page) => locateQuestionCard(page).getByRole('button', { name: 'Send answer' });

  it('is told so, loses nothing, and goes on where it was when it is back', async () => {
    const id = await w.start('Name');
    await w.question(id);
    const page = await visit(`/questions/${id}/question-1`);
    const box = locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
    await box.fill('Ro');
    await locateInboxRows(page).getByText('What name?').waitFor();

    way.cut();
    await banner(page).waitFor();
    await box.pressSequentially('sa');
    await send(page).click();
    await locateQuestionCard(page).getByRole('alert').getByText('What you wrote is kept here').waitFor();
    expect(await box.inputValue()).toBe('Rosa');
    const meanwhile = await w.start('Paint');
    await w.question(meanwhile);

    way.mend();
    await banner(page).waitFor({ state: 'detached' });
    await locateInboxRows(page).getByText('Which colour?').waitFor();
    expect(await box.inputValue()).toBe('Rosa');
    await send(page).click();
    await page.getByRole('status').getByText('Answer sent.').waitFor();
    await w.until(id, 'completed');
    expect(w.heard('Name')).toEqual(['{"answers":{"What name?":"Rosa"}}']);
  });

  it('is not told twice and sends nothing twice where only the replies were lost', async () => {
    const id = await w.start('Again');
    await w.question(id);
    const page = await visit(`/conversations/${id}`);
    await locateQuestionCard(page).getByRole('textbox', { name: 'What name now?' }).fill('Rosa');
    way.loseReplies();
    await send(page).click();
    await w.until(id, 'completed');
    await locateQuestionCard(page).getByRole('alert').getByText('It counts once').waitFor();
    way.mend();
    await locateQuestionCard(page).getByText(`Answered by ${w.ann} in the web app`).waitFor();
    expect(await locateQuestionCard(page).getByText('not sent').count()).toBe(0);
    await page.getByText('Heard {"answers":{"What name now?":"Rosa"}}').first().waitFor();
    expect(w.heard('Again')).toHaveLength(1);
  });

  it('sends again after a reload what had arrived, and it is known to be the same', async () => {
    const id = await w.start('Once');
    await w.question(id);
    const page = await visit('/new');
    await page.route(/\/events(\?|$)/, (route) => route.abort());
    await page.goto(`${way.url}/questions/${id}/question-1`);
    await locateQuestionCard(page).getByRole('textbox', { name: 'Which word?' }).fill('Rosebud');
    // It was pending when it was read, and this page hears nothing of what comes after.
    const asked = await w.call('GET', `/v1/conversations/${id}/questions/question-1`);
    await page.route(`**/v1/conversations/${id}/questions/question-1`, (route) => route.fulfill({ json: asked.body }));
    way.loseReplies();
    await send(page).click();
    await w.until(id, 'completed');
    await locateQuestionCard(page).getByRole('alert').getByText('It counts once').waitFor();
    way.mend();
    await page.reload();
    await send(page).click();
    await page.getByRole('status').getByText('Answer sent.').waitFor();
    expect(w.heard('Once')).toEqual(['{"answers":{"Which word?":"Rosebud"}}']);
  });
});
