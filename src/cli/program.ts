import { Command as Commander, type CommanderError } from 'commander';
import { createParley } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import { readPackageVersion } from '#infra/package-info';
import { escapeInvisible } from '#presentation/confirmation';
import { ADMIN_COMMANDS, type AdminCommandDefinition } from './admin/command-table';
import { COMMANDS, type CommandDefinition, type CommandOption } from './command-table';
import { type AdminContext, type CommandArguments, type ConnectionSettings, readConnectionSettings } from './context';
import { CommandError, EXIT, exitCodeForError, formatErrorLine, toErrorReport } from './errors';
import { sanitizeText } from './render/sanitize';
import { createTerminal } from './tty/terminal';

/** The input, output and environment variables of a command. A process satisfies it; tests pass their own. */
export type CommandEnvironment = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'> &
  Pick<AdminContext, 'loadWorkflowCode'>;

/** Registers a callback for when the event loop is empty but the command has not ended. */
export type OnIdle = (callback: () => void) => void;

/** Runs one command line and returns its exit code. */
export async function runCommandLine(
  argv: string[],
  environment: CommandEnvironment,
  onIdle: OnIdle = () => undefined,
): Promise<number> {
  const parsed = parseCommandLine(argv, environment);
  return typeof parsed === 'number' ? parsed : executeCommand(parsed, environment, onIdle);
}

async function executeCommand(
  { command, args, options }: ParsedCommandLine,
  environment: CommandEnvironment,
  onIdle: OnIdle,
): Promise<number> {
  const { env, loadWorkflowCode } = environment;
  const terminal = createTerminal(environment, env, options.color !== false);
  const context: AdminContext = { terminal, env, isJson: Boolean(options.json), loadWorkflowCode };
  const commandArguments = { args, options: options as never };
  let settings: ConnectionSettings | undefined;
  try {
    if (isAdminCommand(command)) return await (await command.load())(context, commandArguments);
    settings = readConnectionSettings(env, options.url as string | undefined);
    const parley = createParley({ ...settings, channel: 'terminal' });
    const runCommand = await command.load();
    return await Promise.race([
      runCommand({ ...context, parley, settings }, commandArguments),
      rejectWhenIdle(settings, onIdle),
    ]);
  } catch (caught) {
    const error = isAdminCommand(command) ? toAdminError(caught, command) : caught;
    const report = toErrorReport(error, settings);
    // An admin command reports all issues of a file or of the configuration at once, one per line.
    const text = isAdminCommand(command) ? `parley: ${sanitizeText(report.message)}` : formatErrorLine(report);
    terminal.printError(context.isJson ? escapeInvisible(JSON.stringify(report)) : terminal.style.bad(text));
    return exitCodeForError(error);
  }
}

function isAdminCommand(command: ParsedCommandLine['command']): command is AdminCommandDefinition {
  return 'failureExit' in command;
}

function toAdminError(error: unknown, { failureExit }: AdminCommandDefinition): CommandError {
  return error instanceof CommandError
    ? error
    : new CommandError(failureExit, (error as Error).message, 'admin_failed');
}

/**
 * Rejects when the event loop is empty. Node's fetch may never settle if the connection is closed at once, and the
 * process would exit silently.
 */
function rejectWhenIdle({ url }: ConnectionSettings, onIdle: OnIdle): Promise<never> {
  return new Promise((_resolve, reject) => {
    onIdle(() => reject(new ParleyError('network', `The server at ${url} closed the connection without a response.`)));
  });
}

/** A command with its arguments and options. */
interface ParsedCommandLine extends CommandArguments {
  command: CommandDefinition | AdminCommandDefinition;
}

const DESCRIPTION = 'Start conversations with AI agents and answer their questions.';

const ADMIN_SUMMARY = 'Manage an installation: keys, agents, channels and builds';

const HELP_FOOTER = `
Environment:
  PARLEY_URL      URL of Parley (default: http://127.0.0.1:3000)
  PARLEY_API_KEY  your API key, if Parley requires one

Exit codes:
  0 done   1 failed   2 usage error   3 needs an answer   4 not found   5 refused

For options and examples: parley COMMAND --help`;

/** Parses the command line. Returns an exit code if commander has printed help, the version or a usage error. */
function parseCommandLine(argv: readonly string[], { stdout, stderr }: CommandEnvironment): ParsedCommandLine | number {
  let parsed: ParsedCommandLine | undefined;
  // With --json, usage errors are JSON as well.
  const formatError = (message: string, path: string) =>
    argv.includes('--json')
      ? `${JSON.stringify({ code: 'usage', message: formatCommanderError(message, path).trim() })}\n`
      : formatCommanderError(message, path);
  const program = new Commander('parley')
    .description(DESCRIPTION)
    .version(readPackageVersion(), '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', HELP_FOOTER)
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (message, write) => write(formatError(message, 'parley')),
    })
    .exitOverride();
  const addCommand = (parent: Commander, command: ParsedCommandLine['command'], path: string) => {
    const subcommand = parent
      .command([command.name, command.argumentSyntax].filter(Boolean).join(' '))
      .copyInheritedSettings(parent)
      .configureOutput({ outputError: (message, write) => write(formatError(message, path)) });
    addCommandHelp(subcommand, command, isAdminCommand(command) ? [COLOR_OPTION] : COMMON_OPTIONS);
    subcommand.action((...actionArguments) => {
      const args = subcommand.processedArgs.flat().filter((value): value is string => value !== undefined);
      parsed = { command, args, options: actionArguments.at(-2) as Record<string, unknown> };
    });
  };
  for (const command of COMMANDS) addCommand(program, command, `parley ${command.name}`);
  const admin = program.command('admin').copyInheritedSettings(program).summary(ADMIN_SUMMARY);
  admin.description(
    `${ADMIN_SUMMARY}.\n\nRun these commands where Parley runs: they read the same environment variables.`,
  );
  for (const command of ADMIN_COMMANDS) addCommand(admin, command, `parley admin ${command.name}`);
  try {
    if (argv.length === 0) program.help();
    program.parse(argv, { from: 'user' });
    return parsed ?? EXIT.usage;
  } catch (error) {
    const { code = '', exitCode } = error as CommanderError;
    if (!code.startsWith('commander.')) throw error;
    return exitCode === 0 ? EXIT.completed : EXIT.usage;
  }
}

function addCommandHelp(
  subcommand: Commander,
  { summary, details, options, examples }: ParsedCommandLine['command'],
  commonOptions: readonly CommandOption[],
): void {
  subcommand.summary(summary).description([`${summary}.`, details].filter(Boolean).join('\n\n'));
  for (const option of [...options, ...commonOptions]) addOption(subcommand, option);
  const width = Math.max(...examples.map(([command]) => command.length));
  const lines = examples.map(([command, description]) => `  ${command.padEnd(width)}  ${description}`);
  subcommand.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

const COLOR_OPTION: CommandOption = ['--no-color', 'Disable colors (like NO_COLOR)'];
const COMMON_OPTIONS: readonly CommandOption[] = [
  ['--json', 'Print one JSON document'],
  ['--url <url>', 'URL of Parley (overrides PARLEY_URL)'],
  COLOR_OPTION,
];

function addOption(subcommand: Commander, [flags, description, repeatable]: CommandOption): void {
  if (!repeatable) subcommand.option(flags, description);
  else subcommand.option(flags, description, (value: string, previous: string[] = []) => [...previous, value]);
}

/** Formats commander's errors like all other errors. */
function formatCommanderError(text: string, path: string): string {
  const message = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  const sentence = /[.?!)]$/.test(message) ? message : `${message}.`;
  return `parley: ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} See ${path} --help.\n`;
}
