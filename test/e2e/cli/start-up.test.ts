import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { CLI_MAIN_FILE } from '#test/support/cli/run-cli';

const PRINT_LOADED_MODULES = path.join(__dirname, '../../support/cli/print-loaded-modules.js');

/** Runs `parley` with these arguments, and lists the modules it has loaded by its end. */
function listLoadedModules(args: string[]) {
  const argv = ['--require', PRINT_LOADED_MODULES, CLI_MAIN_FILE, ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  const loaded: string[] = JSON.parse(stderr.slice(stderr.indexOf('["')));
  expect(loaded).toContain(CLI_MAIN_FILE);
  return { status, stdout, loaded };
}

/** Loading modules is most of the start-up time, so heavy modules are loaded only by the commands that need them. */
it.each([
  [['--help'], 'doctor'],
  [['admin', '--help'], 'promote'],
])('shows its help with few modules loaded, none of them heavy: %j', (args, word) => {
  const { status, stdout, loaded } = listLoadedModules(args);
  expect([status, stdout]).toEqual([0, expect.stringContaining(word)]);
  const heavy = /\/node_modules\/(zod|re2js|markdown-it|@temporalio)\//;
  expect(loaded.filter((file) => heavy.test(file))).toEqual([]);
  expect(loaded.length).toBeLessThan(60);
});

it('loads nothing of worker, channels and admin commands to list conversations', () => {
  // Nothing listens there.
  const { status, loaded } = listLoadedModules(['list', '--url', 'http://127.0.0.1:1']);
  expect(status).toBe(1);
  expect(loaded.some((file) => file.endsWith('/cli/commands/list.js'))).toBe(true);
  const admin =
    /\/node_modules\/(@temporalio|nodemailer|@slack)\/|\/dist\/src\/(worker|channels|agents|tools)\/|\/cli\/admin\/(?!command-table)/;
  expect(loaded.filter((file) => admin.test(file))).toEqual([]);
});
