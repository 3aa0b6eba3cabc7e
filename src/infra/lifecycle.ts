import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from './config';
import type { Log } from './log';

/** Undone in reverse when the process is told to stop, however far its start has come. */
export type ShutdownHooks = (() => Promise<unknown>)[];

const STOP_TIMEOUT_MS = 4_500;
/** Ctrl-C under npm comes twice at once: from the terminal, and from npm. */
const DUPLICATE_SIGNAL_MS = 500;

/**
 * Run until SIGINT, SIGTERM or SIGHUP, then stop in order. `start` may hand back a promise of its own end:
 * if what it runs breaks, the process ends too, for whoever watches it to start it anew.
 */
export async function runUntilSignal(
  start: (cleanup: ShutdownHooks) => Promise<{ done: Promise<unknown>; drainMs?: number }>,
): Promise<void> {
  const cleanup: ShutdownHooks = [];
  let patience = STOP_TIMEOUT_MS;
  const stopped = waitForSignal().then(() => 0);
  const ended = start(cleanup)
    .then(({ done, drainMs = 0 }) => {
      patience = Math.max(STOP_TIMEOUT_MS, drainMs);
      return done;
    })
    .then(() => 0, printStartError);
  const code = await Promise.race([stopped, ended]);
  setTimeout(() => process.exit(1), patience).unref();
  for (const undo of cleanup.reverse()) await undo().catch(printStartError);
  process.exit(code);
}

function printStartError(error: unknown): number {
  console.error(error instanceof ConfigError ? `\n${error.message}\n` : error);
  return 1;
}

/** Whoever signals again does not want to wait. */
function waitForSignal(): Promise<void> {
  let firstAt: number | undefined;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (firstAt !== undefined && Date.now() - firstAt > DUPLICATE_SIGNAL_MS) process.exit(1);
        firstAt ??= Date.now();
        resolve();
      });
    }
  });
}

/** Try until it works, or is no longer wanted: Parley may be started before what it stands on. */
export async function retryUntilReady<T>(
  what: string,
  attempt: () => Promise<T>,
  log: Log,
  unwanted?: AbortSignal,
): Promise<T> {
  for (let wait = 250; ; wait = Math.min(wait * 2, 5_000)) {
    try {
      return await attempt();
    } catch (error) {
      unwanted?.throwIfAborted();
      if (isPermanentError(error))
        throw new ConfigError(
          `${what} refused: ${(error as Error).message.replace(/\.$/, '')}. Check the ${what.toUpperCase()}_* variables.`,
        );
      log.warn({ error: (error as Error).message }, `${what} cannot be reached; trying again`);
      await sleep(wait, undefined, { signal: unwanted });
    }
  }
}

const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/** What no waiting mends: a namespace that is not there, a key that is not good. */
function isPermanentError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  const said = String((error as Error).message);
  return (
    [NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED].includes(code as number) ||
    /namespace .* (is )?not found/i.test(said)
  );
}
