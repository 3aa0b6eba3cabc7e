import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copySetupScripts, writeFakeProgram } from '#test/support/scripts/setup-scripts';

/**
 * The whole set-up in a small project, with a fake npm and a fake Go. Each waits for a file that proves what must be
 * true by then, and each step appends to a log, so that the order is visible without a clock.
 */
describe('the set-up', () => {
  let folder: string;
  beforeEach(() => {
    folder = copySetupScripts();
    // The SDK's servers are unreachable, whatever the network of the test.
    write(
      'scripts/setup/download/reachability.mjs',
      'export const findUnreachableReason = async () => "no such host";\n',
    );
    for (const [file, text] of [
      ['package.json', '{"name": "small", "type": "commonjs"}'],
      ['package-lock.json', '{"packages": {}}'],
      ['tsconfig.json', '{}'],
      ['src/client/parley.ts', ''],
      ['src/contract/contract.ts', ''],
      ['src/core/core.ts', ''],
      ['src/presentation/presentation.ts', ''],
      ['web/index.html', ''],
    ] as const)
      write(file, text);
    writeFakeProgram(folder, 'path/npm', npm('wait_for compiling'));
    writeFakeProgram(folder, 'path/go', go('wait_for packages-ready'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(file: string, text: string): void {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  const shell = (body: string) => `#!/bin/sh
PATH=/usr/bin:/bin
cd '${folder}'
wait_for() { until test -e "$1"; do sleep 0.05; done; }
${body}
`;
  /** Installs a compiler and a bundler that only record that they ran. */
  const npm = (before: string) =>
    shell(`${before}
echo npm >> diary
mkdir -p node_modules/typescript/bin node_modules/vite/bin
echo '{"packages": {}}' > node_modules/.package-lock.json
cat > node_modules/typescript/bin/tsc <<'END'
require('node:fs').appendFileSync('diary', 'tsc\\n');
END
cat > node_modules/vite/bin/vite.js <<'END'
const { appendFileSync, mkdirSync } = require('node:fs');
mkdirSync(process.argv[process.argv.indexOf('--outDir') + 1]);
appendFileSync('diary', 'vite\\n');
END`);
  /** A module of three packages, one of which is in Go's cache. */
  const go = (beforeLast: string) =>
    shell(`case "$1" in
mod)
  mkdir -p module
  printf 'module example.com/it\\nrequire (\\n\\texample.com/a v1\\n)\\n' > module/go.mod
  printf '{\\n\\t"Dir": "%s/module",\\n\\t"GoMod": "%s/module/go.mod"\\n}\\n' '${folder}' '${folder}' ;;
list)
  echo 'go: downloading example.com/a v1' >&2
  printf '\\nstale example.com/a\\nstale example.com/it\\n' ;;
install)
  echo "go $*" >> diary
  echo example.com/a >&2
  touch compiling
  ${beforeLast}
  echo example.com/it >&2
  printf '#!/bin/sh\\necho temporal version 1\\n' > "$GOBIN/temporal"
  chmod 755 "$GOBIN/temporal"
  echo 'go done' >> diary ;;
esac`);

  function run(args: string[], env: NodeJS.ProcessEnv = {}) {
    return spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      timeout: 150_000,
      env: {
        PATH: path.join(folder, 'path'),
        HOME: folder,
        TMPDIR: folder,
        XDG_CACHE_HOME: path.join(folder, 'cache'),
        ...env,
      },
    });
  }
  const setUp = () => run(['scripts/setup.mjs']);
  const diary = () => readFileSync(path.join(folder, 'diary'), 'utf8').trim().split('\n');
  const cached = () => path.join(folder, 'cache/parley/temporal');

  it('builds the server while npm installs, and reports the packages while it still builds', () => {
    const script = `import { writeFileSync } from 'node:fs';
      import { setUp } from './scripts/setup/steps.mjs';
      const { packages, everything } = setUp({ server: true });
      await packages;
      writeFileSync('packages-ready', '');
      await everything;`;
    const { stdout, stderr, status } = run(['--input-type=module', '-e', script]);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(diary()).toEqual([
      'go install -v github.com/temporalio/cli/cmd/temporal@v1.5.1',
      'npm',
      'tsc',
      'vite',
      'go done',
    ]);
    const known = JSON.parse(readFileSync(path.join(folder, 'dist/toolchain.json'), 'utf8'));
    expect(known).toEqual({ temporal: cached() });
    for (const line of [
      "Can't download the Temporal server: no such host",
      'Downloading the source of Temporal server…',
      'Installing packages…',
      'Building the web app…',
      'Building Temporal server with Go…',
    ])
      expect(stdout.split('\n')).toContain(line);
  });

  it('does nothing and prints nothing if everything is present', () => {
    write('packages-ready', '');
    expect(setUp()).toMatchObject({ stderr: '', status: 0 });
    const before = diary();
    expect(setUp()).toMatchObject({ stdout: '', stderr: '', status: 0 });
    expect(diary()).toEqual(before);
  });

  it('ends at once, and stops the build, if the packages cannot be installed', () => {
    // This build waits for something that never comes, so it ends only if it is stopped.
    writeFakeProgram(folder, 'path/go', go('echo $$ > building; wait_for never'));
    writeFakeProgram(folder, 'path/npm', shell('wait_for building; echo "npm error code E404"; exit 1'));
    const { stderr, status } = setUp();
    expect(stderr).toMatch(/^\s+Package installation failed:\s+npm error code E404/);
    expect(status).toBe(1);
    const building = readFileSync(path.join(folder, 'building'), 'utf8').trim();
    expect(spawnSync('sh', ['-c', `while kill -0 ${building}; do sleep 0.05; done`]).status).toBe(0);
  });

  it('says why Go could not build, without the list of compiled packages', () => {
    writeFakeProgram(folder, 'path/go', go('echo "a.go:1:1: undefined: x" >&2; echo example.com/it >&2; exit 1'));
    const { stderr } = setUp();
    expect(stderr).toContain('Go could not build Temporal server:\n\na.go:1:1: undefined: x\n\nDo one');
  });

  it('installs once if two start together', () => {
    write('packages-ready', '');
    const script = `import { spawn } from 'node:child_process';
      const ends = [1, 2].map(() => new Promise((resolve) => spawn(process.execPath, ['scripts/setup.mjs'], { stdio: 'inherit' }).on('close', resolve)));
      process.exitCode = Math.max(...(await Promise.all(ends)));`;
    expect(run(['--input-type=module', '-e', script])).toMatchObject({ stderr: '', status: 0 });
    expect(diary().sort()).toEqual([
      'go done',
      'go install -v github.com/temporalio/cli/cmd/temporal@v1.5.1',
      'npm',
      'tsc',
      'vite',
    ]);
  });
});
