import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIENT } from './client';
import { programFor } from './toolchain';

/** A screen with `parley` on it, in a tmux of its own. */
export interface Screen {
  /** What is to be seen, line by line, without what is blank at the end. */
  shown(): string;
  /** The same with what has scrolled by. */
  all(): string;
  /** The same as `shown`, with colours as escape sequences. */
  colored(): string;
  /** Waits until it is to be seen. */
  until(wanted: RegExp | string): Promise<string>;
  /** Waits until it is to be seen no longer. */
  untilGone(unwanted: RegExp | string): Promise<string>;
  /** Keys by tmux's names (`Enter`, `Down`, `C-c`, `Escape`), or single characters. */
  press(...keys: string[]): void;
  /** As typed, character by character. */
  type(text: string): void;
  /** As pasted, in one go. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** The terminal's own cursor is to be seen. */
  hasCursor(): boolean;
  /** Waits until the command has ended; its exit code. */
  ended(): Promise<number>;
  close(): void;
}

export interface Shown {
  env?: Record<string, string>;
  columns?: number;
  rows?: number;
}

const PATIENCE_MS = 45_000;
const LOOK_MS = 25;

/** Runs `parley` with these words on a screen of that size. */
export function onScreen(words: string[], { env = {}, columns = 80, rows = 24 }: Shown = {}): Screen {
  const name = `parley-${randomBytes(5).toString('hex')}`;
  const folder = mkdtempSync(path.join(tmpdir(), `${name}-`));
  const exit = path.join(folder, 'exit');
  const program = programFor('tmux', 'There is no tmux here. `npm test` finds or gets one.');
  const tmux = (...given: string[]) =>
    execFileSync(program, ['-L', name, '-f', '/dev/null', ...given], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', TMUX_TMPDIR: folder },
    });
  const own = { HOME: folder, LANG: 'C.UTF-8', TERM: 'tmux-256color', ...env };
  const variables = Object.entries(own).map(([key, value]) => quoted(`${key}=${value}`));
  const command = [process.execPath, CLIENT, ...words].map(quoted).join(' ');
  const line = `env -i PATH="$PATH" ${variables.join(' ')} ${command}; echo $? > ${quoted(exit)}; sleep 100000`;
  tmux('new-session', '-d', '-s', 'parley', '-x', String(columns), '-y', String(rows), line);

  const capture = (...more: string[]) => tmux('capture-pane', '-p', '-t', 'parley', ...more).trimEnd();
  const has = (text: string, wanted: RegExp | string) =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  const when = async <T>(look: () => T | undefined, what: string): Promise<T> => {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (Date.now() > until) throw new Error(`${what}:\n${capture('-S', '-')}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };

  const self: Screen = {
    shown: () => capture(),
    all: () => capture('-S', '-'),
    colored: () => capture('-e'),
    until: (wanted) =>
      when(() => {
        const text = self.shown();
        return has(text, wanted) ? text : undefined;
      }, `${wanted} is not to be seen`),
    untilGone: (unwanted) =>
      when(() => {
        const text = self.shown();
        return has(text, unwanted) ? undefined : text;
      }, `${unwanted} is still to be seen`),
    press: (...keys) => void tmux('send-keys', '-t', 'parley', ...keys),
    type: (text) => void tmux('send-keys', '-t', 'parley', '-l', '--', text),
    paste(text) {
      tmux('set-buffer', '--', text);
      tmux('paste-buffer', '-p', '-r', '-t', 'parley');
    },
    resize: (columns, rows) =>
      void tmux('resize-window', '-t', 'parley', '-x', String(columns), '-y', String(rows)),
    hasCursor: () => tmux('display-message', '-p', '-t', 'parley', '#{cursor_flag}').trim() === '1',
    ended: () => when(() => exitIn(exit), 'it has not ended'),
    close() {
      tmux('kill-server');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return self;
}

function exitIn(file: string): number | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? undefined : Number(text);
  } catch {
    return undefined;
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
