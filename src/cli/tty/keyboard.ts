import { emitKeypressEvents } from 'node:readline';
import type { Terminal } from './terminal';

/** One key that was pressed, or a text that was pasted. */
export interface KeyPress {
  /** As Node names it: `return`, `up`, `a`; `paste` for what was pasted. */
  name: string;
  /** What it writes, if anything. */
  text: string;
  ctrl: boolean;
  meta: boolean;
  shift: boolean;
}

/** What `keypress` of node:readline tells. */
interface NodeKeypress {
  name?: string;
  sequence?: string;
  ctrl?: boolean;
  meta?: boolean;
  shift?: boolean;
}

const CONTROL_CHARACTER = /\p{Cc}/u;

export function toKeyPress(written: string | undefined, pressed: NodeKeypress = {}): KeyPress {
  const { name = '', ctrl = false, shift = false } = pressed;
  // Node takes an Esc by itself for one that is held.
  const meta = name !== 'escape' && Boolean(pressed.meta);
  const text = ctrl || meta || written === undefined || CONTROL_CHARACTER.test(written) ? '' : written;
  return { name, text, ctrl, meta, shift };
}

/** Lines stay; what else would steer a terminal does not come along. */
export function toPasteKeyPress(text: string): KeyPress {
  const kept = text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    .replace(/(?!\n)\p{Cc}/gu, '');
  return { name: 'paste', text: kept, ctrl: false, meta: false, shift: false };
}

/** The same key by its name alone, with `C-` and `M-` before it as they are held. */
export function keyChord({ name, ctrl, meta, shift }: KeyPress): string {
  const isNamed = name.length > 1;
  return `${ctrl ? 'C-' : ''}${meta ? 'M-' : ''}${shift && isNamed ? 'S-' : ''}${name}`;
}

const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';
const CURSOR_OFF = '\x1b[?25l';
const CURSOR_ON = '\x1b[?25h';
/** How long an Esc by itself is waited for to be the beginning of something else. */
const ESCAPE_MS = 50;
const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

export interface RawMode {
  /** Gives the terminal back as it was, however often it is called. */
  restore(): void;
}

/** What there is to do when a key is pressed, there will be none any more, and before and after a stop. */
export interface RawModeHandlers {
  onKey(key: KeyPress): void;
  onEnd(): void;
  onStop(): void;
  onBack(): void;
}

/** Takes the keys one by one, with nothing echoed, until it is given back: on every way out of the process, too. */
export function enterRawMode(terminal: Terminal, { onKey, onEnd, onStop, onBack }: RawModeHandlers): RawMode {
  const { input } = terminal;
  const listen = createKeypressListener((key) => (key.ctrl && key.name === 'z' ? stop() : onKey(key)));
  // The last is not in the types: how long Node waits after an Esc.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as never);
  input.on('keypress', listen);
  input.once('end', onEnd);
  enableRawInput(terminal);
  input.resume();

  /** Whoever types goes back to their shell for a while. */
  const stop = () => {
    onStop();
    disableRawInput(terminal);
    process.kill(process.pid, 'SIGTSTP');
  };
  const goOn = () => {
    enableRawInput(terminal);
    onBack();
  };
  let isOurs = true;
  const restore = () => {
    if (!isOurs) return;
    isOurs = false;
    input.off('keypress', listen);
    input.off('end', onEnd);
    input.pause();
    disableRawInput(terminal);
    process.off('exit', restore);
    process.off('SIGCONT', goOn);
    for (const signal of SIGNALS) process.off(signal, leave);
  };
  const leave = (signal: NodeJS.Signals) => {
    restore();
    process.kill(process.pid, signal);
  };
  process.once('exit', restore);
  process.on('SIGCONT', goOn);
  for (const signal of SIGNALS) process.once(signal, leave);
  return { restore };
}

/** Off first: after a stop the terminal is not as Node believes. */
function enableRawInput({ input, output }: Terminal): void {
  input.setRawMode(false);
  input.setRawMode(true);
  output.write(PASTE_ON + CURSOR_OFF);
}

function disableRawInput({ input, output }: Terminal): void {
  input.setRawMode(false);
  output.write(PASTE_OFF + CURSOR_ON);
}

/** What is pasted comes as one. */
function createKeypressListener(onKey: (key: KeyPress) => void) {
  let paste: string | undefined;
  return (written: string | undefined, pressed: NodeKeypress = {}) => {
    if (pressed.name === 'paste-start') paste = '';
    else if (pressed.name === 'paste-end') {
      const text = paste ?? '';
      paste = undefined;
      onKey(toPasteKeyPress(text));
    } else if (paste !== undefined) paste += pressed.sequence ?? written ?? '';
    else onKey(toKeyPress(written, pressed));
  };
}
