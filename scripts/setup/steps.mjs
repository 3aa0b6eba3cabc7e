/** What has to be there before Parley or its tests run, in two parts: the packages and the build, and the tools. */

import { withLock } from './lock.mjs';
import { Failure, say } from './log.mjs';
import { build, isBuilt } from './packages/build.mjs';
import { buildWeb, isWebBuilt } from './packages/build-web.mjs';
import { install, isInstalled } from './packages/install.mjs';
import { isNewEnough } from './packages/node-version.mjs';
import { getChromium } from './tools/chromium.mjs';
import { findChromium } from './tools/find-chromium.mjs';
import { findPostgres, postgresUser } from './tools/find-postgres.mjs';
import { findTemporal, findTestServer } from './tools/find-temporal.mjs';
import { getPostgres } from './tools/postgres.mjs';
import { getTemporal } from './tools/temporal-cli.mjs';
import { findServer, getServer } from './tools/temporal-server.mjs';
import { getTestServer } from './tools/temporal-test-server.mjs';
import { findTmux, getTmux } from './tools/tmux.mjs';
import { isRecorded, record } from './tools/toolchain-file.mjs';

/**
 * Sets up both parts at the same time; a part that is there costs a look. Wanted are `server`, a Temporal server; `tests`,
 * also what the tests need; `postgres`, PostgreSQL and a Temporal server that runs on it. Returns two promises, which
 * reject with a Failure: `packages` for node_modules, dist and dist/web, `everything` for that and the tools.
 */
export function setUp(wanted = {}) {
  const began = Date.now();
  const packages = setUpPackages();
  const everything = Promise.all([packages, setUpTools(wanted, packages)]).then((worked) => {
    const seconds = Math.round((Date.now() - began) / 1000);
    if (worked.some(Boolean) && seconds > 0) say(`Set up in ${seconds} s.`);
  });
  // Whoever called may be busy with something else when one fails: it is told when it asks.
  for (const promise of [packages, everything]) promise.catch(() => {});
  return { packages, everything };
}

/** Resolves to whether there was anything to do. */
async function setUpPackages() {
  if (!isNewEnough(process.versions.node)) {
    throw new Failure(
      `Parley needs Node 20.19 or later, and of Node 22 at least 22.12; this is ${process.version}. Get one from https://nodejs.org.`,
    );
  }
  if (isInstalled() && isBuilt() && isWebBuilt()) return false;
  await withLock('packages', async () => {
    // Every step looks again: the process that held the lock before may have done it.
    if (!isInstalled()) await install();
    if (!isBuilt()) await build();
    if (!isWebBuilt()) await buildWeb();
  });
  return true;
}

async function setUpTools({ server = false, tests = false, postgres = false }, packages) {
  const tools = [
    ...(server || tests ? [{ name: 'temporal', find: findTemporal, get: getTemporal }] : []),
    ...(tests
      ? [
          { name: 'testServer', find: findTestServer, get: getTestServer },
          { name: 'chromium', find: findChromium, get: getChromium },
          { name: 'tmux', find: findTmux, get: getTmux },
        ]
      : []),
    ...(postgres
      ? [
          { name: 'postgres', find: findPostgres, get: getPostgres },
          { name: 'server', find: findServer, get: getServer },
        ]
      : []),
  ];
  if (await areRecorded(tools)) return false;
  await withLock('tools', async () => {
    const getting = tools.map(async ({ find, get }) => (await find()) ?? get(packages));
    // All of them first: the lock is held for as long as one works.
    await Promise.allSettled(getting);
    record(toRecord(tools, await Promise.all(getting)));
  });
  return true;
}

async function areRecorded(tools) {
  const found = await Promise.all(tools.map(({ find }) => find()));
  return found.every(Boolean) && isRecorded(toRecord(tools, found));
}

/** By name; with the user PostgreSQL runs as, where that is not the one who runs the tests. */
function toRecord(tools, found) {
  const { server, ...named } = Object.fromEntries(tools.map(({ name }, index) => [name, found[index]]));
  const user = named.postgres && postgresUser();
  return { ...named, ...server, postgresUser: user && `${user.uid}:${user.gid}` };
}
