import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ADMIN_COMMANDS } from '#cli/admin/command-table';
import { COMMANDS } from '#cli/command-table';
import { runPiped } from '#test/support/cli/run-cli';

const page = readFileSync(path.join(__dirname, '../../../docs/guides/terminal.md'), 'utf8');
const ALL_COMMANDS = [...COMMANDS, ...ADMIN_COMMANDS.map((command) => ({ ...command, name: `admin ${command.name}` }))];
const commandCases = ALL_COMMANDS.map((command) => [command.name, command] as const);

function expectCommandsIn(help: string, commands: readonly { name: string; summary: string }[]): void {
  for (const { name, summary } of commands) {
    expect(help).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    expect(help.replace(/\s+/g, ' ')).toContain(summary);
  }
}

describe('the help', () => {
  it('is shown without a command, and lists every command', async () => {
    const [bare, asked] = [await runPiped([], {}), await runPiped(['--help'], {})];
    expect([bare.code, bare.out, asked.code]).toEqual([0, asked.out, 0]);
    expectCommandsIn(asked.out, COMMANDS);
    expect(asked.out).toMatch(/^ {2}admin\b/m);
  });

  it('of admin lists every admin command', async () => {
    const { code, out } = await runPiped(['admin', '--help'], {});
    expect(code).toBe(0);
    expectCommandsIn(out, ADMIN_COMMANDS);
    expect(await runPiped(['help', 'admin'], {})).toMatchObject({ code: 0, out });
  });

  it.each(commandCases)('of %s shows its options and examples', async (name, { options, examples }) => {
    const { code, out, err } = await runPiped([...name.split(' '), '--help'], {});
    expect([code, err]).toEqual([0, '']);
    expect(examples.length).toBeGreaterThan(0);
    for (const [line] of examples) {
      expect(out).toContain(line);
      expect(line).toMatch(new RegExp(`\\bparley ${name}\\b`));
    }
    const common = name.startsWith('admin ') ? ['--no-color'] : ['--json', '--url <url>', '--no-color'];
    for (const flags of [...options.map(([flags]) => flags), ...common]) expect(out).toContain(flags);
  });
});

describe('docs/guides/terminal.md', () => {
  it.each(commandCases)('documents %s with every option', (name, { options }) => {
    expect(page).toContain(`parley ${name}`);
    const missing = options.filter(([flags]) => !new RegExp(`\`${flags.split(' ')[0]}\\b`).test(page));
    expect(missing).toEqual([]);
  });

  it('documents no command or option that does not exist', () => {
    const commands = [...page.matchAll(/\bparley ((?:admin )?[a-z]+)\b/g)].map(([, name]) => name);
    const known = ALL_COMMANDS.map(({ name }) => name);
    expect([...new Set(commands)].filter((name) => !known.includes(name ?? ''))).toEqual([]);
    const everywhere = ['--json', '--url', '--no-color', '--help'];
    const options = ALL_COMMANDS.flatMap(({ options: all }) => all.map(([flags]) => flags.split(' ')[0]));
    const named = [...page.matchAll(/(?<=[\s`(])--[a-z][a-z-]*/g)].map(([flag]) => flag);
    expect([...new Set(named)].filter((flag) => ![...everywhere, ...options].includes(flag))).toEqual([]);
  });
});
