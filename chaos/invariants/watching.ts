import type { Entry } from '#contract/entry';
import type { Evidence } from './evidence';

/** Who watched was sent everything since the first look, in order, once, over every fault. */
export function watchedOf({ story, documents }: Evidence): string[] {
  const [document] = documents;
  if (!document || !story.watched) return [];
  const { from, numbers } = story.watched;
  const last = numbers.at(-1) ?? from;
  const wanted = document.timeline
    .flatMap(numbersOf)
    .filter((number) => number > from && number <= last)
    .sort((a, b) => a - b);
  return JSON.stringify(numbers) === JSON.stringify(wanted)
    ? []
    : [`who watched it from ${from} was sent ${numbers.join(' ')} in place of ${wanted.join(' ')}`];
}

function numbersOf(entry: Entry): number[] {
  if (entry.kind === 'notice') return [];
  return entry.kind === 'question' && entry.settledId ? [entry.id, entry.settledId] : [entry.id];
}
