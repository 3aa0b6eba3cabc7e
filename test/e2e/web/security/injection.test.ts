import type { Page } from 'playwright-core';
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

const NONE = { ran: 0, dialogs: 0, away: [] as string[], intruders: [] as string[] };

describe('a text that would be more than text', () => {
  let p: TestParley & { letWrite: () => void };
  let pages: BrowserPages;
  let page: Page;
  const seen = { ran: 0, dialogs: 0, away: [] as string[] };
  beforeAll(async () => {
    [p, pages] = await Promise.all([startHostileParley(), openBrowserPages()]);
    page = await pages.open('about:blank', { viewport: { width: 1280, height: 900 } });
    await page.context().exposeFunction('canary', () => {
      seen.ran += 1;
    });
    page.on('dialog', (dialog) => {
      seen.dialogs += 1;
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(p.url) && !request.url().startsWith('data:')) seen.away.push(request.url());
    });
    // What an agent says of itself comes from files that an operator writes: here from somebody else.
    const { items } = (await p.call<{ items: object[] }>('GET', '/v1/agents')).body;
    const json = { items: items.map((item) => ({ ...item, description: ALL_HOSTILE_TEXT })) };
    // A page that is left meanwhile needs no answer.
    await page.route('**/v1/agents', (route) => route.fulfill({ json }).catch(() => undefined));
  });
  afterAll(async () => {
    await pages.close();
    await p.stop();
  });

  async function opened(path: string, sign: string): Promise<void> {
    await page.goto(`${p.url}${path}`, { waitUntil: 'domcontentloaded' });
    await page.locator(sign).first().waitFor();
  }
  const became = async () => ({ ...seen, intruders: await findInjectedElements(page) });
  const parked = async (word: string) => {
    const id = await p.start(word);
    const { id: question } = await p.question(id);
    return `/questions/${id}/${question}`;
  };

  it('is read as it was typed wherever people, tools and agents put it, and is nothing else', async () => {
    const id = await submitHostileTexts(p);
    await opened(`/conversations/${id}`, '[data-status=pending] form');
    await page.locator('details').evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '');
    });
    expect(await became()).toEqual(NONE);
    // Message, result, error, plan in three places, question, answer, comment and choice.
    expect(Math.min(...(await countTextOccurrences(page, HOSTILE_TEXTS)))).toBeGreaterThanOrEqual(10);
    const said = await page.locator('li:has(> p > time) > div').allTextContents();
    expect(said.slice(0, HOSTILE_MARKUP.length)).toEqual(HOSTILE_MARKUP.map((text) => expect.stringContaining(text)));
    expect(await page.locator('li', { hasText: 'could not be sent' }).first().textContent()).toContain(
      HOSTILE_TEXTS[0],
    );
    expect(await page.locator('aside pre').last().textContent()).toContain('"polluted"');
    expect(await page.evaluate(() => 'polluted' in {})).toBe(false);
    await opened(`/questions/${id}/question-3`, '[data-status=pending] form');
    expect(Math.min(...(await countTextOccurrences(page, HOSTILE_MARKUP)))).toBeGreaterThanOrEqual(1);
    expect(await became()).toEqual(NONE);
  });

  it.each(['describe', 'confirm', 'approve'])(
    'is nothing else in what one is asked to choose or allow: %s',
    async (word) => {
      await opened(await parked(word), '[data-status=pending] form');
      const told = word === 'describe' ? HOSTILE_TEXTS : HOSTILE_TEXTS.map((text) => JSON.stringify(text).slice(1, -1));
      const visible = told.filter((text) => !/\\u|\u202e/.test(text));
      expect(Math.min(...(await countTextOccurrences(page, visible)))).toBeGreaterThanOrEqual(1);
      expect(await became()).toEqual(NONE);
    },
  );

  it('is nothing else while it is being written, letter by letter', async () => {
    const id = await p.start('write');
    await opened(`/conversations/${id}`, 'ol [class*=markdown]');
    expect(await became()).toEqual(NONE);
    p.letWrite();
    await page.getByText('Completed').first().waitFor();
    expect(await became()).toEqual(NONE);
  });

  it.each(['fail', 'misname'])('is nothing else in what went wrong: %s', async (word) => {
    const id = await p.start(word);
    await p.until(id, 'failed');
    await opened(`/conversations/${id}`, '[role=alert]');
    expect(await page.locator('main').textContent()).toContain(HOSTILE_TEXTS[0]);
    expect(await became()).toEqual(NONE);
  });

  it.each(['/conversations', '/new', '/'])('is nothing else on %s', async (path) => {
    await opened(path, 'main *');
    await page.waitForLoadState('load');
    expect(await became()).toEqual(NONE);
  });

  it.each([
    '/conversations/TEXT',
    '/questions/TEXT/TEXT',
    '/TEXT',
    '/?search=TEXT',
    '/?agent=TEXT',
    '/new?agent=TEXT',
    '/conversations?search=TEXT&status=TEXT',
  ])('is nothing else in an address: %s', async (path) => {
    for (const text of [`"'>${HOSTILE_MARKUP[0]}`, 'javascript:canary(1)']) {
      await opened(path.replaceAll('TEXT', encodeURIComponent(text)), 'main h1, main h2, [role=alert]');
      expect(await became()).toEqual(NONE);
    }
  });

  it('leaves no fault behind', () => {
    expect(HOSTILE_MARKUP.length + HOSTILE_MARKDOWN.length).toBeGreaterThan(60);
    expect(pages.faults()).toEqual([]);
  });
});
