import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { type Config, DAY_MS } from '#infra/config';
import type { Log } from '#infra/log';
import { findGrpcError, GRPC_STATUS } from './errors';

const RPC_TIMEOUT_MS = 3_000;
/** The services of a Temporal server see a new namespace at different times. */
const NAMESPACE_USABLE_TIMEOUT_MS = 60_000;

/** Prepares what Parley needs before it starts: the namespace and its search attributes. */
export async function prepareNamespace(
  client: Client,
  config: Pick<Config, 'temporal'>,
  log: Log,
  signal?: AbortSignal,
): Promise<void> {
  const retention = await readRetention(client);
  if (retention === 'missing') await registerParleyNamespace(client, config.temporal.retentionMs, log);
  // Another process may have just created it.
  if (retention) await waitUntilNamespaceUsable(client, signal);
  await client.withDeadline(Date.now() + RPC_TIMEOUT_MS, () => registerSearchAttributes(client));
  // Last, as everything before may be retried.
  if (typeof retention === 'number') warnAboutShortRetention(retention, config.temporal, log);
}

/** How long the namespace retains closed workflows. Undefined if the server does not say. */
async function readRetention(client: Client): Promise<number | 'missing' | undefined> {
  const { namespace } = client.options;
  try {
    const { config } = await withRpcTimeout(client, () => client.workflowService.describeNamespace({ namespace }));
    const ttl = config?.workflowExecutionRetentionTtl;
    return ttl ? tsToMs(ttl) : undefined;
  } catch (error) {
    const { code } = findGrpcError(error);
    if (code === GRPC_STATUS.NOT_FOUND) return 'missing';
    if (isNotAllowed(error)) return undefined;
    throw error;
  }
}

async function registerParleyNamespace(client: Client, retentionMs: number, log: Log): Promise<void> {
  const { namespace } = client.options;
  const days = `${Math.round(retentionMs / DAY_MS)} days`;
  try {
    await withRpcTimeout(client, () =>
      client.workflowService.registerNamespace({
        namespace,
        description: 'Parley conversations',
        workflowExecutionRetentionPeriod: msToTs(retentionMs),
      }),
    );
    log.info(
      { namespace, retention: days },
      `Created namespace ${namespace}; closed workflows are retained for ${days}.`,
    );
  } catch (error) {
    const { code } = findGrpcError(error);
    // Another Parley process created it first.
    if (code === GRPC_STATUS.ALREADY_EXISTS) return;
    throw isNotAllowed(error) ? createMissingNamespaceError(namespace, retentionMs) : error;
  }
}

/** Has Temporal's own code for a missing namespace, so that it is not retried. */
function createMissingNamespaceError(namespace: string, retentionMs: number): Error {
  const hours = Math.round(retentionMs / 3_600_000);
  const message =
    `namespace ${namespace} not found, and Parley is not allowed to create it. On Temporal Cloud, create it in the console or with tcld; ` +
    `elsewhere, run \`temporal operator namespace create --namespace ${namespace} --retention ${hours}h\`. Or set TEMPORAL_NAMESPACE to an existing one`;
  return Object.assign(new Error(message), { code: GRPC_STATUS.NOT_FOUND });
}

async function waitUntilNamespaceUsable(client: Client, signal?: AbortSignal): Promise<void> {
  const { namespace } = client.options;
  const request = { namespace, query: "WorkflowId = 'none'" };
  const deadline = Date.now() + NAMESPACE_USABLE_TIMEOUT_MS;
  for (;;) {
    try {
      await withRpcTimeout(client, () => client.workflowService.countWorkflowExecutions(request));
      return;
    } catch (error) {
      const { code } = findGrpcError(error);
      if (isNotAllowed(error)) return;
      if (code !== GRPC_STATUS.NOT_FOUND || Date.now() > deadline) throw error;
      await pause(250, undefined, { signal });
    }
  }
}

/** Parley never changes an existing namespace: it belongs to the operator. A development server retains one day. */
function warnAboutShortRetention(actualMs: number, { namespace, retentionMs }: Config['temporal'], log: Log): void {
  if (actualMs >= retentionMs) return;
  const [actualDays, wantedDays] = [actualMs, retentionMs].map((ms) => Number((ms / DAY_MS).toFixed(1)));
  log.warn(
    { namespace },
    `Namespace ${namespace} deletes finished conversations after ${actualDays === 1 ? '1 day' : `${actualDays} days`}, before the ${wantedDays} of PARLEY_RETENTION, which applies only to namespaces that Parley creates. To change it: \`temporal operator namespace update --namespace ${namespace} --retention ${wantedDays}d\``,
  );
}

function withRpcTimeout<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + RPC_TIMEOUT_MS, call);
}

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_DATETIME, INDEXED_VALUE_TYPE_KEYWORD_LIST } =
  temporal.api.enums.v1.IndexedValueType;

const SEARCH_ATTRIBUTE_TYPES = {
  ParleyStatus: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyAgent: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyRoot: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyExpiresAt: INDEXED_VALUE_TYPE_DATETIME,
  ParleyAudience: INDEXED_VALUE_TYPE_KEYWORD_LIST,
};

type SearchAttributeName = keyof typeof SEARCH_ATTRIBUTE_TYPES;
export const SEARCH_ATTRIBUTE_NAMES = Object.keys(SEARCH_ATTRIBUTE_TYPES) as SearchAttributeName[];

/** Registers missing attributes, or all of them if listing is not allowed. An existing one is not an error. */
export async function registerSearchAttributes(client: Client): Promise<void> {
  const missing = (await listMissingSearchAttributes(client)) ?? SEARCH_ATTRIBUTE_NAMES;
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, SEARCH_ATTRIBUTE_TYPES[name]]));
  const { namespace } = client.options;
  try {
    await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if (isNotAllowed(error)) return;
    if ((await listMissingSearchAttributes(client))?.length) throw error;
  }
}

async function listMissingSearchAttributes(client: Client): Promise<SearchAttributeName[] | undefined> {
  const { namespace } = client.options;
  try {
    const { customAttributes = {} } = await client.connection.operatorService.listSearchAttributes({
      namespace,
    });
    return SEARCH_ATTRIBUTE_NAMES.filter((name) => !(name in customAttributes));
  } catch (error) {
    if (isNotAllowed(error)) return undefined;
    throw error;
  }
}

/** Temporal Cloud manages namespaces and search attributes elsewhere; the test server implements only part of this. */
function isNotAllowed(error: unknown): boolean {
  const { code } = findGrpcError(error);
  return code === GRPC_STATUS.PERMISSION_DENIED || code === GRPC_STATUS.UNIMPLEMENTED;
}
