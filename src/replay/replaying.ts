import type { temporal } from '@temporalio/proto';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { Keys } from '#contract/encryption';
import { dataConverter } from '#temporal/converter';
import { reasonOf } from '#temporal/reason';
import { whyLocked } from './locked';

export type History = temporal.api.history.v1.IHistory;

/** A history and whose it is. */
export interface Case {
  id: string;
  history: History;
}

/** What came of it: `locked` is one whose encryption key is not here, `unbegun` one that no worker has touched. */
export type Outcome<C extends Case> = {
  of: Omit<C, 'history'>;
  came: 'fine' | 'broken' | 'locked' | 'unbegun';
  reason?: string;
};

export interface Code {
  workflowBundle: WorkflowBundleOption;
  keys?: Keys;
}

/** Replay each against this code, one at a time, so that only as much is in memory as is fetched ahead. */
export async function* replayAll<C extends Case>(
  cases: AsyncIterable<C> | Iterable<C>,
  { workflowBundle, keys }: Code,
): AsyncGenerator<Outcome<C>> {
  const told: Outcome<C>[] = [];
  let current: Omit<C, 'history'> | undefined;
  async function* playable() {
    for await (const { history, ...of } of cases) {
      const reason = await whyLocked(history, keys);
      if (reason) told.push({ of, came: 'locked', reason });
      else if (!isBegun(history)) told.push({ of, came: 'unbegun' });
      else {
        current = of;
        yield { workflowId: of.id, history };
      }
    }
  }
  const options = { workflowBundle, dataConverter: dataConverter(keys) };
  for await (const { error } of Worker.runReplayHistories(options, playable())) {
    yield* told.splice(0);
    if (!current) continue;
    yield error
      ? { of: current, came: 'broken', reason: reasonOf(error.message) }
      : { of: current, came: 'fine' };
  }
  yield* told;
}

/** With no task completed there is nothing that the code could contradict. */
function isBegun({ events }: History): boolean {
  return (events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);
}
