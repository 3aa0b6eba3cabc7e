import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { GRPC, grpcOf } from '#temporal/grpc';
import { answers } from '#temporal/local/ports';

const SYSTEM = 'temporal-system';
/** Each lands on one of the few history shards: together they have met them all, as good as certainly. */
const PROBES = Array.from({ length: 32 }, (_, number) => `nothing-${number}`);

/** Resolves when every part of the server answers: the frontend does before history has its shards. */
export async function untilAnswering(port: number, given: AbortSignal): Promise<void> {
  // gRPC waits a second after a refused connection: knock first, so as not to lose it.
  while (!(await answers(port))) await pause(25, undefined, { signal: given });
  const connection = Connection.lazy({ address: `127.0.0.1:${port}` });
  try {
    while (!(await isAnswering(connection))) await pause(50, undefined, { signal: given });
  } finally {
    await connection.close();
  }
}

async function isAnswering(connection: Connection): Promise<boolean> {
  const { workflowService } = connection;
  const look = async () => {
    await workflowService.countWorkflowExecutions({ namespace: SYSTEM });
    const found = PROBES.map((workflowId) => {
      const request = { namespace: SYSTEM, execution: { workflowId } };
      return workflowService.describeWorkflowExecution(request).then(() => true, isNotFound);
    });
    return (await Promise.all(found)).every(Boolean);
  };
  try {
    return await connection.withDeadline(Date.now() + 3_000, look);
  } catch {
    return false;
  }
}

/** Told by history, which alone can know. */
function isNotFound(error: unknown): boolean {
  const { code, details } = grpcOf(error);
  return code === GRPC.NOT_FOUND && /workflow/i.test(details);
}
