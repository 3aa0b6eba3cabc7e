import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_DATETIME, INDEXED_VALUE_TYPE_KEYWORD_LIST } =
  temporal.api.enums.v1.IndexedValueType;

const WANTED = {
  ParleyStatus: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyAgent: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyRoot: INDEXED_VALUE_TYPE_KEYWORD,
  ParleyExpiresAt: INDEXED_VALUE_TYPE_DATETIME,
  ParleyAudience: INDEXED_VALUE_TYPE_KEYWORD_LIST,
};

/** Those of Parley's search attributes that the namespace lacks. */
export async function missingAttributes(client: Client): Promise<string[]> {
  const { namespace } = client.options;
  const listed = await client.connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(WANTED).filter((name) => !(name in (listed.customAttributes ?? {})));
}

/** Register what is missing. API and worker both may: that it is there already is no fault. */
export async function registerAttributes(client: Client): Promise<void> {
  const missing = await missingAttributes(client);
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(
    Object.entries(WANTED).filter(([name]) => missing.includes(name)),
  );
  const { namespace } = client.options;
  try {
    await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if ((await missingAttributes(client)).length > 0) throw error;
  }
}
