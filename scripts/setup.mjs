/**
 * Set-up behind npm start, dev, api, worker and test: packages, build, a Temporal server.
 * Plain Node, no packages: it has to run before anything is installed.
 *
 *   --no-server  packages and build only
 *   --test       everything, the time-skipping test server, a Chromium and tmux
 *   --postgres   beside the rest, PostgreSQL and a Temporal server that runs on it
 */
import { build, isBuilt } from './setup/build.mjs';
import { getChromium } from './setup/chromium.mjs';
import { findTemporal, findTestServer } from './setup/find.mjs';
import { findChromium } from './setup/find-chromium.mjs';
import { findPostgres, postgresUser } from './setup/find-postgres.mjs';
import { install, isInstalled } from './setup/install.mjs';
import { withLock } from './setup/lock.mjs';
import { isNewEnough } from './setup/node-version.mjs';
import { getPostgres } from './setup/postgres.mjs';
import { Failure, fail, say } from './setup/say.mjs';
import { findServer, getServer } from './setup/server.mjs';
import { getTemporal } from './setup/temporal.mjs';
import { getTestServer } from './setup/test-server.mjs';
import { findTmux, getTmux } from './setup/tmux.mjs';
import { isRecorded, record } from './setup/toolchain.mjs';
import { buildWeb, isWebBuilt } from './setup/web.mjs';

const wantsTests = process.argv.includes('--test');
const wantsPostgres = process.argv.includes('--postgres');
// Tests run on a server of their own, never on the one TEMPORAL_ADDRESS names.
const wantsServer = wantsTests || !(process.argv.includes('--no-server') || process.env.TEMPORAL_ADDRESS);

if (!isNewEnough(process.versions.node)) {
  fail(
    `Parley needs Node 20.19 or later, and of Node 22 at least 22.12; this is ${process.version}. Get one from https://nodejs.org.`,
  );
}

try {
  if (!(await isReady())) await withLock(setUp);
} catch (error) {
  fail(error instanceof Failure ? error.message : error.stack);
}

/** Nothing to do is the usual case, and it must cost no more than a look. */
async function isReady() {
  if (!isInstalled() || !isBuilt() || !isWebBuilt()) return false;
  const temporal = wantsServer ? await findTemporal() : undefined;
  const testServer = wantsTests ? findTestServer() : undefined;
  const chromium = wantsTests ? await findChromium() : undefined;
  const tmux = wantsTests ? findTmux() : undefined;
  if ((wantsServer && !temporal) || (wantsTests && !(testServer && chromium && tmux))) return false;
  const server = wantsPostgres ? await findServer() : undefined;
  const postgres = wantsPostgres ? await findPostgres() : undefined;
  if (wantsPostgres && !(server && postgres)) return false;
  return isRecorded({ temporal, testServer, chromium, tmux, ...onPostgres(server, postgres) });
}

/** Every step looks again: whoever held the lock before may have done it. */
async function setUp() {
  const began = Date.now();
  if (!isInstalled()) await install();
  if (!isBuilt()) await build();
  if (!isWebBuilt()) await buildWeb();
  const temporal = wantsServer ? ((await findTemporal()) ?? (await getTemporal())) : undefined;
  const testServer = wantsTests ? (findTestServer() ?? (await getTestServer())) : undefined;
  const chromium = wantsTests ? ((await findChromium()) ?? (await getChromium())) : undefined;
  const tmux = wantsTests ? (findTmux() ?? (await getTmux())) : undefined;
  const postgres = wantsPostgres ? ((await findPostgres()) ?? (await getPostgres())) : undefined;
  const server = wantsPostgres ? ((await findServer()) ?? (await getServer())) : undefined;
  record({ temporal, testServer, chromium, tmux, ...onPostgres(server, postgres) });
  const seconds = Math.round((Date.now() - began) / 1000);
  if (seconds > 0) say(`Set up in ${seconds} s.`);
}

/** With whom PostgreSQL runs as, where that is not whoever runs the tests. */
function onPostgres(server, postgres) {
  const user = postgres && postgresUser();
  return { ...server, postgres, postgresUser: user && `${user.uid}:${user.gid}` };
}
