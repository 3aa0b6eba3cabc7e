import { spawn } from 'node:child_process';

/**
 * Reads pids from a pipe. When the pipe closes, as this process has ended for any reason, it ends them and deletes the
 * folder.
 */
const REAPER_SCRIPT = `
while read -r line; do pids=$line; done
if [ -n "$pids" ]; then
  kill -CONT $pids; kill -QUIT $pids; sleep 1; kill -KILL $pids
fi
rm -rf "$1"
`;

export interface OrphanReaper {
  /** Sets the pids to end with this process. */
  watch(pids: number[]): void;
  /** Ends the reaper, as there is nothing left to guard. */
  dismiss(): void;
}

/** Starts a process that ends child processes and deletes their folder, even if this process is killed. */
export function startOrphanReaper(folder: string): OrphanReaper {
  // In its own process group, so that Ctrl-C does not end it before this process.
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
