import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PROJECT = path.join(__dirname, '../../..');

/** The set-up's own build of the web app, with the installed Vite, in a small project. */
describe('the build of the web app', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-web-build-'));
    cpSync(path.join(PROJECT, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
    cpSync(path.join(PROJECT, 'web/vite.config.mts'), path.join(folder, 'web/vite.config.mts'));
    symlinkSync(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
    for (const source of ['client', 'contract', 'core', 'presentation'])
      mkdirSync(path.join(folder, 'src', source), { recursive: true });
    write('package.json', '{"name": "small", "type": "commonjs"}');
    write('package-lock.json', '{}');
    write('tsconfig.json', '{}');
    write('src/client/parley.ts', 'export const greeting = "Hello";');
    write('web/index.html', '<!doctype html><title>Small</title><script type="module" src="/main.ts"></script>');
    mkdirSync(path.join(folder, 'web/docs'));
    write('web/docs/index.html', '<!doctype html><title>Small docs</title>');
    write('web/main.ts', 'import { greeting } from "../src/client/parley";\nconsole.log(greeting);');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text);
  const webFolder = () => path.join(folder, 'dist/web');

  /** Checks whether a build is needed, and builds; only the web app's two functions. */
  function setUp(env: NodeJS.ProcessEnv = {}): { built: boolean; failure?: string } {
    const code = `import { buildWeb, isWebBuilt } from './scripts/setup/packages/build-web.mjs';
      const before = isWebBuilt();
      let failure;
      if (!before) await buildWeb().catch((error) => { failure = error.constructor.name + ': ' + error.message; });
      console.log(JSON.stringify({ built: !before, failure }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 150_000,
      env: { PATH: process.env.PATH, ...env },
    });
    const said = stdout.trim().split('\n').at(-1) ?? '';
    if (!said.startsWith('{')) throw new Error(stderr || stdout);
    return JSON.parse(said);
  }
  const scripts = () => {
    const assets = path.join(webFolder(), 'assets');
    const names = readdirSync(assets).filter((name) => name.endsWith('.js'));
    return names.map((name) => readFileSync(path.join(assets, name), 'utf8')).join('\n');
  };

  it('runs once, and again when one of its inputs has changed', () => {
    expect(setUp()).toEqual({ built: true });
    expect(readFileSync(path.join(webFolder(), 'index.html'), 'utf8')).toMatch(/\/assets\/index-[\w-]+\.js/);
    expect(scripts()).toContain('Hello');
    expect(setUp()).toEqual({ built: false });

    for (const [file, text, seen] of [
      ['src/client/parley.ts', 'export const greeting = "Good evening";', 'Good evening'],
      ['web/main.ts', 'console.log("Good night");', 'Good night'],
      ['web/extra.ts', '', 'Good night'],
      ['package-lock.json', '{"lockfileVersion": 3}', 'Good night'],
    ] as const) {
      write(file, text);
      expect([file, setUp()]).toEqual([file, { built: true }]);
      expect(scripts()).toContain(seen);
    }
    expect(readdirSync(path.join(webFolder(), 'assets')).filter((name) => name.endsWith('.js'))).toHaveLength(1);
    expect(setUp()).toEqual({ built: false });
    expect(readdirSync(path.join(folder, 'dist'))).toEqual(['web']);
  });

  it('is all or nothing: a failed build leaves the old one, and says why', () => {
    setUp();
    const before = scripts();
    write('web/main.ts', 'import { gone } from "./nowhere";\nconsole.log(gone);');
    const { failure = '' } = setUp();
    expect(failure).toMatch(/^SetupError: The web app build failed:/);
    expect(failure).toContain("Could not resolve './nowhere'");
    expect(failure).not.toContain('\x1b');
    expect(failure).not.toContain('node_modules');
    expect(scripts()).toBe(before);
    expect(readdirSync(path.join(folder, 'dist'))).toEqual(['web']);
    write('web/main.ts', 'console.log("mended");');
    expect(setUp()).toEqual({ built: true });
    expect(scripts()).toContain('mended');
  });

  it('is for production, whatever the environment says', () => {
    write('web/main.ts', 'console.log(process.env.NODE_ENV);');
    setUp({ NODE_ENV: 'development' });
    expect(scripts()).toContain('production');
  });
});
