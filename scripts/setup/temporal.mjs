/** Getting the Temporal CLI, which holds the server: the SDK's download, else a build with Go. */
import { renameSync } from 'node:fs';
import path from 'node:path';
import { findOnPath, isTemporal, TEMPORAL } from './find.mjs';
import { inPartialFolder, writableCache } from './places.mjs';
import { lastLines, run } from './run.mjs';
import { during, Failure, say } from './say.mjs';
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
  return (
    (await sdkDownload('the Temporal server', 'createLocal', cache, TEMPORAL)) ?? (await goInstall(cache))
  );
}

async function goInstall(cache) {
  const go = findOnPath('go');
  if (!go) {
    throw new Failure(`There is no Temporal server here, and no Go to build one with.\n\n${WAYS_OUT}`);
  }
  return inPartialFolder(cache, async (folder) => {
    const { ok, output } = await during('Building the Temporal server with Go, once: about 4 minutes', () =>
      run(go, ['install', SOURCE], { env: goEnvironment(folder) }),
    );
    const built = path.join(folder, TEMPORAL);
    if (!ok || !(await isTemporal(built))) {
      throw new Failure(`Go could not build the Temporal server:\n\n${lastLines(output)}\n\n${WAYS_OUT}`);
    }
    renameSync(built, path.join(cache, TEMPORAL));
    say(`  Kept in ${cache} for the next time.`);
    return path.join(cache, TEMPORAL);
  });
}

function goEnvironment(folder) {
  // Go refuses GOBIN when it is set to build for another machine.
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env;
  return { ...env, GOBIN: folder };
}
