/** Sets up what Parley and its tests need, in two parts: the packages and the build, and the tools. */

import { withLock } from './lock.mjs';
import { print, SetupError } from './log.mjs';
import { buildServer, isServerBuilt } from './packages/build.mjs';
import { buildWeb, isWebBuilt } from './packages/build-web.mjs';
import { arePackagesInstalled, installPackages } from './packages/install.mjs';
import { isSupportedNodeVersion } from './packages/node-version.mjs';
import { installChromium } from './tools/chromium.mjs';
import { findChromium } from './tools/find-chromium.mjs';
import { findPostgres, findPostgresUser } from './tools/find-postgres.mjs';
import { findTemporalCli, findTestServer } from './tools/find-temporal.mjs';
import { installPostgres } from './tools/postgres.mjs';
import { installTemporalCli } from './tools/temporal-cli.mjs';
import { findTemporalServer, installTemporalServer } from './tools/temporal-server.mjs';
import { installTestServer } from './tools/temporal-test-server.mjs';
import { findTmux, installTmux } from './tools/tmux.mjs';
import { isToolchainRecorded, recordToolchain } from './tools/toolchain-file.mjs';

/**
 * Sets up both parts in parallel; a part that is ready is only checked. Options: `server`, a Temporal server; `tests`,
 * also what the tests need; `postgres`, PostgreSQL and a Temporal server that runs on it. Returns two promises that
 * reject with a SetupError: `packages` for node_modules, dist and dist/web, `everything` for those and the tools.
 */
export function setUp(wanted = {}) {
  const began = Date.now();
  const packages = setUpPackages();
  const everything = Promise.all([packages, setUpTools(wanted, packages)]).then((didWork) => {
    const seconds = Math.round((Date.now() - began) / 1000);
    if (didWork.some(Boolean) && seconds > 0) print(`Setup completed in ${seconds} s.`);
  });
  // The caller may await these later, so a rejection must not count as unhandled until then.
  for (const promise of [packages, everything]) promise.catch(() => {});
  return { packages, everything };
}

/** Resolves to whether there was anything to do. */
async function setUpPackages() {
  if (!isSupportedNodeVersion(process.versions.node)) {
    throw new SetupError(
      `Parley needs Node 20.19, 22.12 or later; this is ${process.version}. Download Node from https://nodejs.org.`,
    );
  }
  if (arePackagesInstalled() && isServerBuilt() && isWebBuilt()) return false;
  await withLock('packages', async () => {
    // Each step checks again, because the previous holder of the lock may have done it.
    if (!arePackagesInstalled()) await installPackages();
    if (!isServerBuilt()) await buildServer();
    if (!isWebBuilt()) await buildWeb();
  });
  return true;
}

async function setUpTools({ server = false, tests = false, postgres = false }, packages) {
  const tools = [
    ...(server || tests ? [{ name: 'temporal', find: findTemporalCli, install: installTemporalCli }] : []),
    ...(tests
      ? [
          { name: 'testServer', find: findTestServer, install: installTestServer },
          { name: 'chromium', find: findChromium, install: installChromium },
          { name: 'tmux', find: findTmux, install: installTmux },
        ]
      : []),
    ...(postgres
      ? [
          { name: 'postgres', find: findPostgres, install: installPostgres },
          { name: 'server', find: findTemporalServer, install: installTemporalServer },
        ]
      : []),
  ];
  if (await areToolsRecorded(tools)) return false;
  await withLock('tools', async () => {
    const installing = tools.map(async ({ find, install }) => (await find()) ?? install(packages));
    // Wait for all of them, because the lock must be held while any is running.
    await Promise.allSettled(installing);
    recordToolchain(toToolchainEntries(tools, await Promise.all(installing)));
  });
  return true;
}

async function areToolsRecorded(tools) {
  const found = await Promise.all(tools.map(({ find }) => find()));
  return found.every(Boolean) && isToolchainRecorded(toToolchainEntries(tools, found));
}

/** Maps the tools by name, and adds the user PostgreSQL runs as, if it is not the current one. */
function toToolchainEntries(tools, found) {
  const { server, ...named } = Object.fromEntries(tools.map(({ name }, index) => [name, found[index]]));
  const user = named.postgres && findPostgresUser();
  return { ...named, ...server, postgresUser: user && `${user.uid}:${user.gid}` };
}
