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
  runOnce: false,
  execute: async () => BOOK,
});

describe('with no worker running', () => {
  let web: WebFixture;
  let storageFolder: string;
  beforeAll(async () => {
    storageFolder = mkdtempSync(path.join(tmpdir(), 'parley-storage-'));
    web = await startWebFixture({
      ownWorker: true,
      startsWorker: false,
      tools: [...builtInTools, fetchBook],
      env: { PARLEY_RATE_LIMIT: '10000', PARLEY_STORAGE: `file://${storageFolder}` },
      script: createReplyScript({
        Name: replyWithQuestion('What name?'),
        Again: replyWithQuestion('What name?'),
        Book: replyWithToolCalls({ name: 'fetch_book', input: {} }),
      }),
    });
  });
  afterAll(async () => {
    await web.stop();
    rmSync(storageFolder, { recursive: true, force: true });
  });

  // Runs first, because a worker counts as present for minutes after it stops.
  it('the inbox says so', async () => {
    const page = await web.openPage('/');
    await page.getByText(NO_WORKER_MESSAGE).waitFor();
  });

  const startWithQuestion = async (message: string) => {
    await web.startWorker();
    const id = await web.startConversation(message);
    await web.waitForQuestion(id);
    await web.stopWorker();
    return id;
  };

  it('a question is shown and its answer saved, and the agent continues once a worker runs', async () => {
    const id = await startWithQuestion('Name');
    const page = await web.openPage(`/conversations/${id}`);
    await page.getByText('Earlier messages are unavailable until then').waitFor();
    await locateQuestionCard(page).getByRole('textbox', { name: 'What name?' }).fill('Rosa');
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await locateQuestionCard(page).getByText('Answer saved').waitFor();
    await page.reload();
    await locateQuestionCard(page).getByText('Answer saved').waitFor();
    expect(web.toolResultsFor('Name')).toEqual([]);

    await web.startWorker();
    await locateQuestionCard(page).getByText(`Answered by ${web.ann} on the web`).waitFor();
    await page.getByText('Heard {"answers":{"What name?":"Rosa"}}').first().waitFor();
    expect(await page.getByText('No worker is running').count()).toBe(0);
    expect(await locateQuestionCard(page).getByText('unsent draft').count()).toBe(0);
    expect(web.toolResultsFor('Name')).toHaveLength(1);
    await web.stopWorker();
  });

  it('a large result can be read in full', async () => {
    await web.startWorker();
    const id = await web.startConversation('Book');
    await web.waitForStatus(id, 'completed');
    await web.stopWorker();
    const page = await web.openPage(`/conversations/${id}`);
    await page.getByText('Used fetch_book').click();
    await page.getByText(`Showing the start of ${BOOK.length.toLocaleString('en')} characters.`).waitFor();
    const entry = page.locator('details', { hasText: 'Used fetch_book' });
    expect(await entry.getByText('Full result saved').count()).toBe(0);
    const link = entry.getByRole('link', { name: 'View full result' });
    const response = await page.request.get(new URL((await link.getAttribute('href')) ?? '', web.url).href);
    expect([response.status(), await response.text()]).toEqual([200, BOOK]);
  });

  it('typing is not interrupted when a worker starts', async () => {
    const id = await startWithQuestion('Again');
    const page = await web.openPage(`/conversations/${id}`);
    await locateQuestionCard(page).getByRole('textbox', { name: 'What name?' }).click();
    await page.keyboard.type('Ro');
    await web.startWorker();
    await page.getByText('Message: Again').waitFor();
    await page.keyboard.type('sa');
    expect(await locateQuestionCard(page).getByRole('textbox', { name: 'What name?' }).inputValue()).toBe('Rosa');
  });
});
