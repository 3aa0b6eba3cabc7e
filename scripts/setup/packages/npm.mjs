/** Runs npm quietly. Resolves to {ok, output}. */
import { runProgram } from '../exec.mjs';

/**
 * Runs npm without package scripts: none is needed (`allowScripts` in package.json), and a malicious one would run as
 * the user who installs it.
 */
export function runNpm(...command) {
  const [program, first] = findNpm();
  const args = [...first, ...command, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // Only npm itself needs a shell, and only on Windows, where it is a .cmd file.
  return runProgram(program, args, { shell: program === 'npm' && process.platform === 'win32' });
}

/** Returns the npm that runs this script, through the current Node, else the one on PATH. */
function findNpm() {
  const running = process.env.npm_execpath ?? '';
  return /npm-cli\.c?js$/.test(running) ? [process.execPath, [running]] : ['npm', []];
}
