import { type Act, repliesOf, type Story } from './ledger';
import type { Blow } from './storm';

/** What a run came to, in numbers. */
export interface Figures {
  conversations: number;
  /** Answers and declines that were acknowledged, each once. */
  acknowledged: number;
  confirmed: number;
  keptAndSettled: number;
  /** Confirmed first, and only said to be kept when it was sent again. */
  toldLess: number;
  requests: number;
  /** By status, or `none`. */
  replies: { [status: string]: number };
  deeds: { [deed: string]: number };
  faults: { [fault: string]: { times: number; longestMs: number } };
  /** Of first tries that were confirmed, in milliseconds. */
  calmMs: number[];
  stormyMs: number[];
  /** The longest time in which no answer was confirmed. */
  longestSilenceMs: number;
  /** After the faults were over: until the last conversation that waited had moved on. */
  recoveryMs: number;
}

export function figuresOf(stories: Story[], blows: Blow[]): Figures {
  const acts = stories.flatMap((story) => story.acts);
  const answers = acts.filter(({ question, isWrong }) => question !== undefined && !isWrong);
  const has = (status: number) => (act: Act) => repliesOf(act).some((made) => made.status === status);
  const tries = acts.flatMap((act) => act.tries);
  const firsts = answers.flatMap(({ tries: [first] }) => (first?.status === 200 ? [first] : []));
  const isStormy = (from: number, to: number) =>
    blows.some(({ at, until = Number.POSITIVE_INFINITY }) => at < to && from < until + AFTERMATH_MS);
  const timed = firsts.map(({ sentAt, repliedAt }) => ({
    ms: repliedAt - sentAt,
    isStormy: isStormy(sentAt, repliedAt),
  }));
  return {
    conversations: stories.length,
    acknowledged: answers.filter((act) => has(200)(act) || has(202)(act)).length,
    confirmed: answers.filter(has(200)).length,
    keptAndSettled: answers.filter((act) => has(202)(act) && !has(200)(act)).length,
    toldLess: answers.filter(isToldLess).length,
    requests: tries.length,
    replies: countBy(tries, ({ status }) => String(status ?? 'none')),
    deeds: countBy(acts, ({ deed, isWrong }) => (isWrong ? `wrong ${deed}` : deed)),
    faults: faultsIn(blows),
    calmMs: timed.filter((one) => !one.isStormy).map(({ ms }) => ms),
    stormyMs: timed.filter((one) => one.isStormy).map(({ ms }) => ms),
    longestSilenceMs: longestGap(
      answers
        .flatMap(({ tries: made }) => made.filter(({ status }) => status === 200))
        .map(({ repliedAt }) => repliedAt),
    ),
    recoveryMs: Math.max(0, ...stories.map(({ recoveredMs = 0 }) => recoveredMs)),
  };
}

function isToldLess(act: Act): boolean {
  const replies = repliesOf(act);
  const confirmed = replies.find(({ status }) => status === 200);
  return replies.some(({ status, sentAt }) => status === 202 && confirmed && sentAt > confirmed.repliedAt);
}

/** What a fault leaves behind is part of it: workers take a moment to start, and Temporal to notice. */
const AFTERMATH_MS = 3_000;

function countBy<T>(all: T[], by: (one: T) => string): { [name: string]: number } {
  const counts: { [name: string]: number } = {};
  for (const one of all) counts[by(one)] = (counts[by(one)] ?? 0) + 1;
  return counts;
}

function faultsIn(blows: Blow[]): Figures['faults'] {
  const faults: Figures['faults'] = {};
  for (const { fault, at, until = at } of blows) {
    const { times, longestMs } = faults[fault] ?? { times: 0, longestMs: 0 };
    faults[fault] = { times: times + 1, longestMs: Math.max(longestMs, until - at) };
  }
  return faults;
}

function longestGap(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(0, ...sorted.map((time, at) => time - (sorted[at - 1] ?? time)));
}
