/**
 * `npm test`: jest, with what it is given passed on, and at the end one plain line that counts the tests. All of them are
 * run in two goes: beside a browser, which takes a core for itself, whatever is about time would be tried unfairly.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { PROJECT } from './setup/places.mjs';

const ENCRYPTED = '--encrypted';
const POSTGRES = '--postgres';
/** What has to do with a Temporal server. The rest is the same on any. */
const ON_A_SERVER = [
  'api',
  'workflows',
  'channels',
  'process',
  'temporal',
  'client',
  'postgres',
  'docs.test.ts',
];
const jest = path.join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
// Last: jest would take a file name after them for one more.
const reporters = ['--reporters=default', `--reporters=${path.join(PROJECT, 'scripts', 'count-tests.mjs')}`];
const given = process.argv.slice(2).filter((word) => ![ENCRYPTED, POSTGRES].includes(word));
// Every payload of every test then goes to Temporal encrypted.
if (process.argv.includes(ENCRYPTED))
  process.env.PARLEY_TEST_ENCRYPTION ||= `test:${randomBytes(32).toString('base64')}`;
// They run on a Temporal server as production has it.
if (process.argv.includes(POSTGRES)) process.env.PARLEY_TEST_POSTGRES = '1';
const goes = given.length > 0 ? [given] : process.env.PARLEY_TEST_POSTGRES ? [onAServer()] : all();

let child;
let isStopped = false;
// Ctrl-C reaches jest too: wait for it to tidy up. Other signals do not, so pass them on.
process.on('SIGINT', () => {
  isStopped = true;
});
process.on('SIGTERM', () => {
  isStopped = true;
  child.kill('SIGTERM');
});

let passed = 0;
let failed = 0;
let code = 0;
for (const args of goes) {
  if (isStopped) break;
  const went = await go(args);
  passed += went.passed;
  failed += went.failed;
  code ||= went.code;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(code);

function all() {
  return [['--testPathIgnorePatterns=/test/(web|postgres)/'], ['--maxWorkers=2', 'test/web']];
}

function onAServer() {
  return ON_A_SERVER.map((name) => path.join(PROJECT, 'test', name));
}

/** A run that ends without a count has failed. */
function go(args) {
  return new Promise((resolve) => {
    child = spawn(process.execPath, [jest, ...args, ...reporters], {
      cwd: PROJECT,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    let count = { passed: 0, failed: 1 };
    child.on('message', (told) => {
      count = told;
    });
    child.on('close', (code) => resolve({ ...count, code: code ?? 1 }));
  });
}
