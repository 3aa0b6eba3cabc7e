import type { Terminal } from '../terminal';

const SHOW_CURSOR = '\u001b[?25h';

/** As it was, whoever had the keys and hid the cursor. */
export function restore({ isInteractive, input, output }: Terminal): void {
  if (!isInteractive) return;
  input.setRawMode(false);
  output.write(SHOW_CURSOR);
}

/** What the system tells us: to leave in good order, or to be gone, once the terminal is as it was. */
export function onSignals(leave: () => void, tidy: () => void): () => void {
  const goAway = (signal: NodeJS.Signals) => {
    tidy();
    stop();
    process.kill(process.pid, signal);
  };
  const stop = () => {
    process.off('SIGINT', leave);
    for (const signal of FINAL) process.off(signal, goAway);
  };
  process.on('SIGINT', leave);
  for (const signal of FINAL) process.on(signal, goAway);
  return stop;
}

const FINAL = ['SIGTERM', 'SIGHUP'] as const;
