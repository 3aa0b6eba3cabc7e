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
  /** Opens a page in its own context: no other page has its cookies and storage. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens another tab in the context of that page: same cookies, same storage. */
  openTab(page: Page, url: string): Promise<Page>;
  /** Errors in any page: script errors, console errors, violations of the content security policy. */
  errors(): string[];
  /** Closes every page with its context. More may be opened afterwards. */
  close(): Promise<void>;
}

/** Long, as the machine may be busy, and a shorter timeout would not find errors sooner. */
const PAGE_TIMEOUT_MS = 120_000;

/** The browser's messages about a cut network, which tests cause on purpose. */
const NETWORK_ERRORS = /net::ERR_|Failed to load resource/;

let connecting: Promise<Browser> | undefined;

/** Returns the browser, with one connection for all test files of a process. */
async function getBrowser(): Promise<Browser> {
  connecting ??= connectToBrowser();
  return connecting;
}

async function connectToBrowser(): Promise<Browser> {
  const endpoint = await fetchChromiumEndpoint();
  const port = Number(new URL(endpoint).port);
  const sockets: Socket[] = [];
  const recordSocket = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', recordSocket);
  const browser = await driver.connect(endpoint).finally(() => unsubscribe('net.client.socket', recordSocket));
  // Any file may be the last to use it, so it must not keep the process alive.
  for (const socket of sockets) if (socket.remotePort === port) socket.unref();
  browser.once('disconnected', () => {
    connecting = undefined;
  });
  return browser;
}

/** Opens pages in the run's Chromium, which all tests share. */
export async function openBrowserPages(): Promise<BrowserPages> {
  const browser = await getBrowser();
  const contexts = new Set<BrowserContext>();
  const errors: string[] = [];

  const openWatched = async (page: Page, url: string) => {
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    page.on('pageerror', (error) => errors.push(String(error.stack ?? error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !NETWORK_ERRORS.test(message.text())) errors.push(message.text());
    });
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    return page;
  };

  return {
    async open(url, options) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      contexts.add(context);
      return openWatched(await context.newPage(), url);
    },
    openTab: async (page, url) => openWatched(await page.context().newPage(), url),
    errors: () => errors,
    async close() {
      const open = [...contexts];
      contexts.clear();
      await Promise.all(open.map((context) => context.close()));
    },
  };
}
