/** tmux, which provides the screen and keyboard for the tests of the terminal client. */
import { installWithApt } from '../download/apt.mjs';
import { lastLines } from '../exec.mjs';
import { SetupError } from '../log.mjs';
import { findOnPath } from './find-temporal.mjs';

const INSTALL_HINT = 'The CLI tests need tmux. Install it, so that it is on PATH.';

export function findTmux(env = process.env) {
  return findOnPath('tmux', env);
}

export async function installTmux() {
  const result = await installWithApt('tmux', 'tmux');
  const found = result?.ok ? findTmux() : undefined;
  if (found) return found;
  throw new SetupError(
    result ? `apt-get could not install tmux:\n\n${lastLines(result.output)}\n\n${INSTALL_HINT}` : INSTALL_HINT,
  );
}
