import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLI_MAIN_FILE } from './run-cli';
import { sharedTmux } from './tmux';

/** A screen that runs `parley`, in a tmux window. */
export interface TerminalScreen {
  /** The visible text, without trailing blank space. */
  visibleText(): Promise<string>;
  /** The same, with the scrollback. */
  textWithScrollback(): Promise<string>;
  /** The visible text, with colours as escape sequences. */
  textWithColors(): Promise<string>;
  /** Waits until that text is visible. */
  waitFor(wanted: RegExp | string): Promise<string>;
  /** Waits until that text is no longer visible. */
  waitUntilGone(unwanted: RegExp | string): Promise<string>;
  /** Presses keys by tmux's names (`Enter`, `Down`, `C-c`, `Escape`), or single characters. Actions run in order. */
  press(...keys: string[]): void;
  /** Types the text, character by character. */
  type(text: string): void;
  /** Pastes the text at once. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** Whether the terminal's own cursor is visible. */
  isCursorVisible(): Promise<boolean>;
  /** The pid of the command itself. */
  pid(): number;
  /** Resolves with the exit code once the command has ended. */
  waitForExit(): Promise<number>;
  close(): void;
}

export interface ScreenOptions {
  env?: Record<string, string>;
  columns?: number;
  rows?: number;
}

/** Upper limit, below jest's own timeout. */
const SCREEN_TIMEOUT_MS = 150_000;
/** Polls even without new output, as some conditions do not depend on the screen. */
const POLL_INTERVAL_MS = 100;

/** Runs `parley` with these arguments on a screen of that size. */
export function runOnScreen(args: string[], { env = {}, columns = 80, rows = 24 }: ScreenOptions = {}): TerminalScreen {
  const server = sharedTmux();
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-screen-'));
  const [exit, pid] = [path.join(folder, 'exit'), path.join(folder, 'pid')];
  const own = { HOME: folder, LANG: 'C.UTF-8', TERM: 'tmux-256color', ...env };
  const variables = Object.entries(own).map(([key, value]) => quoteForShell(`${key}=${value}`));
  const command = [process.execPath, CLI_MAIN_FILE, ...args].map(quoteForShell).join(' ');
  // `exec` replaces the inner shell, so its pid is that of the command.
  const innerCommand = `echo $$ > ${quoteForShell(pid)}; exec env -i PATH="$PATH" ${variables.join(' ')} ${command}`;
  const shellLine = `sh -c ${quoteForShell(innerCommand)}; echo $? > ${quoteForShell(exit)}; sleep 1000000`;

  let firstError: Error | undefined;
  let isDirty = true;
  let notifyWaiter = () => {};
  const onOutput = () => {
    isDirty = true;
    notifyWaiter();
  };
  const size = `${columns}x${rows}`;
  const resized = server.run('set-option', '-t', 'screens', 'default-size', size);
  const opened = server.run('new-window', '-d', '-t', 'screens:', '-P', '-F', '#{pane_id}', shellLine);
  const ready = Promise.all([opened, resized]).then(([pane]) => {
    server.onOutput(pane, onOutput);
    return pane;
  });
  /** Actions run in order. The first error is thrown by the next read of the screen. */
  let lastAction: Promise<unknown> = ready;
  const enqueue = (action: (pane: string) => Promise<unknown>): void => {
    lastAction = lastAction
      .then(async () => action(await ready))
      .catch((error: Error) => {
        firstError ??= error;
        onOutput();
      });
  };
  const capture = async (...more: string[]) => {
    const pane = await ready;
    await lastAction;
    if (firstError) throw firstError;
    return (await server.run('capture-pane', '-p', '-t', pane, ...more)).trimEnd();
  };
  ready.catch((error: Error) => {
    firstError ??= error;
  });

  const matches = (text: string, wanted: RegExp | string) =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  const pollUntilDefined = async <T>(check: () => Promise<T | undefined>, failure: string): Promise<T> => {
    const until = Date.now() + SCREEN_TIMEOUT_MS;
    for (;;) {
      isDirty = false;
      const found = await check();
      if (found !== undefined) return found;
      if (Date.now() > until) throw new Error(`${failure}:\n${await capture('-S', '-')}`);
      if (isDirty) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_INTERVAL_MS);
        notifyWaiter = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  const self: TerminalScreen = {
    visibleText: () => capture(),
    textWithScrollback: () => capture('-S', '-'),
    textWithColors: () => capture('-e'),
    waitFor: (wanted) =>
      pollUntilDefined(async () => {
        const text = await self.visibleText();
        return matches(text, wanted) ? text : undefined;
      }, `${wanted} is not to be seen`),
    waitUntilGone: (unwanted) =>
      pollUntilDefined(async () => {
        const text = await self.visibleText();
        return matches(text, unwanted) ? undefined : text;
      }, `${unwanted} is still to be seen`),
    press(...keys) {
      enqueue((pane) => server.run('send-keys', '-t', pane, ...keys));
    },
    type(text) {
      enqueue((pane) => server.run('send-keys', '-t', pane, '-l', '--', text));
    },
    paste(text) {
      enqueue(async (pane) => {
        await server.run('set-buffer', '-b', pane, '--', text);
        await server.run('paste-buffer', '-d', '-p', '-r', '-b', pane, '-t', pane);
      });
    },
    resize(columns, rows) {
      enqueue((pane) => server.run('resize-window', '-t', pane, '-x', String(columns), '-y', String(rows)));
    },
    async isCursorVisible() {
      await lastAction;
      return (await server.run('display-message', '-p', '-t', await ready, '#{cursor_flag}')) === '1';
    },
    pid() {
      const found = readNumberFile(pid);
      if (found === undefined) throw new Error('it has not begun');
      return found;
    },
    waitForExit: () =>
      pollUntilDefined(async () => {
        await lastAction;
        if (firstError) throw firstError;
        return readNumberFile(exit);
      }, 'it has not ended'),
    close() {
      void lastAction
        .then(async () => {
          const pane = await ready;
          server.forget(pane);
          await server.run('kill-window', '-t', pane);
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
