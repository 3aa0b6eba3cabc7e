import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';

/** Writes a history to a `.pb.gz` file, which `parley admin replay` reads. */
export function writeHistoryFile(file: string, history: temporal.api.history.v1.IHistory): void {
  writeFileSync(file, gzipSync(temporal.api.history.v1.History.encode(history).finish()));
}
