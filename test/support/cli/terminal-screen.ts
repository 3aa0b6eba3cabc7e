import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLI_MAIN_FILE } from './run-cli';
import { sharedTmux } from './tmux';

/** A screen with `parley` on it: a window of a tmux. */
export interface TerminalScreen {
  /** What is to be seen, line by line, without what is blank at the end. */
  shown(): Promise<string>;
  /** The same with what has scrolled by. */
  all(): Promise<string>;
  /** The same as `shown`, with colours as escape sequences. */
  colored(): Promise<string>;
  /** Waits until it is to be seen. */
  until(wanted: RegExp | string): Promise<string>;
  /** Waits until it is to be seen no longer. */
  untilGone(unwanted: RegExp | string): Promise<string>;
  /** Keys by tmux's names (`Enter`, `Down`, `C-c`, `Escape`), or single characters. What is done later comes after. */
  press(...keys: string[]): void;
  /** As typed, character by character. */
  type(text: string): void;
  /** As pasted, in one go. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** The terminal's own cursor is to be seen. */
  hasCursor(): Promise<boolean>;
  /** The process of the command itself. */
  pid(): number;
  /** Waits until the command has ended; its exit code. */
  ended(): Promise<number>;
  close(): void;
}

export interface ScreenOptions {
  env?: Record<string, string>;
  columns?: number;
  rows?: number;
}

/** The last resort, before jest's own. */
const PATIENCE_MS = 150_000;
/** Looks even if nothing was written: what is waited for may not be on the screen. */
const LOOK_MS = 100;

/** Runs `parley` with these words on a screen of that size. */
export function runOnScreen(
  words: string[],
  { env = {}, columns = 80, rows = 24 }: ScreenOptions = {},
): TerminalScreen {
  const server = sharedTmux();
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-screen-'));
  const [exit, pid] = [path.join(folder, 'exit'), path.join(folder, 'pid')];
  const own = { HOME: folder, LANG: 'C.UTF-8', TERM: 'tmux-256color', ...env };
  const variables = Object.entries(own).map(([key, value]) => quoteForShell(`${key}=${value}`));
  const command = [process.execPath, CLI_MAIN_FILE, ...words].map(quoteForShell).join(' ');
  // The shell within becomes the command, so its pid is that of the command.
  const within = `echo $$ > ${quoteForShell(pid)}; exec env -i PATH="$PATH" ${variables.join(' ')} ${command}`;
  const line = `sh -c ${quoteForShell(within)}; echo $? > ${quoteForShell(exit)}; sleep 1000000`;

  let fault: Error | undefined;
  let isDirty = true;
  let wake = () => {};
  const stir = () => {
    isDirty = true;
    wake();
  };
  const size = `${columns}x${rows}`;
  const sized = server.do('set-option', '-t', 'screens', 'default-size', size);
  const made = server.do('new-window', '-d', '-t', 'screens:', '-P', '-F', '#{pane_id}', line);
  const ready = Promise.all([made, sized]).then(([pane]) => {
    server.onOutput(pane, stir);
    return pane;
  });
  /** In order, and what goes wrong is told to whoever looks next. */
  let last: Promise<unknown> = ready;
  const then = (act: (pane: string) => Promise<unknown>): void => {
    last = last
      .then(async () => act(await ready))
      .catch((error: Error) => {
        fault ??= error;
        stir();
      });
  };
  const capture = async (...more: string[]) => {
    const pane = await ready;
    await last;
    if (fault) throw fault;
    return (await server.do('capture-pane', '-p', '-t', pane, ...more)).trimEnd();
  };
  ready.catch((error: Error) => {
    fault ??= error;
  });

  const has = (text: string, wanted: RegExp | string) =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  const when = async <T>(look: () => Promise<T | undefined>, what: string): Promise<T> => {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      isDirty = false;
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > until) throw new Error(`${what}:\n${await capture('-S', '-')}`);
      if (isDirty) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  const self: TerminalScreen = {
    shown: () => capture(),
    all: () => capture('-S', '-'),
    colored: () => capture('-e'),
    until: (wanted) =>
      when(async () => {
        const text = await self.shown();
        return has(text, wanted) ? text : undefined;
      }, `${wanted} is not to be seen`),
    untilGone: (unwanted) =>
      when(async () => {
        const text = await self.shown();
        return has(text, unwanted) ? undefined : text;
      }, `${unwanted} is still to be seen`),
    press(...keys) {
      then((pane) => server.do('send-keys', '-t', pane, ...keys));
    },
    type(text) {
      then((pane) => server.do('send-keys', '-t', pane, '-l', '--', text));
    },
    paste(text) {
      then(async (pane) => {
        await server.do('set-buffer', '-b', pane, '--', text);
        await server.do('paste-buffer', '-d', '-p', '-r', '-b', pane, '-t', pane);
      });
    },
    resize(columns, rows) {
      then((pane) => server.do('resize-window', '-t', pane, '-x', String(columns), '-y', String(rows)));
    },
    async hasCursor() {
      await last;
      return (await server.do('display-message', '-p', '-t', await ready, '#{cursor_flag}')) === '1';
    },
    pid() {
      const found = readNumberFile(pid);
      if (found === undefined) throw new Error('it has not begun');
      return found;
    },
    ended: () =>
      when(async () => {
        await last;
        if (fault) throw fault;
        return readNumberFile(exit);
      }, 'it has not ended'),
    close() {
      void last
        .then(async () => {
          const pane = await ready;
          server.forget(pane);
          await server.do('kill-window', '-t', pane);
        })
        .catch(() => undefined)
        .then(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    },
  };
  return self;
}

function readNumberFile(file: string): number | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? undefined : Number(text);
  } catch {
    return undefined;
  }
}

function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
