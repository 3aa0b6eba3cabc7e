/** Getting a program from the system's packages, where this is a Debian or Ubuntu and we may: in a container, mostly. */
import { findOnPath } from './find.mjs';
import { run } from './run.mjs';
import { during } from './say.mjs';

/** Resolves to {ok, output}, or undefined where it cannot even be tried. */
export async function aptInstall(name, what) {
  const apt = findOnPath('apt-get');
  if (process.platform !== 'linux' || !apt || process.getuid() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return during(`Installing ${what} with apt-get`, async () => {
    const updated = await run(apt, ['update'], { env });
    if (!updated.ok) return updated;
    return run(apt, ['install', '-y', '--no-install-recommends', name], { env });
  });
}
