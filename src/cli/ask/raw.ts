import { emitKeypressEvents } from 'node:readline';
import type { Terminal } from '../terminal';
import { type Key, keyOf, type Pressed, pasted } from './key';

const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';
const CURSOR_OFF = '\x1b[?25l';
const CURSOR_ON = '\x1b[?25h';
/** How long an Esc by itself is waited for to be the beginning of something else. */
const ESCAPE_MS = 50;
const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

export interface Raw {
  /** Gives the terminal back as it was, however often it is called. */
  restore(): void;
}

/** Takes the keys one by one, with nothing echoed, until it is given back: on every way out of the process, too. */
export function takeKeys({ input, output }: Terminal, onKey: (key: Key) => void, onEnd: () => void): Raw {
  const listen = keysFrom(onKey);
  // The last is not in the types: how long Node waits after an Esc.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as never);
  input.on('keypress', listen);
  input.once('end', onEnd);
  input.setRawMode(true);
  input.resume();
  output.write(PASTE_ON + CURSOR_OFF);

  let isOurs = true;
  const restore = () => {
    if (!isOurs) return;
    isOurs = false;
    input.off('keypress', listen);
    input.off('end', onEnd);
    input.setRawMode(false);
    input.pause();
    output.write(PASTE_OFF + CURSOR_ON);
    process.off('exit', restore);
    for (const signal of SIGNALS) process.off(signal, leave);
  };
  const leave = (signal: NodeJS.Signals) => {
    restore();
    process.kill(process.pid, signal);
  };
  process.once('exit', restore);
  for (const signal of SIGNALS) process.once(signal, leave);
  return { restore };
}

/** What is pasted comes as one. */
function keysFrom(onKey: (key: Key) => void) {
  let paste: string | undefined;
  return (written: string | undefined, pressed: Pressed = {}) => {
    if (pressed.name === 'paste-start') paste = '';
    else if (pressed.name === 'paste-end') {
      const text = paste ?? '';
      paste = undefined;
      onKey(pasted(text));
    } else if (paste !== undefined) paste += pressed.sequence ?? written ?? '';
    else onKey(keyOf(written, pressed));
  };
}
