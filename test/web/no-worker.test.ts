import { ask } from '../helpers/scripted-model';
import { cardOf, plays, type Web, web } from '../helpers/web';

describe('with no worker running', () => {
  let w: Web;
  beforeAll(async () => {
    w = await web({ worker: false, script: plays({ Name: ask('What name?'), Again: ask('What name?') }) });
  });
  afterAll(() => w.stop());

  const parked = async (message: string) => {
    await w.startWorker();
    const id = await w.start(message);
    await w.question(id);
    await w.stopWorker();
    return id;
  };

  it('a question is shown, its answer is safe, and it is acted on as soon as there is one', async () => {
    const id = await parked('Name');
    const page = await w.visit(`/conversations/${id}`);
    await page.getByText('No worker is running just now, so what was said before cannot be shown').waitFor();
    await cardOf(page).getByRole('textbox', { name: 'What name?' }).fill('Rosa');
    await cardOf(page).getByRole('button', { name: 'Send answer' }).click();
    await cardOf(page).getByText('Your answer is safe').waitFor();
    await page.reload();
    await cardOf(page).getByText('Your answer is safe').waitFor();
    expect(w.heard('Name')).toEqual([]);

    await w.startWorker();
    await cardOf(page).getByText(`Answered by ${w.ann} in the web app`).waitFor();
    await page.getByText('Heard {"answers":{"What name?":"Rosa"}}').first().waitFor();
    expect(await page.getByText('No worker is running').count()).toBe(0);
    expect(await cardOf(page).getByText('not sent').count()).toBe(0);
    expect(w.heard('Name')).toHaveLength(1);
    await w.stopWorker();
  });

  it('somebody may write, and is not disturbed when one starts', async () => {
    const id = await parked('Again');
    const page = await w.visit(`/conversations/${id}`);
    await cardOf(page).getByRole('textbox', { name: 'What name?' }).click();
    await page.keyboard.type('Ro');
    await w.startWorker();
    await page.getByText('Message: Again').waitFor();
    await page.keyboard.type('sa');
    expect(await cardOf(page).getByRole('textbox', { name: 'What name?' }).inputValue()).toBe('Rosa');
  });
});
