import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { CLI_MAIN_FILE } from '#test/support/cli/run-cli';

const PRINT_LOADED_MODULES = path.join(__dirname, '../../support/cli/print-loaded-modules.js');

/** Loading modules is most of the start-up time, so heavy modules are loaded only by the commands that need them. */
it('shows its help with few modules loaded, and none of the heavy ones', () => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--require', PRINT_LOADED_MODULES, CLI_MAIN_FILE, '--help'],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stdout]).toEqual([0, expect.stringContaining('doctor')]);
  const loaded: string[] = JSON.parse(stderr);
  expect(loaded).toContain(CLI_MAIN_FILE);
  const heavy = /\/node_modules\/(zod|re2js|markdown-it)\//;
  expect(loaded.filter((file) => heavy.test(file))).toEqual([]);
  expect(loaded.length).toBeLessThan(60);
});
