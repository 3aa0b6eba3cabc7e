import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findTemporalCli } from '#infra/temporal/toolchain';

const root = path.join(__dirname, '../..');

/** The shell blocks of a page, in order. */
function shellBlocksOf(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** What `npm start` and `npx parley` run, without the set-up. */
const COMMANDS = `
npm() { exec node dist/src/main.js; }
npx() { shift; command node dist/src/cli/main.js "$@"; }
`;

/** What a block prints, and what a person types into it. */
const EXPECTED: [block: string, output: RegExp, typed?: string][] = [
  ['get_id() {', /^$/],
  ['"Plan our team offsite"}\' | get_id)\necho', /^c-\w+\n$/],
  ['question-1\n', /"q1"/],
  ['The moon', /"answers\.q1"[\s\S]*City centre[\s\S]*\n400\n$/],
  ['A sailing lesson', /\n200\n$/],
  ['"Countryside"', /A sailing lesson[\s\S]*\n409\n$/],
  ['"Yes, proceed"', /"question-2"/],
  ['Last-Event-ID', /"status":"completed"[\s\S]*event: done/],
  ['npx parley start "', /Seaside/, 'Seaside\nWorkshops\nyes\n'],
  ['npx parley watch', /Place: Seaside/],
  ['workflow signal', /"question-2"/],
  ['"No, cancel"', /"status":"completed"/],
  ['parley admin key', /me=admin=/],
  ['PARLEY_API_KEY=', /"code":"unauthenticated"[\s\S]*ancel/],
  ['npx parley admin agents', /gardener/],
  ['"agent": "gardener"', /"agent":"gardener"/],
  ['/v1/hooks/intake', /^\{"id":"c-\w+"/],
];

/** The blocks of the pages, followed literally in a copy of the clone with two terminals. */
describe('the commands in the documentation', () => {
  const clone = mkdtempSync(path.join(tmpdir(), 'parley-docs-'));
  let server: ChildProcess | undefined;
  let shell: ChildProcess;
  let url = '';
  let printed = '';

  /** Runs a block with `npm start` in the first terminal, after Ctrl-C. Resolves once Parley is running. */
  async function start(block: string): Promise<void> {
    await stopServer();
    const env = { PATH: process.env.PATH, PORT: url ? new URL(url).port : '0', TEMPORAL_CLI: findTemporalCli() };
    const child = spawn('bash', ['-c', COMMANDS + block], { cwd: clone, env });
    server = child;
    let output = '';
    url = await new Promise((resolve, reject) => {
      const onOutput = (chunk: Buffer) => {
        output += chunk;
        const [, address] = /API +(http:\S+)[\s\S]*Ctrl-C/.exec(output) ?? [];
        if (address) resolve(address);
      };
      child.stdout.on('data', onOutput);
      child.stderr.on('data', onOutput);
      child.once('close', (code) => reject(new Error(`npm start ended with ${code}: ${output}`)));
    });
  }

  async function stopServer(): Promise<void> {
    if (!server || server.exitCode !== null) return;
    const closed = new Promise((resolve) => server?.once('close', resolve));
    server.kill('SIGINT');
    await closed;
  }

  /** Runs a block in the second terminal. Resolves to what it printed. */
  async function run(block: string, typed = ''): Promise<string> {
    printed = '';
    writeFileSync(path.join(clone, 'typed'), typed);
    writeFileSync(path.join(clone, 'block'), block.replaceAll('http://127.0.0.1:3000', url));
    shell.stdin?.write(`PARLEY_URL=${url} . ./block < typed && echo "<ok>" || echo "<failed>"\n`);
    while (!/<(ok|failed)>\n$/.test(printed)) {
      if (shell.exitCode !== null) throw new Error(`The shell ended: ${printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    if (printed.endsWith('<failed>\n')) throw new Error(`This failed:\n${block}\n${printed}`);
    return printed.slice(0, -'<ok>\n'.length);
  }

  beforeAll(() => {
    for (const name of ['dist', 'node_modules', 'package.json', 'docs'])
      symlinkSync(path.join(root, name), path.join(clone, name));
    mkdirSync(path.join(clone, 'agents'));
    cpSync(path.join(root, 'agents'), path.join(clone, 'agents'), { recursive: true });
    const [, gardener = ''] =
      /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(path.join(root, 'docs/guides/agents.md'), 'utf8')) ?? [];
    writeFileSync(path.join(clone, 'agents/gardener.md'), gardener);
    shell = spawn('bash', [], { cwd: clone, env: { PATH: process.env.PATH, HOME: process.env.HOME } });
    for (const stream of [shell.stdout, shell.stderr])
      stream?.on('data', (chunk) => {
        printed += chunk;
      });
    shell.stdin?.write(COMMANDS);
  });
  afterAll(async () => {
    shell.kill();
    await stopServer();
    rmSync(clone, { recursive: true, force: true });
  });

  it.each(['docs/guides/agents.md', 'docs/getting-started.md'])('work as %s says', async (page) => {
    await start('npm start');
    const unused = new Set(shellBlocksOf(page));
    for (const block of shellBlocksOf(page)) {
      if (block.endsWith('npm start\n')) {
        await start(block);
        unused.delete(block);
        continue;
      }
      const [, output, typed] = EXPECTED.find(([part]) => block.includes(part)) ?? [];
      if (!output) throw new Error(`Nothing is expected of this block:\n${block}`);
      expect(await run(block, typed)).toMatch(output);
      unused.delete(block);
    }
    expect([...unused]).toEqual([]);
  });

  it('in the README are tested here or elsewhere', () => {
    const tried = [...shellBlocksOf('docs/getting-started.md'), 'npm test\n'];
    expect(shellBlocksOf('README.md').filter((block) => !tried.includes(block))).toEqual([]);
  });
});
