import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { historyOfJson } from './history-json';
import type { Case, History } from './replaying';

export interface Recorded extends Case {
  file: string;
}

const KINDS = /\.(pb\.gz|json)$/;

/** Histories in files: those that are named, and all in a folder that is. */
export function filesIn(paths: string[]): string[] {
  return paths.flatMap((file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) throw new Error(`There is no file or folder ${file}.`);
    if (!found.isDirectory()) return [file];
    return readdirSync(file)
      .filter((name) => KINDS.test(name))
      .sort()
      .map((name) => path.join(file, name));
  });
}

export function* recordedIn(files: string[]): Generator<Recorded> {
  for (const file of files) {
    const history = readHistory(file);
    const begun = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    yield { id: begun?.workflowId || path.basename(file).replace(KINDS, ''), file, history };
  }
}

/** For a file that ends in `.pb.gz`. */
export function writeHistory(file: string, history: History): void {
  writeFileSync(file, gzipSync(temporal.api.history.v1.History.encode(history).finish()));
}

/** As written above, or as `temporal workflow show --output json` does. */
export function readHistory(file: string): History {
  const bytes = readFileSync(file);
  try {
    if (file.endsWith('.json')) return historyOfJson(JSON.parse(bytes.toString()));
    return temporal.api.history.v1.History.decode(file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  } catch (error) {
    throw new Error(`${file} holds no history: ${(error as Error).message}`);
  }
}
