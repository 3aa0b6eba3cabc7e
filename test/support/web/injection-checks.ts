import type { Page } from 'playwright-core';

/** Elements that the app and Markdown create. Any other element was injected by a text. */
const ALLOWED_ELEMENTS =
  'a article aside b blockquote br button code dd del details dialog div dl dt em fieldset form h1 h2 h3 h4 h5 h6 header ' +
  'hr i input kbd label legend li main nav ol option p pre s search section select small span strong summary sup table tbody ' +
  'td textarea th thead time tr ul footer g circle path rect line polyline svg ellipse polygon';

/** Finds what texts must not create: elements, event handlers, and unsafe links. */
export function findInjectedElements(page: Page): Promise<string[]> {
  return page.evaluate((known) => {
    const allowed = new Set(known.split(' '));
    const isIcon = (element: Element) =>
      element.closest('svg')?.matches('.lucide, nav svg, a > svg, [aria-hidden] svg');
    const isWrong = (element: Element) => {
      const name = element.localName;
      if (!allowed.has(name)) return true;
      if (element.closest('svg') && !isIcon(element)) return true;
      if (element.getAttributeNames().some((attribute) => /^(on|srcdoc|action|formaction|src)/.test(attribute)))
        return true;
      if (/url|expression/.test(element.getAttribute('style') ?? '')) return true;
      return name === 'a' && isWrongLink(element as HTMLAnchorElement);
    };
    const isWrongLink = (link: HTMLAnchorElement) => {
      if (!link.hasAttribute('href')) return true;
      if (link.origin === location.origin) return link.closest('[class*=markdown]') !== null;
      const isAway =
        link.target === '_blank' && link.relList.contains('noopener') && link.relList.contains('noreferrer');
      return !(/^https?:$/.test(link.protocol) && isAway) && link.protocol !== 'mailto:';
    };
    return [...document.querySelectorAll('#root *')].filter(isWrong).map((element) => element.outerHTML.slice(0, 200));
  }, ALLOWED_ELEMENTS);
}

/** Counts the occurrences of each text in the page. */
export function countTextOccurrences(page: Page, texts: string[]): Promise<number[]> {
  return page.evaluate((wanted) => {
    const shown = document.querySelector('main')?.textContent ?? '';
    return wanted.map((text) => shown.split(text).length - 1);
  }, texts);
}
