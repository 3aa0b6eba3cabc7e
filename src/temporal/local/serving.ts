import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { answers } from './ports';

/** What the server is for. */
export interface Wanted {
  /** One more than `default`. */
  namespace?: string;
  /** For how long what ended is kept at least: the dev server forgets it after a day. */
  retentionMs?: number;
}

const KEPT_MS = 30 * 86_400_000;

/** Resolves when the server takes calls and has its namespaces, which it makes a moment after it listens. */
export async function untilServing(
  port: number,
  given: AbortSignal,
  { namespace = 'default', retentionMs = KEPT_MS }: Wanted = {},
): Promise<void> {
  // gRPC waits a second after a refused connection: knock first, so as not to lose it.
  while (!(await answers(port))) await pause(25, undefined, { signal: given });
  const connection = Connection.lazy({ address: `127.0.0.1:${port}` });
  try {
    for (const name of new Set(['default', namespace])) {
      while (!(await isServing(connection, name))) await pause(50, undefined, { signal: given });
      await keepEnded(connection, name, retentionMs);
    }
  } finally {
    await connection.close();
  }
}

async function isServing(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + 2000, () => describe(connection, namespace));
    return true;
  } catch {
    return false;
  }
}

function describe(connection: Connection, namespace: string) {
  return connection.workflowService.describeNamespace({ namespace });
}

/** Raised, never lowered: somebody may have set it by hand. */
async function keepEnded(connection: Connection, namespace: string, retentionMs: number): Promise<void> {
  const { config } = await describe(connection, namespace);
  if (tsToMs(config?.workflowExecutionRetentionTtl) >= retentionMs) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(retentionMs) },
  });
}
