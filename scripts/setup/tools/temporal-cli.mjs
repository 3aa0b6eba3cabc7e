/** Getting the Temporal CLI, which holds the server: the SDK's download, else a build with Go. */

import { buildWithGo, findGo } from '../download/go-build.mjs';
import { whyUnreachable } from '../download/reachability.mjs';
import { sayCannotDownload, sdkDownload } from '../download/sdk-download.mjs';
import { writableCache } from '../paths.mjs';
import { isTemporal, TEMPORAL } from './find-temporal.mjs';

const MODULE = 'github.com/temporalio/cli';
// Later versions have a `replace` in their go.mod, which `go install` refuses.
const VERSION = 'v1.5.1';
const WHAT = 'Temporal server';

const WAYS_OUT = `Any one of these will do:
  - install the Temporal CLI so that \`temporal\` is on PATH: https://docs.temporal.io/cli#install
  - set TEMPORAL_CLI to the Temporal CLI, if you have it elsewhere
  - set TEMPORAL_ADDRESS to a Temporal server that is already running, such as localhost:7233
  - install Go (https://go.dev/dl) and start again: Parley then builds the Temporal CLI itself`;

/** The download needs the SDK, so it waits for `packages`. A build does not: where nothing can be downloaded, it begins at once. */
export async function getTemporal(packages) {
  const cache = writableCache();
  const unreachable = findGo() && (await whyUnreachable());
  if (unreachable) sayCannotDownload(`the ${WHAT}`, unreachable);
  else {
    await packages;
    const downloaded = await sdkDownload(`the ${WHAT}`, 'createLocal', cache, TEMPORAL);
    if (downloaded) return downloaded;
  }
  const programs = [{ folder: 'cmd/temporal', built: TEMPORAL, kept: TEMPORAL, isIt: isTemporal }];
  const [built] = await buildWithGo({
    what: WHAT,
    module: MODULE,
    version: VERSION,
    programs,
    cache,
    waysOut: WAYS_OUT,
  });
  return built;
}
