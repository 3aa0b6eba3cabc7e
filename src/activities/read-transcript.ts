import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { InjectedSinks } from '@temporalio/worker';
import type { HandOver, ModelTurn, Reading } from '../workflows/hand-over';
import { getTranscript } from '../workflows/messages';
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
      return near ?? query(client, run, call.messages);
    },
  };
}

function keyOf(runId: string, { messages, at, times = 0 }: ModelTurn): string {
  return `${runId} ${messages} ${at} ${times}`;
}

const DEADLINE_MS = 10_000;
const RESOURCE_EXHAUSTED = 8;

/** A run takes one query while a task is pending, so a busy one is asked again. */
async function query(
  client: Client,
  run: { workflowId: string; runId: string },
  messages: number,
): Promise<Reading> {
  const handle = client.workflow.getHandle(run.workflowId, run.runId);
  const deadline = Date.now() + DEADLINE_MS;
  for (let wait = 50; ; wait *= 2) {
    try {
      return await client.withDeadline(deadline, () => handle.query(getTranscript, messages));
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      const isBusy = isGrpcServiceError(cause) && cause.code === RESOURCE_EXHAUSTED;
      if (!isBusy || Date.now() + wait > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
