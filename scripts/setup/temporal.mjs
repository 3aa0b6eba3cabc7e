/** Getting the Temporal CLI, which holds the server: the SDK's download, else a build with Go. */
import { isTemporal, TEMPORAL } from './find.mjs';
import { buildWithGo } from './go.mjs';
import { writableCache } from './places.mjs';
import { sdkDownload } from './sdk-download.mjs';

// Later versions have a `replace` in their go.mod, which `go install` refuses.
const SOURCE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';

const WAYS_OUT = `Any one of these will do:
  - install the Temporal CLI so that \`temporal\` is on PATH: https://docs.temporal.io/cli#install
  - set TEMPORAL_CLI to the Temporal CLI, if you have it elsewhere
  - set TEMPORAL_ADDRESS to a Temporal server that is already running, such as localhost:7233
  - install Go (https://go.dev/dl) and start again: Parley then builds the Temporal CLI itself`;

export async function getTemporal() {
  const cache = writableCache();
  const downloaded = await sdkDownload('the Temporal server', 'createLocal', cache, TEMPORAL);
  if (downloaded) return downloaded;
  const programs = [{ source: SOURCE, built: TEMPORAL, kept: TEMPORAL, isIt: isTemporal }];
  const [built] = await buildWithGo({
    what: 'Temporal server',
    minutes: 4,
    programs,
    cache,
    waysOut: WAYS_OUT,
  });
  return built;
}
