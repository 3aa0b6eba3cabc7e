/** Installs the Temporal CLI, which contains the server: the SDK's download, else a build with Go. */

import { buildWithGo, findGo } from '../download/go-build.mjs';
import { findUnreachableReason } from '../download/reachability.mjs';
import { downloadWithSdk, printDownloadFailure } from '../download/sdk-download.mjs';
import { findWritableCache } from '../paths.mjs';
import { isTemporalCli, TEMPORAL_CLI_FILE } from './find-temporal.mjs';

const MODULE = 'github.com/temporalio/cli';
// Later versions have a `replace` in their go.mod, which `go install` rejects.
const VERSION = 'v1.5.1';
const PROGRAM_NAME = 'Temporal server';

const INSTALL_HINT = `Do one of the following:
  - Install the Temporal CLI, so that \`temporal\` is on PATH: https://docs.temporal.io/cli#install
  - Set TEMPORAL_CLI to the path of the Temporal CLI.
  - Set TEMPORAL_ADDRESS to a running Temporal server, such as localhost:7233.
  - Install Go (https://go.dev/dl) and try again: Parley then builds the Temporal CLI.`;

/**
 * Installs the CLI. The download needs the SDK, so it waits for `packages`. A build does not, so it starts at once if
 * downloads are impossible.
 */
export async function installTemporalCli(packages) {
  const cache = findWritableCache();
  const unreachable = findGo() && (await findUnreachableReason());
  if (unreachable) printDownloadFailure(`the ${PROGRAM_NAME}`, unreachable);
  else {
    await packages;
    const downloaded = await downloadWithSdk(`the ${PROGRAM_NAME}`, 'createLocal', cache, TEMPORAL_CLI_FILE);
    if (downloaded) return downloaded;
  }
  const programs = [
    { folder: 'cmd/temporal', builtName: TEMPORAL_CLI_FILE, cachedName: TEMPORAL_CLI_FILE, isProgram: isTemporalCli },
  ];
  const [built] = await buildWithGo({
    what: PROGRAM_NAME,
    module: MODULE,
    version: VERSION,
    programs,
    cache,
    installHint: INSTALL_HINT,
  });
  return built;
}
