import type { Page } from 'playwright-core';
import { type ConversationStates, startEveryConversationState } from '#test/support/web/conversation-states';

const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** The words of what has focus, and whether one sees that it has. */
const focused = (page: Page): Promise<{ name: string; isSeen: boolean }> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const isMarked = (one: Element | null) => {
      const { boxShadow = 'none', outlineStyle = 'none' } = one ? getComputedStyle(one) : {};
      return boxShadow !== 'none' || outlineStyle !== 'none';
    };
    const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
    // A choice has its mark around all of it.
    return { name: name.trim(), isSeen: isMarked(element) || isMarked(element.closest('[class*=choice_]')) };
  });

describe('everything is in reach', () => {
  let stage: ConversationStates;
  let page: Page;
  beforeAll(async () => {
    stage = await startEveryConversationState();
    page = await stage.w.visit('/', { viewport: { width: 1280, height: 800 } });
  });
  afterAll(() => stage.stop());

  const PLACES = [
    '/',
    '/questions/FOUR/question-1',
    '/conversations/TOOLS',
    '/conversations/FOUR',
    '/conversations',
    '/new',
    '/nowhere',
  ];

  async function go(path: string, width: number): Promise<void> {
    await page.setViewportSize({ width, height: 800 });
    const { four = '', tools = '' } = stage.ids;
    await page.goto(stage.w.url + path.replace('FOUR', four).replace('TOOLS', tools));
    await page.locator('main').getByRole('heading', { level: 1 }).first().waitFor();
  }

  it('of the Tab key, in the order one reads, and each stop can be seen', async () => {
    await go('/', 1280);
    await page.locator('form').first().waitFor();
    const stops: { name: string; isSeen: boolean }[] = [];
    while (stops.length < 40 && !stops.at(-1)?.name.startsWith('Decline')) {
      await page.keyboard.press('Tab');
      stops.push(await focused(page));
    }
    const names = stops.map(({ name }) => name);
    expect(names.slice(0, 6)).toEqual([
      'Skip to the content',
      'Parley, to the inbox',
      expect.stringMatching(/^Inbox/),
      'Conversations',
      'New',
      'Notifications',
    ]);
    expect(names).toContain('Open the conversation');
    expect(names.at(-1)).toBe('Decline …');
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([]);
  });

  it('past everything that is on each page, by the first stop', async () => {
    await go('/', 1280);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  describe.each(PLACES)('%s', (path) => {
    it.each([1280, 320])('of a finger or an unsteady hand: nothing to press is small, %i px wide', async (width) => {
      await go(path, width);
      const small = await page.locator(CONTROLS).evaluateAll((all) =>
        all.flatMap((element) => {
          // What lies over all of its row is as large as that.
          const isSpread = getComputedStyle(element, '::after').position === 'absolute';
          const target = isSpread ? element.closest('article') : element.closest('label');
          const box = (target ?? element).getBoundingClientRect();
          const isShown = element.checkVisibility({ visibilityProperty: true }) && box.width > 1;
          // Links in a sentence are as high as its lines.
          const isInText = getComputedStyle(element).display === 'inline' && element.closest('p, li, dd') !== null;
          const isSmall = box.width < 24 || box.height < 24;
          return isShown && !isInText && isSmall
            ? [`${element.outerHTML.slice(0, 150)} ${box.width}×${box.height}`]
            : [];
        }),
      );
      expect(small).toEqual([]);
    });

    it.each([
      ['on the narrowest screen', 320, '100%'],
      ['with letters twice as large', 640, '200%'],
    ])('without scrolling sideways %s', async (_how, width, size) => {
      await go(path, width);
      await page.locator(':root').evaluate((root, fontSize) => Object.assign(root.style, { fontSize }), size);
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll('html, body, main, main *')].flatMap((element) => {
          const { overflowX, position } = getComputedStyle(element);
          const isOwn =
            element.closest('pre, section[aria-label="Table"], .unseen, main nav, textarea, input, select') !== null;
          const scrolls = overflowX === 'auto' || overflowX === 'scroll' || element.matches('html, body');
          const excess = element.scrollWidth - element.clientWidth;
          return scrolls && !isOwn && position !== 'fixed' && excess > 1
            ? [`${element.outerHTML.slice(0, 120)} by ${excess}`]
            : [];
        }),
      );
      expect(wide).toEqual([]);
    });
  });

  it('of those whom motion makes ill: nothing moves', async () => {
    await go(`/conversations/${stage.ids.busy}`, 1280);
    await page.getByText('is working …').waitFor();
    const moving = () =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moving()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  it('of those who choose their own colours: what has focus has an outline', async () => {
    await go('/', 1280);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe('solid');
    await page.emulateMedia({ forcedColors: 'none' });
  });
});
