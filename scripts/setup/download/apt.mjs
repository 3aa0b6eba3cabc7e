/** Getting a program from the system's packages, on Debian and Ubuntu, where we are root: mostly in a container. */

import { run } from '../exec.mjs';
import { during } from '../log.mjs';
import { findOnPath } from '../tools/find-temporal.mjs';

let last = Promise.resolve();

/** Resolves to {ok, output}, or undefined where it cannot even be tried. One at a time: apt-get locks out a second. */
export async function aptInstall(name, what) {
  const apt = findOnPath('apt-get');
  if (process.platform !== 'linux' || !apt || process.getuid() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  last = last.then(() =>
    during(`Installing ${what} with apt-get`, async () => {
      const updated = await run(apt, ['update'], { env });
      if (!updated.ok) return updated;
      return run(apt, ['install', '-y', '--no-install-recommends', name], { env });
    }),
  );
  return last;
}
