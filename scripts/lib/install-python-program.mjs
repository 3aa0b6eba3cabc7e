/** Installs programs from PyPI, each into its own virtual environment in the cache. */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { canRunProgram, lastLines, runProgram } from '../setup/exec.mjs';
import { SetupError, withProgress } from '../setup/log.mjs';
import { findWritableCache, inTemporaryFolder } from '../setup/paths.mjs';

/** Returns the path of the program, which has the name of its package. */
export async function installPythonProgram(name, version, extra = '') {
  const cache = findWritableCache();
  const folder = path.join(cache, `${name}-${version}`);
  const program = path.join(folder, 'bin', name);
  if (existsSync(program) && (await canRunProgram(program, ['--version'], /version/i))) return program;
  if (!(await canRunProgram('python3', ['--version'], /Python 3/)))
    throw new SetupError(`${name} needs Python 3.10 or later. Install it and try again.`);
  // A virtual environment cannot be moved, so it is created in its final folder.
  await inTemporaryFolder(cache, async () => {
    rmSync(folder, { recursive: true, force: true });
    await runStep('Creating a Python environment', 'python3', ['-m', 'venv', folder]);
    const pip = path.join(folder, 'bin', 'pip');
    await runStep(`Installing ${name}`, pip, ['install', '--quiet', `${name}${extra}==${version}`]);
  });
  return program;
}

async function runStep(what, command, args) {
  const { ok, output } = await withProgress(what, () => runProgram(command, args));
  if (!ok) throw new SetupError(`${what} failed:\n\n${lastLines(output)}`);
}
