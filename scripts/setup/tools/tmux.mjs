/** tmux, for the tests of the terminal client: it has the screen that they look at and the keys that they press. */
import { aptInstall } from '../download/apt.mjs';
import { lastLines } from '../exec.mjs';
import { Failure } from '../log.mjs';
import { findOnPath } from './find-temporal.mjs';

const WAYS_OUT = 'The tests of the terminal client need tmux: install it, so that it is on PATH.';

export function findTmux(env = process.env) {
  return findOnPath('tmux', env);
}

export async function getTmux() {
  const got = await aptInstall('tmux', 'tmux');
  const found = got?.ok ? findTmux() : undefined;
  if (found) return found;
  throw new Failure(got ? `apt-get could not install tmux:\n\n${lastLines(got.output)}\n\n${WAYS_OUT}` : WAYS_OUT);
}
