/** Getting a Chromium for the end-to-end tests: Playwright's download, else the system's packages. */
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { aptInstall } from '../download/apt.mjs';
import { lastLine, lastLines, run } from '../exec.mjs';
import { during, Failure, say } from '../log.mjs';
import { inPartialFolder, PROJECT, writableCache } from '../paths.mjs';
import { CHROMIUM, chromiumIn, findChromium, isChromium } from './find-chromium.mjs';

const PATIENCE = 600_000;

const WAYS_OUT = `The end-to-end tests need a Chromium. Any one of these will do:
  - install Chromium, Chrome or Edge, so that it is on PATH or where it is usually installed
  - set PARLEY_CHROMIUM to one, if you have it elsewhere
  - let this machine reach https://cdn.playwright.dev, and start again: Parley then gets one itself`;

/** The download needs Playwright, so it waits for `packages`. */
export async function getChromium(packages) {
  await packages;
  const got = (await download(writableCache())) ?? (await fromPackages());
  if (got) return got;
  throw new Failure(WAYS_OUT);
}

/** Resolves to the file, or undefined where it cannot be downloaded, having said why. */
function download(cache) {
  return inPartialFolder(cache, async (folder) => {
    const cli = path.join(PROJECT, 'node_modules', 'playwright-core', 'cli.js');
    const env = {
      ...process.env,
      PLAYWRIGHT_BROWSERS_PATH: folder,
      // It tries five times: a firewall that swallows packets should not cost minutes.
      PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000',
    };
    const { ok, output } = await during('Downloading Chromium for the end-to-end tests', (tell) =>
      run(process.execPath, [cli, 'install', 'chromium-headless-shell'], {
        env,
        stalled: tooLong(),
        hear: (chunk) => tellPercent(chunk, tell),
      }),
    );
    const file = chromiumIn(folder);
    if (ok && file && (await isChromium(file))) return putInPlace(cache, folder);
    say(
      `Chromium ${ok ? 'was downloaded, but does not start on this machine.' : `cannot be downloaded here: ${reason(output)}`}`,
    );
    return undefined;
  });
}

/** Playwright writes "|■■■■    |  50% of 109.3 MiB" for every tenth. */
function tellPercent(chunk, tell) {
  const percent = /(\d+)% of /.exec(chunk)?.[1];
  if (percent) tell({ done: Number(percent), total: 100, unit: 'percent' });
}

function putInPlace(cache, folder) {
  const place = path.join(cache, CHROMIUM);
  rmSync(place, { recursive: true, force: true });
  renameSync(folder, place);
  return chromiumIn(place);
}

/** Playwright says what went wrong at each try, and ends with where in its own code that was. */
function reason(output) {
  return /^Error: (.+)$/m.exec(output)?.[1] ?? lastLine(output);
}

function tooLong() {
  const began = Date.now();
  return () => (Date.now() - began > PATIENCE ? `not done after ${PATIENCE / 60_000} minutes` : undefined);
}

async function fromPackages() {
  const got = await aptInstall('chromium', 'Chromium');
  const found = got?.ok ? await findChromium() : undefined;
  if (got && !found)
    throw new Failure(`apt-get could not install Chromium:\n\n${lastLines(got.output)}\n\n${WAYS_OUT}`);
  return found;
}
