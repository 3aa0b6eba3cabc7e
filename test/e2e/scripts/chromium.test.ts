import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copySetupScripts, writeFakeProgram } from '#test/support/scripts/setup-scripts';
import { findChromium } from '#test/support/web/chromium';

const WORKS = '#!/bin/sh\necho "Chromium 150.0.1"\n';
const BROKEN = '#!/bin/sh\necho "install the snap first" >&2\nexit 1\n';
const OTHER = '#!/bin/sh\necho "Firefox 140"\n';

/** The set-up's search for Chromium, and its ways to get one, with fake programs. */
describe('Chromium for the end-to-end tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = copySetupScripts();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const program = (file: string, text: string) => writeFakeProgram(folder, file, text);
  /** Playwright's installer, as the body of its script; it can call `put`. */
  function installer(body: string): void {
    const file = path.join(folder, 'node_modules/playwright-core/cli.js');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(
      file,
      `const { mkdirSync, writeFileSync, existsSync } = require('node:fs');
       const folder = process.env.PLAYWRIGHT_BROWSERS_PATH;
       const shell = folder + '/chromium_headless_shell-1/chrome-headless-shell-linux64';
       const put = (text) => { mkdirSync(shell, { recursive: true }); writeFileSync(shell + '/chrome-headless-shell', text, { mode: 0o755 }); };
       if (process.argv.slice(2).join(' ') !== 'install chromium-headless-shell') throw new Error('called otherwise');
       ${body}`,
    );
  }
  function call(code: string, env: NodeJS.ProcessEnv = {}): { found?: string; failure?: string; said: string } {
    const script = `import { findChromium } from './scripts/setup/tools/find-chromium.mjs';
      import { installChromium } from './scripts/setup/tools/chromium.mjs';
      const result = await (${code}).then((found) => ({ found }), (error) => ({ failure: error.constructor.name + ': ' + error.message }));
      console.log('\\n' + JSON.stringify(result));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 150_000,
      env: {
        PATH: path.join(folder, 'path'),
        HOME: folder,
        XDG_CACHE_HOME: path.join(folder, 'cache'),
        ...env,
      },
    });
    const last = stdout.trim().split('\n').at(-1) ?? '';
    if (!last.startsWith('{')) throw new Error(stderr || stdout);
    return { ...JSON.parse(last), said: stdout };
  }
  const find = (env?: NodeJS.ProcessEnv) => call('findChromium()', env);
  const get = (code = 'installChromium()') => call(code);
  const asSomebody = 'process.getuid = () => 1000, installChromium()';

  it('was found by the set-up, and starts', () => {
    const { stdout } = spawnSync(findChromium(), ['--version'], { encoding: 'utf8' });
    expect(stdout).toMatch(/chrom|edge/i);
  });

  it('is the one in PARLEY_CHROMIUM, before all others', () => {
    program('path/chromium', WORKS);
    const named = program('elsewhere/my-browser', WORKS);
    expect(find({ PARLEY_CHROMIUM: named }).found).toBe(named);
  });

  it('is not searched for elsewhere if PARLEY_CHROMIUM does not work', () => {
    program('path/chromium', WORKS);
    const broken = program('elsewhere/my-browser', BROKEN);
    expect(find({ PARLEY_CHROMIUM: broken }).failure).toContain(`${broken}, which is not Chromium`);
    const nothing = path.join(folder, 'nothing');
    expect(find({ PARLEY_CHROMIUM: nothing }).failure).toMatch(/^SetupError: PARLEY_CHROMIUM is .*nothing,/);
  });

  it.each(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'])(
    'is found on PATH as %s',
    (name) => {
      const file = program(`path/${name}`, WORKS);
      expect(find().found).toBe(file);
    },
  );

  it('must start, and be what its name says', () => {
    program('path/chromium', BROKEN);
    program('path/chromium-browser', OTHER);
    expect(find().found).toBeUndefined();
    const works = program('path/google-chrome', WORKS);
    expect(find().found).toBe(works);
  });

  it('is downloaded into the cache if missing, and found there from then on', () => {
    installer(`put(${JSON.stringify(WORKS)});`);
    const { found = '' } = get();
    expect(found).toContain(path.join('cache', 'parley', 'chromium'));
    expect(existsSync(found)).toBe(true);
    expect(find().found).toBe(found);
  });

  it.each([
    ['cannot be downloaded', 'console.error("Error: getaddrinfo ENOTFOUND cdn"); process.exit(1);', 'ENOTFOUND'],
    ['does not start', `put(${JSON.stringify(BROKEN)});`, 'does not start on this machine'],
  ])('is explained if it %s and may not be installed', (_what, body, why) => {
    installer(body);
    program('path/apt-get', '#!/bin/sh\nexit 1\n');
    const { failure, said } = get(asSomebody);
    expect(said).toContain(why);
    expect(failure).toMatch(/^SetupError: .*need Chromium/);
    expect(failure).toContain('PARLEY_CHROMIUM');
    expect(find().found).toBeUndefined();
  });

  const asRoot =
    'Object.defineProperty(process, "platform", { value: "linux" }), process.getuid = () => 0, installChromium()';
  const unreachable = 'process.exit(1);';

  it('is installed by apt-get as root if it cannot be downloaded', () => {
    installer(unreachable);
    const file = path.join(folder, 'path/chromium');
    program(
      'path/apt-get',
      `#!/bin/sh
echo "$DEBIAN_FRONTEND $@" >> '${folder}/called'
test "$1" = update || { printf '${WORKS.replaceAll('\n', '\\n')}' > '${file}'; /bin/chmod 755 '${file}'; }
`,
    );
    const { found, said } = get(asRoot);
    expect(found).toBe(file);
    expect(said).toContain('Installing Chromium with apt-get');
    const called = spawnSync('cat', [path.join(folder, 'called')], { encoding: 'utf8' }).stdout;
    expect(called).toBe('noninteractive update\nnoninteractive install -y --no-install-recommends chromium\n');
  });

  it('is explained if apt-get fails', () => {
    installer(unreachable);
    program('path/apt-get', '#!/bin/sh\necho "E: no such package"; exit 100\n');
    const { failure } = get(asRoot);
    expect(failure).toMatch(/^SetupError: apt-get could not install Chromium:\s+E: no such package/);
    expect(failure).toContain('PARLEY_CHROMIUM');
  });
});
