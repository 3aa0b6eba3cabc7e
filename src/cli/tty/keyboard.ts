import { emitKeypressEvents, type Key } from 'node:readline';
import type { Terminal } from './terminal';

/** A key press, or pasted text. */
export interface KeyPress {
  /** Node's name of the key: `return`, `up`, `a`; `paste` for pasted text. */
  name: string;
  /** The text that the key types, if any. */
  text: string;
  ctrl: boolean;
  meta: boolean;
  shift: boolean;
}

const CONTROL_CHARACTER = /\p{Cc}/u;

export function toKeyPress(character: string | undefined, keypress: Key = {}): KeyPress {
  const { name = '', ctrl = false, shift = false } = keypress;
  // Node reports a single Esc as Meta.
  const meta = name !== 'escape' && Boolean(keypress.meta);
  const text = ctrl || meta || character === undefined || CONTROL_CHARACTER.test(character) ? '' : character;
  return { name, text, ctrl, meta, shift };
}

/** Keeps line breaks and drops all other control characters. */
export function toPasteKeyPress(text: string): KeyPress {
  const safeText = text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    .replace(/(?!\n)\p{Cc}/gu, '');
  return { name: 'paste', text: safeText, ctrl: false, meta: false, shift: false };
}

/** Joins lines and drops the line break that copied text usually ends with. */
export function joinLines(text: string): string {
  return text.replace(/^\n+|\n+$/g, '').replace(/\n+/g, ' ');
}

/** Returns a key's name with its modifiers: `C-a`, `M-b`, `S-tab`. */
export function keyChord({ name, ctrl, meta, shift }: KeyPress): string {
  const isNamed = name.length > 1;
  return `${ctrl ? 'C-' : ''}${meta ? 'M-' : ''}${shift && isNamed ? 'S-' : ''}${name}`;
}

const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';
const CURSOR_OFF = '\x1b[?25l';
const CURSOR_ON = '\x1b[?25h';
/** How long to wait after Esc for the rest of an escape sequence. */
const ESCAPE_MS = 50;
const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Called for each key, at the end of stdin, before and after the process is suspended (Ctrl-Z), and before a signal ends it. */
export interface RawModeHandlers {
  onKey(key: KeyPress): void;
  onEnd(): void;
  onSuspend(): void;
  onResume(): void;
  onTerminate(): void;
}

/** Reads single keys without echo. Returns how to restore the terminal, which happens on every exit too. */
export function enterRawMode(
  terminal: Terminal,
  { onKey, onEnd, onSuspend, onResume, onTerminate }: RawModeHandlers,
): () => void {
  const { input } = terminal;
  const onKeypress = createKeypressListener((key) => (key.ctrl && key.name === 'z' ? suspend() : onKey(key)));
  // `escapeCodeTimeout` is missing from the types.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as never);
  input.on('keypress', onKeypress);
  input.once('end', onEnd);
  enableRawInput(terminal);
  input.resume();

  /** Ctrl-Z: restores the terminal for the shell and stops the process. */
  const suspend = () => {
    onSuspend();
    disableRawInput(terminal);
    process.kill(process.pid, 'SIGTSTP');
  };
  const resume = () => {
    enableRawInput(terminal);
    onResume();
  };
  let isActive = true;
  const restore = () => {
    if (!isActive) return;
    isActive = false;
    input.off('keypress', onKeypress);
    input.off('end', onEnd);
    input.pause();
    disableRawInput(terminal);
    process.off('exit', restore);
    process.off('SIGCONT', resume);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    onTerminate();
    restore();
    process.kill(process.pid, signal);
  };
  process.once('exit', restore);
  process.on('SIGCONT', resume);
  for (const signal of SIGNALS) process.once(signal, onSignal);
  return restore;
}

/** Turns raw mode off first, because Node's view of the terminal is outdated after a suspension. */
function enableRawInput({ input, output }: Terminal): void {
  input.setRawMode(false);
  input.setRawMode(true);
  output.write(PASTE_ON + CURSOR_OFF);
}

function disableRawInput({ input, output }: Terminal): void {
  input.setRawMode(false);
  output.write(PASTE_OFF + CURSOR_ON);
}

/** Combines a bracketed paste into one key press. */
function createKeypressListener(onKey: (key: KeyPress) => void) {
  let paste: string | undefined;
  return (character: string | undefined, keypress: Key = {}) => {
    if (keypress.name === 'paste-start') paste = '';
    else if (keypress.name === 'paste-end') {
      const text = paste ?? '';
      paste = undefined;
      onKey(toPasteKeyPress(text));
    } else if (paste !== undefined) paste += keypress.sequence ?? character ?? '';
    else onKey(toKeyPress(character, keypress));
  };
}
