import type { Page } from 'playwright-core';
import { type Cuttable, cuttable } from '#test/support/cuttable';
import { ask } from '#test/support/scripted-model';
import { cardOf, plays, rowsOf, signedIn, type Web, web } from '#test/support/web';

describe('somebody whose network is cut', () => {
  let w: Web;
  let way: Cuttable;
  beforeAll(async () => {
    w = await web({
      script: plays({
        Name: ask('What name?'),
        Again: ask('What name now?'),
        Once: ask('Which word?'),
        Paint: ask('Which colour?', 'Red', 'Blue'),
      }),
    });
    way = await cuttable(w.url);
  });
  afterEach(() => way.mend());
  afterAll(async () => {
    await way.stop();
    await w.stop();
  });

  const visit = async (path: string) =>
    w.pages.open(way.url + path, { storageState: await signedIn(w, w.ann) });
  const banner = (page: Page) => page.getByRole('status').getByText('Parley cannot be reached just now');
  const send = (page: Page) => cardOf(page).getByRole('button', { name: 'Send answer' });

  it('is told so, loses nothing, and goes on where it was when it is back', async () => {
    const id = await w.start('Name');
    await w.question(id);
    const page = await visit(`/questions/${id}/question-1`);
    const box = cardOf(page).getByRole('textbox', { name: 'What name?' });
    await box.fill('Ro');
    await rowsOf(page).getByText('What name?').waitFor();

    way.cut();
    await banner(page).waitFor();
    await box.pressSequentially('sa');
    await send(page).click();
    await cardOf(page).getByRole('alert').getByText('What you wrote is kept here').waitFor();
    expect(await box.inputValue()).toBe('Rosa');
    const meanwhile = await w.start('Paint');
    await w.question(meanwhile);

    way.mend();
    await banner(page).waitFor({ state: 'detached' });
    await rowsOf(page).getByText('Which colour?').waitFor();
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
    await cardOf(page).getByRole('textbox', { name: 'What name now?' }).fill('Rosa');
    way.loseReplies();
    await send(page).click();
    await w.until(id, 'completed');
    await cardOf(page).getByRole('alert').getByText('It counts once').waitFor();
    way.mend();
    await cardOf(page).getByText(`Answered by ${w.ann} in the web app`).waitFor();
    expect(await cardOf(page).getByText('not sent').count()).toBe(0);
    await page.getByText('Heard {"answers":{"What name now?":"Rosa"}}').first().waitFor();
    expect(w.heard('Again')).toHaveLength(1);
  });

  it('sends again after a reload what had arrived, and it is known to be the same', async () => {
    const id = await w.start('Once');
    await w.question(id);
    const page = await visit('/new');
    await page.route(/\/events(\?|$)/, (route) => route.abort());
    await page.goto(`${way.url}/questions/${id}/question-1`);
    await cardOf(page).getByRole('textbox', { name: 'Which word?' }).fill('Rosebud');
    // It was pending when it was read, and this page hears nothing of what comes after.
    const asked = await w.call('GET', `/v1/conversations/${id}/questions/question-1`);
    await page.route(`**/v1/conversations/${id}/questions/question-1`, (route) =>
      route.fulfill({ json: asked.body }),
    );
    way.loseReplies();
    await send(page).click();
    await w.until(id, 'completed');
    await cardOf(page).getByRole('alert').getByText('It counts once').waitFor();
    way.mend();
    await page.reload();
    await send(page).click();
    await page.getByRole('status').getByText('Answer sent.').waitFor();
    expect(w.heard('Once')).toEqual(['{"answers":{"Which word?":"Rosebud"}}']);
  });
});
