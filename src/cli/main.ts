import type { CommanderError } from 'commander';
import { createParley } from '../client/parley';
import { ParleyError } from '../client/parley-error';
import { writtenOut } from '../core/shown-action';
import { projectVersion } from '../project';
import type { Context } from './context';
import { EXIT, exitOf } from './exit';
import { type Asked, readCommandLine } from './program';
import { type Settings, settingsFrom } from './settings';
import { createTerminal } from './terminal';
import { lineOf, troubleOf } from './trouble';

async function run(argv: string[]): Promise<number> {
  const asked = read(argv);
  return typeof asked === 'number' ? asked : act(asked);
}

function read(argv: string[]): Asked | number {
  try {
    const out = (text: string) => void process.stdout.write(text);
    // Whoever asked for JSON gets it, whatever else they got wrong.
    const isJson = argv.includes('--json');
    const err = (text: string) =>
      void process.stderr.write(
        isJson ? `${JSON.stringify({ code: 'usage', message: text.trim() })}\n` : text,
      );
    return readCommandLine(argv, projectVersion(), { out, err }) ?? EXIT.usage;
  } catch (error) {
    // Help and the version were asked for; the rest is misuse, of which it has told.
    const { code = '', exitCode } = error as CommanderError;
    if (!code.startsWith('commander.')) throw error;
    return exitCode === 0 || argv.length === 0 ? EXIT.completed : EXIT.usage;
  }
}

async function act({ command, words, options }: Asked): Promise<number> {
  const terminal = createTerminal(process, process.env, options.color !== false);
  const isJson = Boolean(options.json);
  let settings: Settings | undefined;
  try {
    settings = settingsFrom(process.env, options.url as string | undefined);
    const parley = createParley({ ...settings, channel: 'terminal' });
    const context: Context = { parley, settings, terminal, env: process.env, isJson };
    const { run: runCommand } = await command.load();
    return await Promise.race([runCommand(context, { words, options: options as never }), lost(settings)]);
  } catch (error) {
    const trouble = troubleOf(error, settings);
    terminal.complain(isJson ? writtenOut(JSON.stringify(trouble)) : terminal.style.bad(lineOf(trouble)));
    return exitOf(error);
  }
}

/** Node's fetch may forget a connection that is closed at once: then there is nothing left to wait for, and it would end in silence. */
function lost({ url }: Settings): Promise<never> {
  return new Promise((_resolve, reject) => {
    process.once('beforeExit', () =>
      reject(new ParleyError('network', `What listens at ${url} hung up without an answer.`)),
    );
  });
}

/** Whoever read has read enough: `parley list | head -1`. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.completed);
  process.stderr.write(
    `parley: What was asked for cannot be written (${error.code}). Nothing else was lost.\n`,
  );
  process.exit(EXIT.failed);
});

void run(process.argv.slice(2)).then((code) => {
  // Once what was written is out: a pipe may be slower than we are. What could not be written is told above.
  process.stdout.write('', (error) => {
    if (!error) process.exit(code);
  });
});
