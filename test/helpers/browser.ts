import { type Browser, type BrowserContextOptions, chromium as driver, type Page } from 'playwright-core';
import { chromium } from './chromium';

export interface Pages {
  /** A page of a browser with a memory of its own, or of the one given. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** Another tab beside that page: same cookies, same storage. */
  beside(page: Page, url: string): Promise<Page>;
  /** What went wrong in any page: script errors, console errors, violations of the content security policy. */
  faults(): string[];
  close(): Promise<void>;
}

/** As root, in a container, there is no sandbox to be had; nothing but our own pages is opened. */
const ARGS = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
];

/** A browser takes its time where the machine is shared; a fault is not seen any sooner by giving up. */
const PATIENCE_MS = 60_000;
jest.setTimeout(4 * PATIENCE_MS);

/** What a browser says of a cut network is what the test is about, not a fault of the app. */
const EXPECTED = /net::ERR_|Failed to load resource/;

/** A real Chromium, one for a file of tests. */
export async function browser(): Promise<Pages> {
  const running: Browser = await driver.launch({ executablePath: chromium(), args: ARGS });
  const faults: string[] = [];

  const watched = async (page: Page, url: string) => {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => faults.push(String(error.stack ?? error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) faults.push(message.text());
    });
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    return page;
  };

  return {
    async open(url, options) {
      const context = await running.newContext({ reducedMotion: 'reduce', ...options });
      return watched(await context.newPage(), url);
    },
    beside: async (page, url) => watched(await page.context().newPage(), url),
    faults: () => faults,
    close: () => running.close(),
  };
}
