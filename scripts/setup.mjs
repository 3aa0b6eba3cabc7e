/**
 * Set-up behind npm start, dev, api, worker and others: packages, build, a Temporal server.
 * Plain Node, no packages: it has to run before anything is installed.
 *
 *   --no-server  packages and build only
 *   --test       also a Temporal server, the time-skipping test server, a Chromium and tmux
 *   --postgres   also PostgreSQL and a Temporal server that runs on it
 */
import { Failure, fail } from './setup/log.mjs';
import { setUp } from './setup/steps.mjs';

const isAsked = (flag) => process.argv.includes(flag);

try {
  await setUp({
    // Tests run on a server of their own, never on the one TEMPORAL_ADDRESS names.
    server: !(isAsked('--no-server') || process.env.TEMPORAL_ADDRESS),
    tests: isAsked('--test'),
    postgres: isAsked('--postgres'),
  }).everything;
} catch (error) {
  fail(error instanceof Failure ? error.message : error.stack);
}
