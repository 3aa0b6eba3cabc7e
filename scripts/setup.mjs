/**
 * Set-up for npm start, dev, api, worker and others: packages, build, a Temporal server.
 * Plain Node without packages, because it runs before anything is installed.
 *
 *   --no-server  packages and build only
 *   --test       also a Temporal server, the time-skipping test server, a Chromium and tmux
 *   --postgres   also PostgreSQL and a Temporal server that runs on it
 */
import { exitWithError, SetupError } from './setup/log.mjs';
import { setUp } from './setup/steps.mjs';

const hasFlag = (flag) => process.argv.includes(flag);

try {
  await setUp({
    // Tests run on their own server, never on the one in TEMPORAL_ADDRESS.
    server: !(hasFlag('--no-server') || process.env.TEMPORAL_ADDRESS),
    tests: hasFlag('--test'),
    postgres: hasFlag('--postgres'),
  }).everything;
} catch (error) {
  exitWithError(error instanceof SetupError ? error.message : error.stack);
}
