import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as proto from '@temporalio/proto';
import { temporal } from '@temporalio/proto';
import { patchProtobufRoot } from '@temporalio/proto/lib/patch-protobuf-root';
import type { ReplayCase, WorkflowHistory } from './replay-histories';

const HISTORY_EXTENSIONS = /\.(pb\.gz|json)$/;

/** Lists the given history files, and all history files in the given folders. */
export function findHistoryFiles(paths: string[]): string[] {
  return paths.flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) throw new Error(`File or folder not found: ${file}.`);
    if (!stats.isDirectory()) return [file];
    return readdirSync(file)
      .filter((name) => HISTORY_EXTENSIONS.test(name))
      .sort()
      .map((name) => path.join(file, name));
  });
}

export function* readRecordedHistories(files: string[]): Generator<ReplayCase> {
  for (const file of files) {
    const history = readHistoryFile(file);
    const startedEvent = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    yield { id: startedEvent?.workflowId || path.basename(file).replace(HISTORY_EXTENSIONS, ''), file, history };
  }
}

/** Reads a history in Temporal's own format, or as written by `temporal workflow show --output json`. */
export function readHistoryFile(file: string): WorkflowHistory {
  const bytes = readFileSync(file);
  try {
    if (file.endsWith('.json')) return parseHistoryJson(JSON.parse(bytes.toString()));
    return temporal.api.history.v1.History.decode(file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  } catch (error) {
    throw new Error(`${file} is not a history: ${(error as Error).message}`);
  }
}

interface ProtoJson {
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): WorkflowHistory | null;
}

/**
 * Parses a history written by Temporal's CLI or UI. The SDK's parser accepts only types from its own copy of
 * protobufjs, and npm installs another copy for `@temporalio/proto`, so the parser is loaded from that package.
 */
function parseHistoryJson(json: { events?: unknown }): WorkflowHistory {
  if (!Array.isArray(json?.events)) throw new Error('it has no events');
  const { fromJson }: ProtoJson = createRequire(require.resolve('@temporalio/proto'))('protobufjs/ext/protojson');
  const root = patchProtobufRoot({ ...proto }) as unknown as { lookupType(name: string): unknown };
  const type = root.lookupType('temporal.api.history.v1.History');
  // A newer server may send unknown fields.
  return fromJson(type, json, { ignoreUnknownFields: true }) ?? {};
}
