import { emitKeypressEvents } from 'node:readline';
import type { Terminal } from '#cli/terminal';
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

/** What there is to do when a key is pressed, there will be none any more, and before and after a stop. */
export interface Hands {
  onKey(key: Key): void;
  onEnd(): void;
  onStop(): void;
  onBack(): void;
}

/** Takes the keys one by one, with nothing echoed, until it is given back: on every way out of the process, too. */
export function takeKeys(terminal: Terminal, { onKey, onEnd, onStop, onBack }: Hands): Raw {
  const { input } = terminal;
  const listen = keysFrom((key) => (key.ctrl && key.name === 'z' ? stop() : onKey(key)));
  // The last is not in the types: how long Node waits after an Esc.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as never);
  input.on('keypress', listen);
  input.once('end', onEnd);
  take(terminal);
  input.resume();

  /** Whoever types goes back to their shell for a while. */
  const stop = () => {
    onStop();
    give(terminal);
    process.kill(process.pid, 'SIGTSTP');
  };
  const goOn = () => {
    take(terminal);
    onBack();
  };
  let isOurs = true;
  const restore = () => {
    if (!isOurs) return;
    isOurs = false;
    input.off('keypress', listen);
    input.off('end', onEnd);
    input.pause();
    give(terminal);
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
function take({ input, output }: Terminal): void {
  input.setRawMode(false);
  input.setRawMode(true);
  output.write(PASTE_ON + CURSOR_OFF);
}

function give({ input, output }: Terminal): void {
  input.setRawMode(false);
  output.write(PASTE_OFF + CURSOR_ON);
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
