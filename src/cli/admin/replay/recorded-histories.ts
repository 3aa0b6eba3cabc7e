import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as proto from '@temporalio/proto';
import { temporal } from '@temporalio/proto';
import { patchProtobufRoot } from '@temporalio/proto/lib/patch-protobuf-root';
import type { ReplayCase, WorkflowHistory } from './replay-histories';

export interface RecordedHistory extends ReplayCase {
  file: string;
}

const HISTORY_EXTENSIONS = /\.(pb\.gz|json)$/;

/** Histories in files: those that are named, and all in a folder that is. */
export function findHistoryFiles(paths: string[]): string[] {
  return paths.flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) throw new Error(`There is no file or folder ${file}.`);
    if (!stats.isDirectory()) return [file];
    return readdirSync(file)
      .filter((name) => HISTORY_EXTENSIONS.test(name))
      .sort()
      .map((name) => path.join(file, name));
  });
}

export function* readRecordedHistories(files: string[]): Generator<RecordedHistory> {
  for (const file of files) {
    const history = readHistoryFile(file);
    const startedEvent = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    yield { id: startedEvent?.workflowId || path.basename(file).replace(HISTORY_EXTENSIONS, ''), file, history };
  }
}

/** For a file that ends in `.pb.gz`. */
export function writeHistoryFile(file: string, history: WorkflowHistory): void {
  writeFileSync(file, gzipSync(temporal.api.history.v1.History.encode(history).finish()));
}

/** As written above, or as `temporal workflow show --output json` does. */
export function readHistoryFile(file: string): WorkflowHistory {
  const bytes = readFileSync(file);
  try {
    if (file.endsWith('.json')) return parseHistoryJson(JSON.parse(bytes.toString()));
    return temporal.api.history.v1.History.decode(file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  } catch (error) {
    throw new Error(`${file} holds no history: ${(error as Error).message}`);
  }
}

interface ProtoJson {
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): WorkflowHistory | null;
}

/**
 * A history as Temporal's CLI and UI write it. The SDK has a reader, but it knows types only by its own copy of protobufjs,
 * and npm gives the package that has them another one: so this asks that package for its copy.
 */
function parseHistoryJson(json: { events?: unknown }): WorkflowHistory {
  if (!Array.isArray(json?.events)) throw new Error('it has no events');
  const { fromJson }: ProtoJson = createRequire(require.resolve('@temporalio/proto'))('protobufjs/ext/protojson');
  const root = patchProtobufRoot({ ...proto }) as unknown as { lookupType(name: string): unknown };
  const type = root.lookupType('temporal.api.history.v1.History');
  // A newer server may say more.
  return fromJson(type, json, { ignoreUnknownFields: true }) ?? {};
}
