import { ApplicationFailure, ChildWorkflowFailure, startChild } from '@temporalio/workflow';
import { clip } from '#core/json';
import { deliver } from './activities';
import { errandAt, type Round, type Stop } from './errands';
import { readable } from './failures';
import { COURIER_TYPE } from './messages';

/** Goes round until everybody has been told, or three days are over. True where a receiver wants to hear no more. */
export async function courier(round: Round): Promise<boolean> {
  const failures: string[] = [];
  const gone = new Set<string>();
  const tell = async (stop: Stop) => {
    try {
      await deliver.executeWithOptions({ summary: `${stop.id} by ${stop.channel}` }, [errandAt(round, stop)]);
    } catch (error) {
      const { code, message } = readable(error, 'not_told', 'the channel could not be reached');
      if (code === 'gone') gone.add(stop.channel);
      else failures.push(`${stop.channel}: ${message}`);
    }
  };
  // One after the other where they are at the same place, so that what is told comes in order.
  const visit = async (channel: string) => {
    for (const stop of round.stops) if (stop.channel === channel && !gone.has(channel)) await tell(stop);
  };
  await Promise.all([...new Set(round.stops.map(({ channel }) => channel))].map(visit));
  const isGone = gone.size > 0;
  if (failures.length === 0) return isGone;
  const message = failures.join('\n');
  throw ApplicationFailure.create({ message, type: 'not_told', nonRetryable: true, details: [isGone] });
}

/** Resolves once it is on its way, which no end and no roll-over stops then. It never rejects: that would jam the run. */
export async function sendCourier(id: string, round: Round, heard: (isGone: boolean) => void): Promise<void> {
  const what = round.question?.id ?? 'the conversation';
  try {
    const sent = await startChild<typeof courier>(COURIER_TYPE, {
      workflowId: `${id}/courier`,
      args: [round],
      staticSummary: `Tells what became of ${what}: ${clip(round.title, 80)}`,
      parentClosePolicy: 'ABANDON',
      cancellationType: 'ABANDON',
    });
    void sent.result().then(heard, (error: unknown) => heard(isGoneIn(error)));
  } catch {
    // One is on its way under that name already: the run was reset, and tells it all again.
  }
}

function isGoneIn(error: unknown): boolean {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.details?.[0] === true;
}
