import type { Page } from 'playwright-core';
import { type ConversationStates, startEveryConversationState } from '#test/support/web/conversation-states';

const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** The name of the focused element, and whether its focus is visible. */
const readFocus = (page: Page): Promise<{ name: string; hasVisibleFocus: boolean }> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const hasFocusStyle = (candidate: Element | null) => {
      const { boxShadow = 'none', outlineStyle = 'none' } = candidate ? getComputedStyle(candidate) : {};
      return boxShadow !== 'none' || outlineStyle !== 'none';
    };
    const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
    // A choice shows focus around the whole choice.
    return {
      name: name.trim(),
      hasVisibleFocus: hasFocusStyle(element) || hasFocusStyle(element.closest('[class*=choice_]')),
    };
  });

describe('everything is reachable', () => {
  let states: ConversationStates;
  let page: Page;
  beforeAll(async () => {
    states = await startEveryConversationState();
    page = await states.w.openPage('/', { viewport: { width: 1280, height: 800 } });
  });
  afterAll(() => states.stop());

  const PATHS = [
    '/',
    '/questions/FOUR/question-1',
    '/conversations/TOOLS',
    '/conversations/FOUR',
    '/conversations',
    '/new',
    '/nowhere',
  ];

  async function visitPath(path: string, width: number): Promise<void> {
    await page.setViewportSize({ width, height: 800 });
    const { four = '', tools = '' } = states.conversationIds;
    await page.goto(states.w.url + path.replace('FOUR', four).replace('TOOLS', tools));
    await page.locator('main').getByRole('heading', { level: 1 }).first().waitFor();
  }

  it('with the Tab key, in reading order, and each stop is visible', async () => {
    await visitPath('/', 1280);
    await page.locator('form').first().waitFor();
    const tabStops: { name: string; hasVisibleFocus: boolean }[] = [];
    while (tabStops.length < 40 && tabStops.at(-1)?.name !== 'Skip…') {
      await page.keyboard.press('Tab');
      tabStops.push(await readFocus(page));
    }
    const names = tabStops.map(({ name }) => name);
    expect(names.slice(0, 6)).toEqual([
      'Skip to content',
      'Parley home',
      expect.stringMatching(/^Inbox/),
      'Conversations',
      'New conversation',
      'Notifications',
    ]);
    expect(names).toContain('Open conversation');
    expect(names.at(-1)).toBe('Skip…');
    expect(tabStops.filter(({ hasVisibleFocus }) => !hasVisibleFocus)).toEqual([]);
  });

  it('past all navigation with the first stop', async () => {
    await visitPath('/', 1280);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  describe.each(PATHS)('%s', (path) => {
    it.each([1280, 320])('with a finger or an unsteady hand: no control is small, %i px wide', async (width) => {
      await visitPath(path, width);
      const smallTargets = await page.locator(CONTROLS).evaluateAll((elements) =>
        elements.flatMap((element) => {
          // A link that covers its row is as large as the row.
          const coversRow = getComputedStyle(element, '::after').position === 'absolute';
          const target = coversRow ? element.closest('article') : element.closest('label');
          const box = (target ?? element).getBoundingClientRect();
          const isVisible = element.checkVisibility({ visibilityProperty: true }) && box.width > 1;
          // Links within a sentence are only as high as the line.
          const isInlineLink = getComputedStyle(element).display === 'inline' && element.closest('p, li, dd') !== null;
          const isSmall = box.width < 24 || box.height < 24;
          return isVisible && !isInlineLink && isSmall
            ? [`${element.outerHTML.slice(0, 150)} ${box.width}×${box.height}`]
            : [];
        }),
      );
      expect(smallTargets).toEqual([]);
    });

    it.each([
      ['on the narrowest screen', 320, '100%'],
      ['with text twice as large', 640, '200%'],
    ])('without horizontal scrolling %s', async (_how, width, size) => {
      await visitPath(path, width);
      await page.locator(':root').evaluate((root, fontSize) => Object.assign(root.style, { fontSize }), size);
      const overflowing = await page.evaluate(() =>
        [...document.querySelectorAll('html, body, main, main *')].flatMap((element) => {
          const { overflowX, position } = getComputedStyle(element);
          const isAllowed =
            element.closest('pre, section[aria-label="Table"], .visually-hidden, main nav, textarea, input, select') !==
            null;
          const scrolls = overflowX === 'auto' || overflowX === 'scroll' || element.matches('html, body');
          const overflowPx = element.scrollWidth - element.clientWidth;
          return scrolls && !isAllowed && position !== 'fixed' && overflowPx > 1
            ? [`${element.outerHTML.slice(0, 120)} by ${overflowPx}`]
            : [];
        }),
      );
      expect(overflowing).toEqual([]);
    });
  });

  it('with reduced motion: nothing moves', async () => {
    await visitPath(`/conversations/${states.conversationIds.busy}`, 1280);
    await page.getByText('is working…').waitFor();
    const countAnimations = () =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
    expect(await countAnimations()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await countAnimations()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  it('in forced colors: the focused element has an outline', async () => {
    await visitPath('/', 1280);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe('solid');
    await page.emulateMedia({ forcedColors: 'none' });
  });
});
