import type { Client } from '@temporalio/client';
import type { InjectedSinks } from '@temporalio/worker';
import type { HandOver, ModelTurn, Reading } from '#workflows/hand-over';
import { getTranscript } from '#workflows/messages';
import { askRun } from './ask-run';
import type { TranscriptReader } from './model-call';

/** As many calls as a worker may have about to begin. What another worker took up is pushed out by what follows. */
const HANDED_KEPT = 64;

/** Reads transcripts: what this worker was handed over a moment ago, else by asking the workflow itself. */
export function transcriptReader(client: Client): { sinks: InjectedSinks<HandOver>; read: TranscriptReader } {
  const handed = new Map<string, Reading>();
  const keep = ({ runId }: { runId: string }, call: ModelTurn, reading: Reading) => {
    handed.set(keyOf(runId, call), reading);
    const [oldest] = handed.keys();
    if (handed.size > HANDED_KEPT && oldest) handed.delete(oldest);
  };
  return {
    sinks: { transcripts: { handOver: { fn: keep, callDuringReplay: false } } },
    async read(run, call) {
      const key = keyOf(run.runId, call);
      const near = handed.get(key);
      handed.delete(key);
      return near ?? askRun(client, run, getTranscript, call.messages);
    },
  };
}

function keyOf(runId: string, { messages, at, times = 0 }: ModelTurn): string {
  return `${runId} ${messages} ${at} ${times}`;
}
