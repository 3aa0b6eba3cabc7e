import { spawn } from 'node:child_process';

/** It hears at its end of a pipe when we are gone, however that came about, and ends what we can no longer end. */
const REAPER_SCRIPT = `
while read -r line; do pids=$line; done
if [ -n "$pids" ]; then
  kill -CONT $pids; kill -QUIT $pids; sleep 1; kill -KILL $pids
fi
rm -rf "$1"
`;

export interface OrphanReaper {
  /** What is to be ended with us, from now on. */
  watch(pids: number[]): void;
  /** There is nothing left to guard. */
  dismiss(): void;
}

/** Nothing of ours outlives us, not even where we are killed outright: neither processes nor their folder. */
export function startOrphanReaper(folder: string): OrphanReaper {
  // In a group of its own: Ctrl-C is for us, and it goes when we have gone.
  const child = spawn('sh', ['-c', REAPER_SCRIPT, 'parley-guardian', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const { stdin } = child;
  stdin.on('error', () => undefined);
  child.unref();
  (stdin as unknown as { unref(): void }).unref();
  return {
    watch: (pids) => void stdin.write(`${pids.join(' ')}\n`),
    dismiss: () => void stdin.end('\n'),
  };
}
