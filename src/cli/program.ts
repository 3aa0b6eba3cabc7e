import { Command as Commander, type CommanderError } from 'commander';
import { createParley } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import { readPackageVersion } from '#infra/package-info';
import { escapeInvisible } from '#presentation/confirmation';
import { COMMANDS, type CommandDefinition, type CommandOption } from './command-table';
import { type CommandArguments, type CommandContext, type ConnectionSettings, readConnectionSettings } from './context';
import { EXIT, exitCodeForError, formatErrorLine, toErrorReport } from './errors';
import { createTerminal } from './tty/terminal';

/** Where a command reads and writes, and its environment variables. A process fits; tests bring their own. */
export type CommandEnvironment = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>;

/** Registers a callback for when the event loop is empty although the command has not ended. */
export type OnIdle = (callback: () => void) => void;

/** Runs one command line, and returns its exit code. */
export async function runCommandLine(
  argv: string[],
  environment: CommandEnvironment,
  onIdle: OnIdle = () => undefined,
): Promise<number> {
  const parsed = parseOrReport(argv, environment);
  return typeof parsed === 'number' ? parsed : executeCommand(parsed, environment, onIdle);
}

function parseOrReport(argv: string[], { stdout, stderr }: CommandEnvironment): ParsedCommandLine | number {
  try {
    const writeOut = (text: string) => void stdout.write(text);
    // Whoever asked for JSON gets it, whatever else they got wrong.
    const isJson = argv.includes('--json');
    const writeError = (text: string) =>
      void stderr.write(isJson ? `${JSON.stringify({ code: 'usage', message: text.trim() })}\n` : text);
    return parseCommandLine(argv, readPackageVersion(), { writeOut, writeError }) ?? EXIT.usage;
  } catch (error) {
    // Help and version succeed; everything else is misuse, which commander has printed.
    const { code = '', exitCode } = error as CommanderError;
    if (!code.startsWith('commander.')) throw error;
    return exitCode === 0 || argv.length === 0 ? EXIT.completed : EXIT.usage;
  }
}

async function executeCommand(
  { command, args, options }: ParsedCommandLine,
  environment: CommandEnvironment,
  onIdle: OnIdle,
): Promise<number> {
  const { env } = environment;
  const terminal = createTerminal(environment, env, options.color !== false);
  const isJson = Boolean(options.json);
  let settings: ConnectionSettings | undefined;
  try {
    settings = readConnectionSettings(env, options.url as string | undefined);
    const parley = createParley({ ...settings, channel: 'terminal' });
    const context: CommandContext = { parley, settings, terminal, env, isJson };
    const runCommand = await command.load();
    return await Promise.race([
      runCommand(context, { args, options: options as never }),
      rejectWhenIdle(settings, onIdle),
    ]);
  } catch (error) {
    const report = toErrorReport(error, settings);
    terminal.printError(isJson ? escapeInvisible(JSON.stringify(report)) : terminal.style.bad(formatErrorLine(report)));
    return exitCodeForError(error);
  }
}

/** Node's fetch may forget a connection that is closed at once: then there is nothing left to wait for, and it would end in silence. */
function rejectWhenIdle({ url }: ConnectionSettings, onIdle: OnIdle): Promise<never> {
  return new Promise((_resolve, reject) => {
    onIdle(() => reject(new ParleyError('network', `What listens at ${url} hung up without an answer.`)));
  });
}

/** A command with its arguments and options. */
interface ParsedCommandLine extends CommandArguments {
  command: CommandDefinition;
}

interface HelpOutput {
  writeOut(text: string): void;
  writeError(text: string): void;
}

const DESCRIPTION = 'Talk to Parley: start conversations with agents, and answer what they ask.';

const HELP_FOOTER = `
Where:
  PARLEY_URL      the address of Parley (http://127.0.0.1:3000)
  PARLEY_API_KEY  your key, where it has keys

Ends with:
  0 done   1 failed   2 wrong use   3 waits for an answer   4 not found   5 refused

Each command has its own help and examples: parley answer --help`;

/** Parses the command line. Commander prints help and misuse, and throws an error with the exit code. */
function parseCommandLine(
  argv: readonly string[],
  version: string,
  { writeOut, writeError }: HelpOutput,
): ParsedCommandLine | undefined {
  let parsed: ParsedCommandLine | undefined;
  const program = new Commander('parley')
    .description(DESCRIPTION)
    .version(version, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show the help of a command')
    .addHelpText('after', HELP_FOOTER)
    .configureOutput({
      writeOut,
      writeErr: writeError,
      outputError: (text, write) => write(formatCommanderError(text)),
    })
    .exitOverride();
  for (const command of COMMANDS) {
    const subcommand = program
      .command([command.name, command.argumentSyntax].filter(Boolean).join(' '))
      .copyInheritedSettings(program);
    addCommandHelp(subcommand, command);
    subcommand.action((...actionArguments) => {
      const args = subcommand.processedArgs.flat().filter((value): value is string => value !== undefined);
      parsed = { command, args, options: actionArguments.at(-2) as Record<string, unknown> };
    });
  }
  if (argv.length === 0) program.help();
  program.parse(argv, { from: 'user' });
  return parsed;
}

function addCommandHelp(subcommand: Commander, { summary, details, options, examples }: CommandDefinition): void {
  subcommand.summary(summary).description([`${summary}.`, details].filter(Boolean).join('\n\n'));
  for (const option of [...options, ...COMMON_OPTIONS]) addOption(subcommand, option);
  const width = Math.max(...examples.map(([command]) => command.length));
  const lines = examples.map(([command, description]) => `  ${command.padEnd(width)}  ${description}`);
  subcommand.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

const COMMON_OPTIONS: readonly CommandOption[] = [
  { flags: '--json', description: 'For programs: one JSON document' },
  { flags: '--url <url>', description: 'The address of Parley, in place of PARLEY_URL' },
  { flags: '--no-color', description: 'No colours, as with NO_COLOR' },
];

function addOption(subcommand: Commander, { flags, description, isList }: CommandOption): void {
  if (isList) subcommand.option(flags, description, (value: string, previous: string[] = []) => [...previous, value]);
  // A command may describe a common option in its own way.
  else if (!subcommand.options.some(({ long }) => flags.startsWith(`${long}`))) subcommand.option(flags, description);
}

/** Formats commander's errors like all others. */
function formatCommanderError(text: string): string {
  const message = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  const sentence = /[.?!)]$/.test(message) ? message : `${message}.`;
  return `parley: ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} See parley --help.\n`;
}
