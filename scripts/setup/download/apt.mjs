/** Installs a program from the system's packages, on Debian and Ubuntu as root, usually in a container. */

import { runProgram } from '../exec.mjs';
import { withProgress } from '../log.mjs';
import { findOnPath } from '../tools/find-temporal.mjs';

let lastInstall = Promise.resolve();

/**
 * Resolves to {ok, output}, or undefined if apt cannot be used. Runs one at a time, because apt-get locks out a second
 * process.
 */
export async function installWithApt(name, what) {
  const apt = findOnPath('apt-get');
  if (process.platform !== 'linux' || !apt || process.getuid() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  lastInstall = lastInstall.then(() =>
    withProgress(`Installing ${what} with apt-get`, async () => {
      const updated = await runProgram(apt, ['update'], { env });
      if (!updated.ok) return updated;
      return runProgram(apt, ['install', '-y', '--no-install-recommends', name], { env });
    }),
  );
  return lastInstall;
}
