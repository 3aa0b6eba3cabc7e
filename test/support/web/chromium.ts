import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer } from 'playwright-core';
import { findTestProgram } from '#test/support/child-process';

/** In a container as root there is no sandbox; only Parley's own pages are opened. */
const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
];

/** Address at which tests ask for the run's browser. */
const BROWSER_VARIABLE = 'PARLEY_TEST_BROWSER';

/** Launches one Chromium for the whole run when the first test asks for it, so that a run without pages has none. */
export async function serveSharedChromium(): Promise<{ stop(): Promise<void> }> {
  let launching: Promise<BrowserServer> | undefined;
  const server = createServer((_request, response) => {
    launching ??= launchChromium(() => {
      launching = undefined;
    });
    launching.then(
      (running) => response.end(running.wsEndpoint()),
      (error) => response.writeHead(500).end(String(error.stack ?? error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  process.env[BROWSER_VARIABLE] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
      await (await launching?.catch(() => undefined))?.close();
    },
  };
}

async function launchChromium(onGone: () => void): Promise<BrowserServer> {
  // Loaded on demand, as most runs open no page.
  const { chromium: driver } = await import('playwright-core');
  // The run itself handles signals. The browser ends with its process in any case.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const options = { executablePath: findChromium(), args: CHROMIUM_ARGS, host: '127.0.0.1', ...signals };
  const browser = await driver.launchServer(options);
  browser.once('close', onGone);
  return browser;
}

/** Returns the address at which the run's browser accepts connections. */
export async function fetchChromiumEndpoint(): Promise<string> {
  const address = process.env[BROWSER_VARIABLE];
  if (!address)
    throw new Error(`${BROWSER_VARIABLE} is not set: only a run with test/support/jest/global-setup.ts has a browser`);
  const response = await fetch(address);
  const body = await response.text();
  if (!response.ok) throw new Error(`Chromium cannot be started: ${body}`);
  return body;
}

/** Returns the Chromium that the setup found for the end-to-end tests. */
export function findChromium(): string {
  return findTestProgram(
    'chromium',
    'There is no Chromium here. `npm test` finds or gets one; or set PARLEY_CHROMIUM.',
  );
}
