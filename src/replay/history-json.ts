import { createRequire } from 'node:module';
import * as proto from '@temporalio/proto';
import { patchProtobufRoot } from '@temporalio/proto/lib/patch-protobuf-root';
import type { History } from './replaying';

interface ProtoJson {
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): History | null;
}

/**
 * A history as Temporal's CLI and UI write it. The SDK has a reader, but it knows types only by its own copy of protobufjs,
 * and npm gives the package that has them another one: so this asks that package for its copy.
 */
export function historyOfJson(json: { events?: unknown }): History {
  if (!Array.isArray(json?.events)) throw new Error('it has no events');
  const { fromJson }: ProtoJson = createRequire(require.resolve('@temporalio/proto'))(
    'protobufjs/ext/protojson',
  );
  const root = patchProtobufRoot({ ...proto }) as unknown as { lookupType(name: string): unknown };
  const type = root.lookupType('temporal.api.history.v1.History');
  // A newer server may say more.
  return fromJson(type, json, { ignoreUnknownFields: true }) ?? {};
}
