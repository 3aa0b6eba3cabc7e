import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { answers } from './ports';

const NAMESPACE = 'default';
/** The dev server forgets what ended a day ago. */
const KEEP = '30 days';

/** Resolves when the server takes calls and has its namespace, which it makes a moment after it listens. */
export async function untilServing(port: number, given: AbortSignal): Promise<void> {
  // gRPC waits a second after a refused connection: knock first, so as not to lose it.
  while (!(await answers(port))) await pause(25, undefined, { signal: given });
  const connection = Connection.lazy({ address: `127.0.0.1:${port}` });
  try {
    while (!(await isServing(connection))) await pause(50, undefined, { signal: given });
    await keepEnded(connection);
  } finally {
    await connection.close();
  }
}

async function isServing(connection: Connection): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + 2000, () => describe(connection));
    return true;
  } catch {
    return false;
  }
}

function describe(connection: Connection) {
  return connection.workflowService.describeNamespace({ namespace: NAMESPACE });
}

async function keepEnded(connection: Connection): Promise<void> {
  const wanted = msToTs(KEEP);
  const { config } = await describe(connection);
  if (tsToMs(config?.workflowExecutionRetentionTtl) >= tsToMs(wanted)) return;
  await connection.workflowService.updateNamespace({
    namespace: NAMESPACE,
    config: { workflowExecutionRetentionTtl: wanted },
  });
}
