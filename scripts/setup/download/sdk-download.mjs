/** Downloads a server through the SDK, which knows the matching version and its URL. */
import { readdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLine, runProgram } from '../exec.mjs';
import { print, withProgress } from '../log.mjs';
import { inTemporaryFolder } from '../paths.mjs';

const CHILD_SCRIPT = fileURLToPath(new URL('./sdk-download-child.mjs', import.meta.url));
const STALL_TIMEOUT_MS = 30_000;

/** Resolves to the file, or to undefined after printing why it cannot be downloaded. */
export function downloadWithSdk(what, kind, cache, name) {
  return inTemporaryFolder(cache, async (folder) => {
    const { ok, output } = await withProgress(`Downloading ${what}`, (onProgress) =>
      runProgram(process.execPath, [CHILD_SCRIPT, kind, folder], {
        findStallReason: createStallCheck(folder, onProgress),
      }),
    );
    const [file] = readdirSync(folder).filter((each) => !each.endsWith('.downloading'));
    if (ok && file) {
      renameSync(path.join(folder, file), path.join(cache, name));
      return path.join(cache, name);
    }
    printDownloadFailure(what, lastLine(output));
    return undefined;
  });
}

export function printDownloadFailure(what, reason) {
  print(`Can't download ${what}: ${reason}`);
}

/** Detects a stalled download. The SDK has no timeout, and a firewall that drops packets would block it forever. */
function createStallCheck(folder, onProgress) {
  let size = -1;
  let since = Date.now();
  return () => {
    const now = readdirSync(folder).reduce((sum, file) => sum + fileSize(path.join(folder, file)), 0);
    if (now !== size) [size, since] = [now, Date.now()];
    if (size > 0) onProgress({ done: Math.round(size / 1e6), unit: 'MB' });
    return Date.now() - since > STALL_TIMEOUT_MS ? `no progress for ${STALL_TIMEOUT_MS / 1000} s` : undefined;
  };
}

function fileSize(file) {
  // The file may be renamed between listing and reading its size.
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
