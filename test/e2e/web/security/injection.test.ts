import type { Page } from 'playwright-core';
import { eventually } from '#test/support/eventually';
import type { TestParley } from '#test/support/parley/start-parley';
import { type BrowserPages, openBrowserPages } from '#test/support/web/browser';
import {
  ALL_HOSTILE_TEXT,
  HOSTILE_MARKDOWN,
  HOSTILE_MARKUP,
  HOSTILE_TEXTS,
  startHostileParley,
  submitHostileTexts,
} from '#test/support/web/hostile-content';
import { countTextOccurrences, findInjectedElements } from '#test/support/web/injection-checks';

const NOTHING_INJECTED = {
  scriptRuns: 0,
  dialogCount: 0,
  externalRequests: [] as string[],
  injectedElements: [] as string[],
};

describe('hostile markup in a text', () => {
  let parley: TestParley & { releaseReply: () => void };
  let pages: BrowserPages;
  let page: Page;
  const observed = { scriptRuns: 0, dialogCount: 0, externalRequests: [] as string[] };
  beforeAll(async () => {
    [parley, pages] = await Promise.all([startHostileParley(), openBrowserPages()]);
    page = await pages.open('about:blank', { viewport: { width: 1280, height: 900 } });
    await page.context().exposeFunction('canary', () => {
      observed.scriptRuns += 1;
    });
    page.on('dialog', (dialog) => {
      observed.dialogCount += 1;
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(parley.url) && !request.url().startsWith('data:'))
        observed.externalRequests.push(request.url());
    });
    // Agent descriptions come from the operator's files; here they are hostile.
    const { items } = (await parley.call<{ items: object[] }>('GET', '/v1/agents')).body;
    const json = { items: items.map((item) => ({ ...item, description: ALL_HOSTILE_TEXT })) };
    // Fulfilling fails if the page has navigated away, which is fine.
    await page.route('**/v1/agents', (route) => route.fulfill({ json }).catch(() => undefined));
  });
  afterAll(async () => {
    await pages.close();
    await parley.stop();
  });

  async function openPage(path: string, readySelector: string): Promise<void> {
    await page.goto(`${parley.url}${path}`, { waitUntil: 'domcontentloaded' });
    await page.locator(readySelector).first().waitFor();
  }
  /** Waits, as a form or an alert may appear before the other texts of its page. */
  const expectShown = (texts: string[], atLeast: number) =>
    eventually(async () => {
      expect(Math.min(...(await countTextOccurrences(page, texts)))).toBeGreaterThanOrEqual(atLeast);
    });
  const readOutcome = async () => ({ ...observed, injectedElements: await findInjectedElements(page) });
  const startWithQuestion = async (message: string) => {
    const id = await parley.startConversation(message);
    const { id: questionId } = await parley.waitForQuestion(id);
    return `/questions/${id}/${questionId}`;
  };

  it('is shown as typed wherever people, tools and agents can put it, and runs nothing', async () => {
    const id = await submitHostileTexts(parley);
    await openPage(`/conversations/${id}`, '[data-status=pending] form');
    await page.locator('details').evaluateAll((elements) => {
      for (const element of elements) element.setAttribute('open', '');
    });
    expect(await readOutcome()).toEqual(NOTHING_INJECTED);
    // Message, result, error, plan in three places, question, answer, comment and choice.
    await expectShown(HOSTILE_TEXTS, 10);
    const paragraphs = await page.locator('li:has(> p > time) > div').allTextContents();
    expect(paragraphs.slice(0, HOSTILE_MARKUP.length)).toEqual(
      HOSTILE_MARKUP.map((text) => expect.stringContaining(text)),
    );
    expect(await page.locator('li', { hasText: 'could not be sent' }).first().textContent()).toContain(
      HOSTILE_TEXTS[0],
    );
    expect(await page.locator('aside pre').last().textContent()).toContain('"polluted"');
    expect(await page.evaluate(() => 'polluted' in {})).toBe(false);
    await openPage(`/questions/${id}/question-3`, '[data-status=pending] form');
    await expectShown(HOSTILE_MARKUP, 1);
    expect(await readOutcome()).toEqual(NOTHING_INJECTED);
  });

  it.each(['describe', 'confirm', 'approve'])(
    'runs nothing in what a person must choose or approve: %s',
    async (message) => {
      await openPage(await startWithQuestion(message), '[data-status=pending] form');
      const expectedTexts =
        message === 'describe' ? HOSTILE_TEXTS : HOSTILE_TEXTS.map((text) => JSON.stringify(text).slice(1, -1));
      const displayedTexts = expectedTexts.filter((text) => !/\\u|\u202e/.test(text));
      await expectShown(displayedTexts, 1);
      expect(await readOutcome()).toEqual(NOTHING_INJECTED);
    },
  );

  it('runs nothing while it is being written, character by character', async () => {
    const id = await parley.startConversation('write');
    await openPage(`/conversations/${id}`, 'ol [class*=markdown]');
    expect(await readOutcome()).toEqual(NOTHING_INJECTED);
    parley.releaseReply();
    await page.getByText('Completed').first().waitFor();
    expect(await readOutcome()).toEqual(NOTHING_INJECTED);
  });

  it.each(['fail', 'misname'])('runs nothing in error messages: %s', async (message) => {
    const id = await parley.startConversation(message);
    await parley.waitForStatus(id, 'failed');
    await openPage(`/conversations/${id}`, '[role=alert]');
    await expectShown(HOSTILE_TEXTS.slice(0, 1), 1);
    expect(await readOutcome()).toEqual(NOTHING_INJECTED);
  });

  it.each(['/conversations', '/new', '/'])('runs nothing on %s', async (path) => {
    await openPage(path, 'main *');
    await page.waitForLoadState('load');
    expect(await readOutcome()).toEqual(NOTHING_INJECTED);
  });

  it.each([
    '/conversations/TEXT',
    '/questions/TEXT/TEXT',
    '/TEXT',
    '/?search=TEXT',
    '/?agent=TEXT',
    '/new?agent=TEXT',
    '/conversations?search=TEXT&status=TEXT',
  ])('runs nothing in a URL: %s', async (path) => {
    for (const text of [`"'>${HOSTILE_MARKUP[0]}`, 'javascript:canary(1)']) {
      await openPage(path.replaceAll('TEXT', encodeURIComponent(text)), 'main h1, main h2, [role=alert]');
      expect(await readOutcome()).toEqual(NOTHING_INJECTED);
    }
  });

  it('causes no error in the page', () => {
    expect(HOSTILE_MARKUP.length + HOSTILE_MARKDOWN.length).toBeGreaterThan(60);
    expect(pages.errors()).toEqual([]);
  });
});
