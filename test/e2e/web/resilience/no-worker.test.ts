import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { NO_WORKER_MESSAGE } from '#presentation/labels';
import { replyWithQuestion, replyWithToolCalls } from '#test/support/scripted-model';
import { createReplyScript, locateQuestionCard, startWebFixture, type WebFixture } from '#test/support/web/web-fixture';
import { builtInTools } from '#tools/registry';
import { defineActivityTool } from '#tools/tool';

const BOOK = `Call me Ishmael. ${'And so on. '.repeat(3_000)}The end.`;
const fetchBook = defineActivityTool({
  name: 'fetch_book',
  description: 'Fetch a book.',
  input: z.strictObject({}),
  once: false,
  use: async () => BOOK,
});

describe('with no worker running', () => {
  let w: WebFixture;
  let storage: string;
  beforeAll(async () => {
    storage = mkdtempSync(path.join(tmpdir(), 'parley-storage-'));
    w = await startWebFixture({
      ownWorker: true,
      worker: false,
      tools: [...builtInTools, fetchBook],
      env: { PARLEY_RATE_LIMIT: '10000', PARLEY_STORAGE: `file://${storage}` },
      script: createReplyScript({
        Name: replyWithQuestion('What name?'),
        Again: replyWithQuestion('What name?'),
        Book: replyWithToolCalls({ name: 'fetch_book', input: {} }),
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
    await page.getByText(NO_WORKER_MESSAGE).waitFor();
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
    await locateQuestionCard(page).getByRole('textbox', { name: 'What name?' }).fill('Rosa');
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await locateQuestionCard(page).getByText('Your answer is safe').waitFor();
    await page.reload();
    await locateQuestionCard(page).getByText('Your answer is safe').waitFor();
    expect(w.heard('Name')).toEqual([]);

    await w.startWorker();
    await locateQuestionCard(page).getByText(`Answered by ${w.ann} in the web app`).waitFor();
    await page.getByText('Heard {"answers":{"What name?":"Rosa"}}').first().waitFor();
    expect(await page.getByText('No worker is running').count()).toBe(0);
    expect(await locateQuestionCard(page).getByText('not sent').count()).toBe(0);
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
    await page.getByText(`This is the beginning of ${BOOK.length.toLocaleString('en')} characters.`).waitFor();
    const entry = page.locator('details', { hasText: 'Used fetch_book' });
    expect(await entry.getByText('Kept in full').count()).toBe(0);
    const link = entry.getByRole('link', { name: 'Read all of it' });
    const read = await page.request.get(new URL((await link.getAttribute('href')) ?? '', w.url).href);
    expect([read.status(), await read.text()]).toEqual([200, BOOK]);
  });

  it('somebody may write, and is not disturbed when one starts', async () => {
    const id = await parked('Again');
    const page = await w.visit(`/conversations/${id}`);
    await locateQuestionCard(page).getByRole('textbox', { name: 'What name?' }).click();
    await page.keyboard.type('Ro');
    await w.startWorker();
    await page.getByText('Message: Again').waitFor();
    await page.keyboard.type('sa');
    expect(await locateQuestionCard(page).getByRole('textbox', { name: 'What name?' }).inputValue()).toBe('Rosa');
  });
});
