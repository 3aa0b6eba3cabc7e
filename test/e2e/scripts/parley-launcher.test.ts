import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LAUNCHER = path.join(__dirname, '../../../scripts/parley.mjs');
/** A set-up that records its arguments, and builds a client that prints its own. */
const FAKE_SETUP = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
console.log('Building …');
appendFileSync('set-ups', process.argv.slice(2).join(' ') + '\\n');
mkdirSync('dist/src/cli', { recursive: true });
writeFileSync('dist/src/cli/main.js', 'console.log(process.argv.slice(2).join(" "))');
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-launcher-'));
  mkdirSync(path.join(folder, 'scripts'));
  copyFileSync(LAUNCHER, path.join(folder, 'scripts/parley.mjs'));
  writeFileSync(path.join(folder, 'scripts/setup.mjs'), FAKE_SETUP);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]) {
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/parley.mjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { stdout, stderr };
}
const listSetUps = () => readFileSync(path.join(folder, 'set-ups'), 'utf8').trim().split('\n');

it('builds the client the first time, and leaves stdout to it', () => {
  expect(run('list', '--json')).toEqual({ stdout: 'list --json\n', stderr: 'Building …\n' });
  expect(run('list')).toEqual({ stdout: 'list\n', stderr: '' });
  expect(listSetUps()).toEqual(['--no-server']);
});

it('updates the build before every admin command, because a replay tests the current source', () => {
  run('list');
  expect(run('admin', 'replay', '--open')).toEqual({ stdout: 'admin replay --open\n', stderr: 'Building …\n' });
  expect(listSetUps()).toEqual(['--no-server', '--no-server']);
});
