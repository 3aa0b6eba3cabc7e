import { Command as Commander, type CommanderError } from 'commander';
import { createParley } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import { readPackageVersion } from '#infra/package-info';
import { escapeInvisible } from '#presentation/confirmation';
import { COMMANDS, type CommandDefinition, type CommandOption } from './command-table';
import { type CommandArguments, type CommandContext, type ConnectionSettings, readConnectionSettings } from './context';
import { EXIT, exitCodeForError, formatErrorLine, toErrorReport } from './errors';
import { createTerminal } from './tty/terminal';

/** Where a command reads and writes, and its environment. A process is one; whoever calls it from within one brings their own. */
export type CommandEnvironment = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>;

/** Calls back once nothing is left to wait for, though the command has not ended. */
export type OnIdle = (tell: () => void) => void;

/** Runs one command line, and gives the code it ends with. */
export async function runCommandLine(
  argv: string[],
  surroundings: CommandEnvironment,
  whenIdle: OnIdle = () => undefined,
): Promise<number> {
  const asked = parseOrReport(argv, surroundings);
  return typeof asked === 'number' ? asked : executeCommand(asked, surroundings, whenIdle);
}

function parseOrReport(argv: string[], { stdout, stderr }: CommandEnvironment): ParsedCommandLine | number {
  try {
    const out = (text: string) => void stdout.write(text);
    // Whoever asked for JSON gets it, whatever else they got wrong.
    const isJson = argv.includes('--json');
    const err = (text: string) =>
      void stderr.write(isJson ? `${JSON.stringify({ code: 'usage', message: text.trim() })}\n` : text);
    return parseCommandLine(argv, readPackageVersion(), { out, err }) ?? EXIT.usage;
  } catch (error) {
    // Help and the version were asked for; the rest is misuse, of which it has told.
    const { code = '', exitCode } = error as CommanderError;
    if (!code.startsWith('commander.')) throw error;
    return exitCode === 0 || argv.length === 0 ? EXIT.completed : EXIT.usage;
  }
}

async function executeCommand(
  { command, words, options }: ParsedCommandLine,
  surroundings: CommandEnvironment,
  whenIdle: OnIdle,
): Promise<number> {
  const { env } = surroundings;
  const terminal = createTerminal(surroundings, env, options.color !== false);
  const isJson = Boolean(options.json);
  let settings: ConnectionSettings | undefined;
  try {
    settings = readConnectionSettings(env, options.url as string | undefined);
    const parley = createParley({ ...settings, channel: 'terminal' });
    const context: CommandContext = { parley, settings, terminal, env, isJson };
    const runCommand = await command.load();
    return await Promise.race([
      runCommand(context, { words, options: options as never }),
      rejectWhenIdle(settings, whenIdle),
    ]);
  } catch (error) {
    const trouble = toErrorReport(error, settings);
    terminal.complain(isJson ? escapeInvisible(JSON.stringify(trouble)) : terminal.style.bad(formatErrorLine(trouble)));
    return exitCodeForError(error);
  }
}

/** Node's fetch may forget a connection that is closed at once: then there is nothing left to wait for, and it would end in silence. */
function rejectWhenIdle({ url }: ConnectionSettings, whenIdle: OnIdle): Promise<never> {
  return new Promise((_resolve, reject) => {
    whenIdle(() => reject(new ParleyError('network', `What listens at ${url} hung up without an answer.`)));
  });
}

/** What was asked for: a command, with what it was given. */
interface ParsedCommandLine extends CommandArguments {
  command: CommandDefinition;
}

interface HelpOutput {
  out(text: string): void;
  err(text: string): void;
}

const DESCRIPTION = 'Talk to Parley: start conversations with agents, and answer what they ask.';

const HELP_FOOTER = `
Where:
  PARLEY_URL      the address of Parley (http://127.0.0.1:3000)
  PARLEY_API_KEY  your key, where it has keys

Ends with:
  0 done   1 failed   2 wrong use   3 waits for an answer   4 not found   5 refused

Each command has its own help and examples: parley answer --help`;

/** Reads the command line. Help and misuse are written here, and end in commander's own error, which has the code. */
function parseCommandLine(
  argv: readonly string[],
  version: string,
  { out, err }: HelpOutput,
): ParsedCommandLine | undefined {
  let asked: ParsedCommandLine | undefined;
  const program = new Commander('parley')
    .description(DESCRIPTION)
    .version(version, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show the help of a command')
    .addHelpText('after', HELP_FOOTER)
    .configureOutput({
      writeOut: out,
      writeErr: err,
      outputError: (text, write) => write(formatCommanderError(text)),
    })
    .exitOverride();
  for (const command of COMMANDS) {
    const sub = program.command([command.name, command.takes].filter(Boolean).join(' ')).copyInheritedSettings(program);
    addCommandHelp(sub, command);
    sub.action((...given) => {
      const words = sub.processedArgs.flat().filter((word): word is string => word !== undefined);
      asked = { command, words, options: given.at(-2) as Record<string, unknown> };
    });
  }
  if (argv.length === 0) program.help();
  program.parse(argv, { from: 'user' });
  return asked;
}

function addCommandHelp(sub: Commander, { summary, about, options, examples }: CommandDefinition): void {
  sub.summary(summary).description([`${summary}.`, about].filter(Boolean).join('\n\n'));
  for (const option of [...options, ...COMMON_OPTIONS]) addOption(sub, option);
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`);
  sub.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

const COMMON_OPTIONS: readonly CommandOption[] = [
  { flags: '--json', does: 'For programs: one JSON document' },
  { flags: '--url <url>', does: 'The address of Parley, in place of PARLEY_URL' },
  { flags: '--no-color', does: 'No colours, as with NO_COLOR' },
];

function addOption(sub: Commander, { flags, does, isList }: CommandOption): void {
  if (isList) sub.option(flags, does, (value: string, before: string[] = []) => [...before, value]);
  // A command may have words of its own for one of these.
  else if (!sub.options.some(({ long }) => flags.startsWith(`${long}`))) sub.option(flags, does);
}

/** As every other line that complains. */
function formatCommanderError(text: string): string {
  const said = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  const ended = /[.?!)]$/.test(said) ? said : `${said}.`;
  return `parley: ${ended.charAt(0).toUpperCase()}${ended.slice(1)} See parley --help.\n`;
}
