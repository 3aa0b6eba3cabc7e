import type { RunOptions } from 'axe-core';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const WCAG_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules that depend only on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Finds accessibility violations in the current page, by all rules or only by those about colours. */
async function findViolations(page: Page, about: 'everything' | 'colours'): Promise<string[]> {
  // Half a megabyte: sent to each document only once.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const values = about === 'colours' ? COLOUR_RULES : WCAG_TAGS;
  const runOnly: RunOptions['runOnly'] = { type: about === 'colours' ? 'rule' : 'tag', values };
  // Omits details of passed rules. No page has frames.
  const options: RunOptions = { runOnly, resultTypes: ['violations'], iframes: false };
  return page.evaluate(async (given) => {
    const found = await (window as unknown as { axe: typeof axe }).axe.run(document, given);
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
  }, options);
}

/** Fails if the page has accessibility violations. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page, 'everything')).toEqual([]);
}

/** Checks light and dark mode. In dark mode only the colours differ. */
export async function expectAccessibleInLightAndDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectReadableColours(page);
}

/** Fails where a text has too little contrast. */
export async function expectReadableColours(page: Page): Promise<void> {
  expect(await findViolations(page, 'colours')).toEqual([]);
}
