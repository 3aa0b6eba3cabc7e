/** `npm test`: jest, with what it is given passed on, and at the end one plain line that counts the tests. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT } from './setup/places.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-test-'));
const report = path.join(folder, 'report.json');
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const jest = path.join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
const args = [jest, '--json', `--outputFile=${report}`, ...process.argv.slice(2)];
// With --json jest writes its report on stdout too, when it has no file to write to; what people read is on stderr.
const child = spawn(process.execPath, args, { cwd: PROJECT, stdio: ['inherit', 'ignore', 'inherit'] });
// Ctrl-C reaches jest too: wait for it to tidy up. Other signals do not, so pass them on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => {
  const { passed, failed } = count();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(code ?? 1);
});

/** A suite that could not run has no tests to count, and is a failure all the same; so is a run with no report. */
function count() {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report));
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
