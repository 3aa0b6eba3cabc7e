import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from './config';
import type { Log } from './log';
import { GRPC_STATUS } from './temporal/errors';

/** Cleanup functions, run in reverse order at shutdown, even if startup was not complete. */
export type ShutdownHooks = (() => Promise<unknown>)[];

const STOP_TIMEOUT_MS = 4_500;
/** Ctrl-C under npm sends the signal twice: from the terminal and from npm. */
const DUPLICATE_SIGNAL_MS = 500;

/**
 * Runs until SIGINT, SIGTERM or SIGHUP, then cleans up in order. `done` settles if what `start` runs ends by itself:
 * then the process ends too, so that a supervisor can restart it.
 */
export async function runUntilSignal(
  start: (cleanup: ShutdownHooks) => Promise<{ done: Promise<unknown>; drainMs?: number }>,
): Promise<void> {
  const cleanup: ShutdownHooks = [];
  let shutdownTimeoutMs = STOP_TIMEOUT_MS;
  const signalled = waitForSignal().then(() => 0);
  const finished = start(cleanup)
    .then(({ done, drainMs = 0 }) => {
      shutdownTimeoutMs = Math.max(STOP_TIMEOUT_MS, drainMs);
      return done;
    })
    .then(() => 0, printStartError);
  const exitCode = await Promise.race([signalled, finished]);
  setTimeout(() => process.exit(1), shutdownTimeoutMs).unref();
  for (const hook of cleanup.reverse()) await hook().catch(printStartError);
  process.exit(exitCode);
}

function printStartError(error: unknown): number {
  console.error(error instanceof ConfigError ? `\n${error.message}\n` : error);
  return 1;
}

/** Resolves at the first signal. A second one, after the duplicate window, exits at once. */
function waitForSignal(): Promise<void> {
  let firstSignalAt: number | undefined;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (firstSignalAt !== undefined && Date.now() - firstSignalAt > DUPLICATE_SIGNAL_MS) process.exit(1);
        firstSignalAt ??= Date.now();
        resolve();
      });
    }
  });
}

/** Retries until the attempt succeeds or is aborted: Parley may start before the services that it needs. */
export async function retryUntilReady<T>(
  service: string,
  attempt: () => Promise<T>,
  log: Log,
  signal?: AbortSignal,
): Promise<T> {
  for (let delayMs = 250; ; delayMs = Math.min(delayMs * 2, 5_000)) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (isPermanentError(error))
        throw new ConfigError(
          `${service} refused: ${(error as Error).message.replace(/\.$/, '')}. Check the ${service.toUpperCase()}_* variables.`,
        );
      log.warn({ error: (error as Error).message }, `Can't reach ${service}. Retrying.`);
      await sleep(delayMs, undefined, { signal });
    }
  }
}

const { NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED } = GRPC_STATUS;
const PERMANENT_STATUSES: unknown[] = [NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED];

/** Whether retrying cannot help, such as for a missing namespace or an invalid key. */
function isPermanentError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return PERMANENT_STATUSES.includes(code) || /namespace .* (is )?not found/i.test(String((error as Error).message));
}
