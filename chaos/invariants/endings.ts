import { actIn, isReply, type Sighting } from '../ledger';
import { doerOf, type Evidence, questionOf } from './evidence';

/** It came to an end that its play or somebody's deed explains. */
export function endingsOf({ story, documents }: Evidence): string[] {
  const [document] = documents;
  if (!document) return [];
  const { status, error } = document.conversation;
  const started = story.acts.find(({ deed }) => deed === 'start');
  const faults = [...story.troubles];
  if (status === 'running' || status === 'waiting_for_input') faults.push(`it is ${status} in the end`);
  const isCancelled = story.acts.some(({ deed }) => deed === 'cancel');
  if (status === 'cancelled' && !isCancelled) faults.push('it was cancelled by nobody');
  if (status === 'failed' && error?.code !== 'question_timed_out')
    faults.push(`it failed with ${error?.code}: ${error?.message}`);
  if (!started?.tries.some(isReply)) faults.push('nobody started it');
  if (document.truncated) faults.push('its timeline is cut');
  const numbers = document.timeline.map(({ id }) => id);
  if (numbers.some((number, at) => at > 0 && number <= (numbers[at - 1] ?? 0)))
    faults.push('the numbers of its entries do not grow');
  return faults;
}

/** What was read on the way still stands. */
export function readingsOf(evidence: Evidence): string[] {
  return evidence.story.sightings.flatMap((seen) => {
    const question = questionOf(evidence, seen.conversation, seen.question);
    if (!question) return [`${seen.question} was shown, and is not there in the end`];
    if (seen.status === 'pending') return [];
    const isSame = seen.status === question.status && actIn(seen.outcome) === doerOf(evidence, question)?.id;
    return isSame ? [] : [shownAs(seen, question.status)];
  });
}

function shownAs({ question, status, outcome }: Sighting, now: string): string {
  return `${question} was shown as ${status} (${JSON.stringify(outcome)}), and is ${now} in the end`;
}
