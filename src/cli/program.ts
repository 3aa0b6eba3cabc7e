import { Command as Commander } from 'commander';
import type { Command, Option } from './command';
import { COMMANDS } from './commands';
import type { Given } from './context';

/** What was asked for: a command, with what it was given. */
export interface Asked extends Given {
  command: Command;
}

interface Writing {
  out(text: string): void;
  err(text: string): void;
}

const ABOUT = 'Talk to Parley: start conversations with agents, and answer what they ask.';

const MORE = `
Where:
  PARLEY_URL      the address of Parley (http://127.0.0.1:3000)
  PARLEY_API_KEY  your key, where it has keys

Ends with:
  0 done   1 failed   2 wrong use   3 waits for an answer   4 not found   5 refused

Each command has its own help and examples: parley answer --help`;

/** Reads the command line. Help and misuse are written here, and end in commander's own error, which has the code. */
export function readCommandLine(
  argv: readonly string[],
  version: string,
  { out, err }: Writing,
): Asked | undefined {
  let asked: Asked | undefined;
  const program = new Commander('parley')
    .description(ABOUT)
    .version(version, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show the help of a command')
    .addHelpText('after', MORE)
    .configureOutput({ writeOut: out, writeErr: err, outputError: (text, write) => write(oneLine(text)) })
    .exitOverride();
  for (const command of COMMANDS) {
    const sub = program
      .command([command.name, command.takes].filter(Boolean).join(' '))
      .copyInheritedSettings(program);
    describe(sub, command);
    sub.action((...given) => {
      const words = sub.processedArgs.flat().filter((word): word is string => word !== undefined);
      asked = { command, words, options: given.at(-2) as Record<string, unknown> };
    });
  }
  if (argv.length === 0) program.help();
  program.parse(argv, { from: 'user' });
  return asked;
}

function describe(sub: Commander, { summary, about, options, examples }: Command): void {
  sub.summary(summary).description([`${summary}.`, about].filter(Boolean).join('\n\n'));
  for (const option of [...options, ...EVERYWHERE]) addOption(sub, option);
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`);
  sub.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

const EVERYWHERE: readonly Option[] = [
  { flags: '--json', does: 'For programs: one JSON document' },
  { flags: '--url <url>', does: 'The address of Parley, in place of PARLEY_URL' },
  { flags: '--no-color', does: 'No colours, as with NO_COLOR' },
];

function addOption(sub: Commander, { flags, does, isList }: Option): void {
  if (isList) sub.option(flags, does, (value: string, before: string[] = []) => [...before, value]);
  // A command may have words of its own for one of these.
  else if (!sub.options.some(({ long }) => flags.startsWith(`${long}`))) sub.option(flags, does);
}

/** As every other line that complains. */
function oneLine(text: string): string {
  const said = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  const ended = /[.?!)]$/.test(said) ? said : `${said}.`;
  return `parley: ${ended.charAt(0).toUpperCase()}${ended.slice(1)} See parley --help.\n`;
}
