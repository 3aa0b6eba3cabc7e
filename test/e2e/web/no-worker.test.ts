import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { NO_WORKER } from '#core/words';
import { ask, use } from '#test/support/scripted-model';
import { cardOf, plays, type Web, web } from '#test/support/web';
import { builtIn } from '#tools/registry';
import { activityTool } from '#tools/tool';

const BOOK = `Call me Ishmael. ${'And so on. '.repeat(3_000)}The end.`;
const fetchBook = activityTool({
  name: 'fetch_book',
  description: 'Fetch a book.',
  input: z.strictObject({}),
  once: false,
  use: async () => BOOK,
});

describe('with no worker running', () => {
  let w: Web;
  let storage: string;
  beforeAll(async () => {
    storage = mkdtempSync(path.join(tmpdir(), 'parley-storage-'));
    w = await web({
      ownWorker: true,
      worker: false,
      tools: [...builtIn, fetchBook],
      env: { PARLEY_RATE_LIMIT: '10000', PARLEY_STORAGE: `file://${storage}` },
      script: plays({
        Name: ask('What name?'),
        Again: ask('What name?'),
        Book: use({ name: 'fetch_book', input: {} }),
      }),
    });
  });
  afterAll(async () => {
    await w.stop();
    rmSync(storage, { recursive: true, force: true });
  });

  // First: a worker that was there counts for minutes more.
  it('the inbox says so', async () => {
    const page = await w.visit('/');
    await page.getByText(NO_WORKER).waitFor();
  });

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
    await page.getByText('Until then, what was said before cannot be shown').waitFor();
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

  it('all of a large result can be read', async () => {
    await w.startWorker();
    const id = await w.start('Book');
    await w.until(id, 'completed');
    await w.stopWorker();
    const page = await w.visit(`/conversations/${id}`);
    await page.getByText('Used fetch_book').click();
    await page
      .getByText(`This is the beginning of ${BOOK.length.toLocaleString('en')} characters.`)
      .waitFor();
    const entry = page.locator('details', { hasText: 'Used fetch_book' });
    expect(await entry.getByText('Kept in full').count()).toBe(0);
    const link = entry.getByRole('link', { name: 'Read all of it' });
    const read = await page.request.get(new URL((await link.getAttribute('href')) ?? '', w.url).href);
    expect([read.status(), await read.text()]).toEqual([200, BOOK]);
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
