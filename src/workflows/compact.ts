import { ApplicationFailure, log, patched } from '@temporalio/workflow';
import { type Compaction, compact } from '#core/compaction';
import { end } from '#core/ending';
import { isFinished, type State } from '#core/state';
import { countUsage } from '#core/turn';
import { summarise } from './activities';
import { readable } from './failures';
import { transcripts } from './hand-over';
import { countStep } from './tally';
import { readingOf, turnOf, unlessEnded } from './work';

/** Conversations of before 0.7 grew until the model refused them. */
export function mayMakeRoom(): boolean {
  return patched('makes-room');
}

/**
 * Let the older turns be summarised. Where the model writes no summary they go without one: better than a conversation that
 * cannot go on. Where the call fails nothing is lost: the conversation fails as at any call, and can be taken up whole.
 */
export async function makeRoom(state: State, { do: _, ...step }: Compaction): Promise<void> {
  const turn = { ...turnOf(state, step.messages), ...step };
  transcripts.handOver(turn, readingOf(state, step.messages));
  try {
    const made = await unlessEnded(state, () => summarise(turn));
    // Ended meanwhile, it stays as it was; what people said while it was written waits in the queue.
    if (isFinished(state)) return;
    if (!made) throw ApplicationFailure.create({ message: 'The summary could not be read back.' });
    countUsage(state, made.usage);
    if (made.text === null) log.warn('No summary could be made', { why: made.why });
    compact(state, step, made.text ?? undefined);
    countStep(state, 'compacted');
  } catch (error) {
    if (isFinished(state)) return;
    const why = readable(error, 'model_unavailable', 'The model could not be reached');
    end(state, 'failed', { error: why }, Date.now());
  }
}
