import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import type { Config } from '#config';
import type { Log } from '#log';
import { GRPC, grpcOf } from './grpc';
import { registerAttributes } from './search-attributes';

const RPC_MS = 3_000;
/** Each part of a Temporal server hears of a new namespace in its own time. */
const USABLE_WITHIN_MS = 60_000;
const DAY_MS = 86_400_000;

/** What Parley needs of Temporal before it can begin: the namespace, and what its conversations are found by. */
export async function prepareNamespace(
  client: Client,
  config: Pick<Config, 'temporal'>,
  log: Log,
  unwanted?: AbortSignal,
): Promise<void> {
  const found = await retentionOf(client);
  if (found === 'missing') await make(client, config.temporal.retentionMs, log);
  // Another process may have made it a moment ago.
  if (found) await untilUsable(client, unwanted);
  await client.withDeadline(Date.now() + RPC_MS, () => registerAttributes(client));
  // Last, as all before it may be tried again.
  if (typeof found === 'number') tellRetention(found, config.temporal, log);
}

/** For how long what ended is kept in it. Undefined where that is not told. */
async function retentionOf(client: Client): Promise<number | 'missing' | undefined> {
  const { namespace } = client.options;
  try {
    const { config } = await soon(client, () => client.workflowService.describeNamespace({ namespace }));
    const kept = config?.workflowExecutionRetentionTtl;
    return kept ? tsToMs(kept) : undefined;
  } catch (error) {
    const { code } = grpcOf(error);
    if (code === GRPC.NOT_FOUND) return 'missing';
    if (isNotAllowed(code)) return undefined;
    throw error;
  }
}

async function make(client: Client, retentionMs: number, log: Log): Promise<void> {
  const { namespace } = client.options;
  const days = `${Math.round(retentionMs / DAY_MS)} days`;
  try {
    await soon(client, () =>
      client.workflowService.registerNamespace({
        namespace,
        description: 'Conversations of Parley',
        workflowExecutionRetentionPeriod: msToTs(retentionMs),
      }),
    );
    log.info({ namespace, retention: days }, `made the namespace ${namespace}: what ended is kept ${days}`);
  } catch (error) {
    const { code } = grpcOf(error);
    // Another process of Parley's was quicker.
    if (code === GRPC.ALREADY_EXISTS) return;
    throw isNotAllowed(code) ? mustBeMade(namespace, retentionMs) : error;
  }
}

/** As Temporal itself would say that it is not there: no waiting mends it. */
function mustBeMade(namespace: string, retentionMs: number): Error {
  const hours = Math.round(retentionMs / 3_600_000);
  const message =
    `there is no namespace ${namespace}, and Parley may not make it here. On Temporal Cloud make it in its console or by tcld; ` +
    `elsewhere by \`temporal operator namespace create --namespace ${namespace} --retention ${hours}h\`. Or set TEMPORAL_NAMESPACE to one that there is`;
  return Object.assign(new Error(message), { code: GRPC.NOT_FOUND });
}

async function untilUsable(client: Client, unwanted?: AbortSignal): Promise<void> {
  const { namespace } = client.options;
  const request = { namespace, query: "WorkflowId = 'none'" };
  const patience = Date.now() + USABLE_WITHIN_MS;
  for (;;) {
    try {
      await soon(client, () => client.workflowService.countWorkflowExecutions(request));
      return;
    } catch (error) {
      const { code } = grpcOf(error);
      if (isNotAllowed(code)) return;
      if (code !== GRPC.NOT_FOUND || Date.now() > patience) throw error;
      await pause(250, undefined, { signal: unwanted });
    }
  }
}

/** It is the operator's: Parley changes nothing on a namespace that there is. A server for development keeps one day. */
function tellRetention(found: number, { namespace, retentionMs }: Config['temporal'], log: Log): void {
  if (found >= retentionMs) return;
  const [kept, wanted] = [found, retentionMs].map((ms) => Number((ms / DAY_MS).toFixed(1)));
  log.warn(
    { namespace },
    `the namespace ${namespace} keeps what ended for ${kept === 1 ? '1 day' : `${kept} days`}, less than the ${wanted} of PARLEY_RETENTION, which counts only where Parley makes it: finished conversations are deleted after that. Change it by \`temporal operator namespace update --namespace ${namespace} --retention ${wanted}d\``,
  );
}

/** Temporal Cloud has another way to make one; the test server has only the one. */
function isNotAllowed(code: number | undefined): boolean {
  return code === GRPC.PERMISSION_DENIED || code === GRPC.UNIMPLEMENTED;
}

function soon<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + RPC_MS, call);
}
