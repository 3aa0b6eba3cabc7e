import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as driver,
  type Page,
} from 'playwright-core';
import { fetchChromiumEndpoint } from './chromium';

export interface BrowserPages {
  /** A page in a context of its own: no other page has its cookies and storage. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** Another tab beside that page: same cookies, same storage. */
  beside(page: Page, url: string): Promise<Page>;
  /** What went wrong in any page: script errors, console errors, violations of the content security policy. */
  faults(): string[];
  /** Closes every page with its context. More may be opened afterwards. */
  close(): Promise<void>;
}

/** A browser takes its time where the machine is shared; a fault is not seen any sooner by giving up. */
const PAGE_TIMEOUT_MS = 120_000;

/** What a browser says of a cut network is what the test is about, not a fault of the app. */
const NETWORK_ERRORS = /net::ERR_|Failed to load resource/;

let connecting: Promise<Browser> | undefined;

/** One connection for all test files of a process. */
async function getBrowser(): Promise<Browser> {
  connecting ??= connectToBrowser();
  return connecting;
}

async function connectToBrowser(): Promise<Browser> {
  const endpoint = await fetchChromiumEndpoint();
  const port = Number(new URL(endpoint).port);
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  const browser = await driver.connect(endpoint).finally(() => unsubscribe('net.client.socket', note));
  // Nobody knows which file is the last to use it: it must not keep the process from ending.
  for (const socket of sockets) if (socket.remotePort === port) socket.unref();
  browser.once('disconnected', () => {
    connecting = undefined;
  });
  return browser;
}

/** Pages in the Chromium of the run, which all tests share. */
export async function openBrowserPages(): Promise<BrowserPages> {
  const running = await getBrowser();
  const contexts = new Set<BrowserContext>();
  const faults: string[] = [];

  const watched = async (page: Page, url: string) => {
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    page.on('pageerror', (error) => faults.push(String(error.stack ?? error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !NETWORK_ERRORS.test(message.text())) faults.push(message.text());
    });
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    return page;
  };

  return {
    async open(url, options) {
      const context = await running.newContext({ reducedMotion: 'reduce', ...options });
      contexts.add(context);
      return watched(await context.newPage(), url);
    },
    beside: async (page, url) => watched(await page.context().newPage(), url),
    faults: () => faults,
    async close() {
      const open = [...contexts];
      contexts.clear();
      await Promise.all(open.map((context) => context.close()));
    },
  };
}
