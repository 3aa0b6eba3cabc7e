import type { Context } from '@temporalio/activity';

const BEAT_MS = 2_000;
const TEXT_MS = 250;
const TEXT_LENGTH = 64 * 1024;

/** Beats whether the model speaks or not, so that silence means a dead worker and nothing else. */
export function heartbeat(context: Context): { write(text: string): void; stop(): void } {
  let text = '';
  let last = Date.now();
  let soon: NodeJS.Timeout | undefined;
  const beat = () => {
    clearTimeout(soon);
    soon = undefined;
    last = Date.now();
    context.heartbeat({ text: text.slice(0, TEXT_LENGTH) });
  };
  const timer = setInterval(beat, BEAT_MS);
  return {
    write(written) {
      text = written;
      // Also for what was written last before the model went silent, as it does while it writes a call.
      soon ??= setTimeout(beat, Math.max(0, last + TEXT_MS - Date.now()));
    },
    stop() {
      clearInterval(timer);
      clearTimeout(soon);
    },
  };
}
