import type { CommanderError } from 'commander';
import { createParley } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import { writtenOut } from '#core/shown-action';
import { projectVersion } from '#project';
import type { Context } from './context';
import { EXIT, exitOf } from './exit';
import { type Asked, readCommandLine } from './program';
import { type Settings, settingsFrom } from './settings';
import { createTerminal } from './terminal';
import { lineOf, troubleOf } from './trouble';

/** Where a command reads and writes, and its environment. A process is one; whoever calls it from within one brings their own. */
export type Surroundings = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>;

/** Calls back once nothing is left to wait for, though the command has not ended. */
export type WhenIdle = (tell: () => void) => void;

/** Runs one command line, and gives the code it ends with. */
export async function runCommandLine(
  argv: string[],
  surroundings: Surroundings,
  whenIdle: WhenIdle = () => undefined,
): Promise<number> {
  const asked = read(argv, surroundings);
  return typeof asked === 'number' ? asked : act(asked, surroundings, whenIdle);
}

function read(argv: string[], { stdout, stderr }: Surroundings): Asked | number {
  try {
    const out = (text: string) => void stdout.write(text);
    // Whoever asked for JSON gets it, whatever else they got wrong.
    const isJson = argv.includes('--json');
    const err = (text: string) =>
      void stderr.write(isJson ? `${JSON.stringify({ code: 'usage', message: text.trim() })}\n` : text);
    return readCommandLine(argv, projectVersion(), { out, err }) ?? EXIT.usage;
  } catch (error) {
    // Help and the version were asked for; the rest is misuse, of which it has told.
    const { code = '', exitCode } = error as CommanderError;
    if (!code.startsWith('commander.')) throw error;
    return exitCode === 0 || argv.length === 0 ? EXIT.completed : EXIT.usage;
  }
}

async function act(
  { command, words, options }: Asked,
  surroundings: Surroundings,
  whenIdle: WhenIdle,
): Promise<number> {
  const { env } = surroundings;
  const terminal = createTerminal(surroundings, env, options.color !== false);
  const isJson = Boolean(options.json);
  let settings: Settings | undefined;
  try {
    settings = settingsFrom(env, options.url as string | undefined);
    const parley = createParley({ ...settings, channel: 'terminal' });
    const context: Context = { parley, settings, terminal, env, isJson };
    const runCommand = await command.load();
    return await Promise.race([
      runCommand(context, { words, options: options as never }),
      lost(settings, whenIdle),
    ]);
  } catch (error) {
    const trouble = troubleOf(error, settings);
    terminal.complain(isJson ? writtenOut(JSON.stringify(trouble)) : terminal.style.bad(lineOf(trouble)));
    return exitOf(error);
  }
}

/** Node's fetch may forget a connection that is closed at once: then there is nothing left to wait for, and it would end in silence. */
function lost({ url }: Settings, whenIdle: WhenIdle): Promise<never> {
  return new Promise((_resolve, reject) => {
    whenIdle(() => reject(new ParleyError('network', `What listens at ${url} hung up without an answer.`)));
  });
}
