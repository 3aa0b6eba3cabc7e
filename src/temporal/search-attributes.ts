import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { GRPC, grpcOf } from './grpc';

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_DATETIME, INDEXED_VALUE_TYPE_KEYWORD_LIST } =
  temporal.api.enums.v1.IndexedValueType;

const WANTED = {
  ParleyStatus: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyAgent: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyRoot: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyExpiresAt: INDEXED_VALUE_TYPE_DATETIME,
  ParleyAudience: INDEXED_VALUE_TYPE_KEYWORD_LIST,
};

type Name = keyof typeof WANTED;
export const ATTRIBUTES = Object.keys(WANTED) as Name[];

/** Register what is missing, or everything where one may not look. That it is there already is no fault. */
export async function registerAttributes(client: Client): Promise<void> {
  const missing = (await listMissing(client)) ?? ATTRIBUTES;
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, WANTED[name]]));
  const { namespace } = client.options;
  try {
    await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if (isForOperatorsOnly(error)) return;
    if ((await listMissing(client))?.length) throw error;
  }
}

async function listMissing(client: Client): Promise<Name[] | undefined> {
  const { namespace } = client.options;
  try {
    const { customAttributes = {} } = await client.connection.operatorService.listSearchAttributes({
      namespace,
    });
    return ATTRIBUTES.filter((name) => !(name in customAttributes));
  } catch (error) {
    if (isForOperatorsOnly(error)) return undefined;
    throw error;
  }
}

/** Temporal Cloud has another way to register them; the test server takes new ones but lists none. */
function isForOperatorsOnly(error: unknown): boolean {
  const { code } = grpcOf(error);
  return code === GRPC.PERMISSION_DENIED || code === GRPC.UNIMPLEMENTED;
}
