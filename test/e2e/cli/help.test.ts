import { readFileSync } from 'node:fs';
import path from 'node:path';
import { COMMANDS } from '#cli/command-table';
import { runPiped } from '#test/support/cli/run-cli';

const page = readFileSync(path.join(__dirname, '../../../docs/terminal.md'), 'utf8');
const commandCases = COMMANDS.map((command) => [command.name, command] as const);

describe('the help', () => {
  it('is shown where nothing is asked for, and has every command', async () => {
    const [bare, asked] = [await runPiped([], {}), await runPiped(['--help'], {})];
    expect([bare.code, bare.out, asked.code]).toEqual([0, asked.out, 0]);
    for (const { name, summary } of COMMANDS) {
      expect(asked.out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
      expect(asked.out.replace(/\s+/g, ' ')).toContain(summary);
    }
  });

  it.each(commandCases)('of %s has its options and examples', async (name, { options, examples }) => {
    const { code, out, err } = await runPiped([name, '--help'], {});
    expect([code, err]).toEqual([0, '']);
    expect(examples.length).toBeGreaterThan(0);
    for (const [line] of examples) {
      expect(out).toContain(line);
      expect(line).toMatch(new RegExp(`\\bparley ${name}\\b`));
    }
    for (const { flags } of [...options, { flags: '--json' }, { flags: '--url <url>' }]) expect(out).toContain(flags);
  });
});

describe('docs/terminal.md', () => {
  it.each(commandCases)('has %s, with every option it takes', (name, { options }) => {
    expect(page).toContain(`parley ${name}`);
    const missing = options.filter(({ flags }) => !new RegExp(`\`${flags.split(' ')[0]}\\b`).test(page));
    expect(missing.map(({ flags }) => flags)).toEqual([]);
  });

  it('has no command and no option that there is not', () => {
    const commands = [...page.matchAll(/\bparley ([a-z]+)\b/g)].map(([, name]) => name);
    const known = COMMANDS.map(({ name }) => name);
    expect([...new Set(commands)].filter((name) => !known.includes(name ?? ''))).toEqual([]);
    const everywhere = ['--json', '--url', '--no-color', '--help'];
    const options = COMMANDS.flatMap(({ options: all }) => all.map(({ flags }) => flags.split(' ')[0]));
    const named = [...page.matchAll(/(?<=[\s`(])--[a-z][a-z-]*/g)].map(([flag]) => flag);
    expect([...new Set(named)].filter((flag) => ![...everywhere, ...options].includes(flag))).toEqual([]);
  });
});
