/** What the system tells us: to leave in good order, or to be gone, once the screen is tidy. */
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
