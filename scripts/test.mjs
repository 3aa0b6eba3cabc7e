/** `npm test`: jest, with what it is given passed on, and at the end one plain line that counts the tests. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { PROJECT } from './setup/places.mjs';

const jest = path.join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
// Last: jest would take a file name after them for one more.
const reporters = ['--reporters=default', `--reporters=${path.join(PROJECT, 'scripts', 'count-tests.mjs')}`];
const child = spawn(process.execPath, [jest, ...process.argv.slice(2), ...reporters], {
  cwd: PROJECT,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});

// A run that ends without a count has failed.
let count = { passed: 0, failed: 1 };
child.on('message', (told) => {
  count = told;
});
// Ctrl-C reaches jest too: wait for it to tidy up. Other signals do not, so pass them on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('close', (code) => {
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exit(code ?? 1);
});
