/** A server by the SDK's own download. It knows the version that goes with it, and where to get it. */
import { readdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLine, run } from '../exec.mjs';
import { during, say } from '../log.mjs';
import { inPartialFolder } from '../paths.mjs';

const CHILD = fileURLToPath(new URL('./sdk-download-child.mjs', import.meta.url));
const PATIENCE = 30_000;

/** Resolves to the file, or undefined where it cannot be downloaded, having said why. */
export function sdkDownload(what, kind, cache, name) {
  return inPartialFolder(cache, async (folder) => {
    const { ok, output } = await during(`Downloading ${what}`, (tell) =>
      run(process.execPath, [CHILD, kind, folder], { stalled: noProgressIn(folder, tell) }),
    );
    const [file] = readdirSync(folder).filter((each) => !each.endsWith('.downloading'));
    if (ok && file) {
      renameSync(path.join(folder, file), path.join(cache, name));
      return path.join(cache, name);
    }
    sayCannotDownload(what, lastLine(output));
    return undefined;
  });
}

export function sayCannotDownload(what, reason) {
  say(`${what[0].toUpperCase()}${what.slice(1)} cannot be downloaded here: ${reason}`);
}

/** The SDK sets no time limit of its own, and a firewall that swallows packets would have us wait for ever. */
function noProgressIn(folder, tell) {
  let size = -1;
  let since = Date.now();
  return () => {
    const now = readdirSync(folder).reduce((sum, file) => sum + sizeOf(path.join(folder, file)), 0);
    if (now !== size) [size, since] = [now, Date.now()];
    if (size > 0) tell({ done: Math.round(size / 1e6), unit: 'MB' });
    return Date.now() - since > PATIENCE ? `no progress for ${PATIENCE / 1000} s` : undefined;
  };
}

function sizeOf(file) {
  // It may be renamed between being listed and being looked at.
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
