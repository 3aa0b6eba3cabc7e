import { log, patched } from '@temporalio/workflow';
import { type Compaction, compact } from '../core/compaction';
import { end } from '../core/ending';
import { isFinished, type State } from '../core/state';
import { countUsage } from '../core/turn';
import { summarise } from './activities';
import { readable } from './failures';
import { transcripts } from './hand-over';
import { readingOf, turnOf, unlessEnded } from './work';

/** Conversations of before 0.8 grew until the model refused them. */
export function mayMakeRoom(): boolean {
  return patched('makes-room');
}

/** The model is there and will not: to come again later mends nothing. */
const HOPELESS = ['no_summary', 'model_rejected'];

/**
 * Let the older turns be summarised. Where the model will not they go without a summary: better than a conversation that
 * cannot go on. Where it cannot be reached nothing is lost: the conversation fails as at any call, and can be taken up.
 */
export async function makeRoom(state: State, { do: _, ...step }: Compaction): Promise<void> {
  const turn = { ...turnOf(state, step.messages), ...step };
  transcripts.handOver(turn, readingOf(state, step.messages));
  let summary: string | undefined;
  try {
    const made = await unlessEnded(state, () => summarise(turn));
    if (made) countUsage(state, made.usage);
    summary = made?.text;
  } catch (error) {
    const why = readable(error, 'model_unavailable', 'The model could not be reached');
    log.warn('No summary could be made', why);
    if (!isFinished(state) && !HOPELESS.includes(why.code)) end(state, 'failed', { error: why }, Date.now());
  }
  // Ended meanwhile, it stays as it was; what people said while it was written waits in the queue.
  if (!isFinished(state)) compact(state, step, summary);
}
