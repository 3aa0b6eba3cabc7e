import { type ConversationLog, listFinalReplies, type UserAction } from './event-log';
import type { InjectedFault } from './fault-injector';
import { invariantNames } from './invariants/check';
import type { InvariantViolation } from './invariants/evidence';

export interface ChaosResult {
  seed: string;
  minutes: number;
  server: string;
  figures: ChaosStats;
  findings: InvariantViolation[];
  rollOvers: number;
  toolRuns: number;
  misbehaved: Map<string, number>;
  /** Processes that ended though nobody did anything to them. */
  ended: string[];
}

const MAX_VIOLATIONS_SHOWN = 25;

/** What a person reads at the end: what was done, what came of it, and every promise with how often it was broken. */
export function formatChaosReport(outcome: ChaosResult): string {
  const { figures, findings } = outcome;
  return [
    `Seed ${outcome.seed}, ${outcome.minutes} min of faults, Temporal on ${outcome.server}.`,
    '',
    formatSection('Load', [
      ['conversations', figures.conversations],
      ['answers and declines acknowledged', figures.acknowledged],
      ['  confirmed (200)', figures.confirmed],
      ['  kept (202), and another was first', figures.keptAndSettled],
      ['  confirmed, and only said to be kept (202) when sent again', figures.toldLess],
      ['requests of people', figures.requests],
      ['roll-overs', outcome.rollOvers],
      ['runs of tools', outcome.toolRuns],
    ]),
    formatSection('What people did', Object.entries(figures.deeds)),
    formatSection('Replies by status', Object.entries(figures.replies)),
    formatSection('The model misbehaved', [...outcome.misbehaved]),
    formatSection(
      'Faults, and how long the longest took to mend',
      Object.entries(figures.faults).map(([name, { times, longestMs }]) => [
        name,
        `${times} × ${formatSeconds(longestMs)}`,
      ]),
    ),
    formatSection('Times', [
      ['answer to confirmation, no fault near, p50', formatQuantile(figures.calmMs, 0.5)],
      ['  p99', formatQuantile(figures.calmMs, 0.99)],
      ['answer to confirmation, by a fault, p50', formatQuantile(figures.stormyMs, 0.5)],
      ['  p99', formatQuantile(figures.stormyMs, 0.99)],
      ['longest time without a confirmed answer', formatSeconds(figures.longestSilenceMs)],
      ['all moving again after the last fault', formatSeconds(figures.recoveryMs)],
    ]),
    ...(outcome.ended.length > 0
      ? [
          formatSection(
            'Ended by themselves',
            outcome.ended.map((line) => [line, '']),
          ),
        ]
      : []),
    formatSection(
      'Promises, and how often they were broken',
      invariantNames.map((promise) => [promise, findings.filter((finding) => finding.promise === promise).length]),
    ),
    ...findings
      .slice(0, MAX_VIOLATIONS_SHOWN)
      .map(({ promise, conversation, what }) => `BROKEN ${conversation}: ${promise}.\n  ${what}`),
    ...(findings.length > MAX_VIOLATIONS_SHOWN ? [`… and ${findings.length - MAX_VIOLATIONS_SHOWN} more.`] : []),
    formatConclusion(outcome),
  ].join('\n');
}

/** A process that dies for no reason is no promise broken, but somebody's night. */
export function hasChaosPassed({ findings, ended }: ChaosResult): boolean {
  return findings.length === 0 && ended.length === 0;
}

function formatConclusion({ findings, figures, seed, ended }: ChaosResult): string {
  if (ended.length > 0)
    return `\n${findings.length} promises were broken, and ${ended.length} processes ended by themselves, with seed ${seed}.`;
  if (findings.length === 0)
    return `\nEvery promise was kept: ${figures.acknowledged} answers, none lost, none doubled, no reply untrue.`;
  return `\n${findings.length} promises were broken, with seed ${seed}.`;
}

function formatSection(title: string, rows: [string, string | number][]): string {
  return [`${title}:`, ...rows.map(([name, value]) => `  ${name.padEnd(66)} ${String(value).padStart(12)}`), ''].join(
    '\n',
  );
}

const formatSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function formatQuantile(values: number[], share: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.ceil(share * sorted.length) - 1];
  return found === undefined ? '–' : `${Math.round(found)} ms`;
}

/** What a run came to, in numbers. */
interface ChaosStats {
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

export function computeChaosStats(stories: ConversationLog[], blows: InjectedFault[]): ChaosStats {
  const acts = stories.flatMap((story) => story.acts);
  const answers = acts.filter(({ question, isWrong }) => question !== undefined && !isWrong);
  const has = (status: number) => (act: UserAction) => listFinalReplies(act).some((made) => made.status === status);
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
    toldLess: answers.filter(isDowngradedReply).length,
    requests: tries.length,
    replies: countBy(tries, ({ status }) => String(status ?? 'none')),
    deeds: countBy(acts, ({ deed, isWrong }) => (isWrong ? `wrong ${deed}` : deed)),
    faults: summarizeFaults(blows),
    calmMs: timed.filter((one) => !one.isStormy).map(({ ms }) => ms),
    stormyMs: timed.filter((one) => one.isStormy).map(({ ms }) => ms),
    longestSilenceMs: findLongestGap(
      answers
        .flatMap(({ tries: made }) => made.filter(({ status }) => status === 200))
        .map(({ repliedAt }) => repliedAt),
    ),
    recoveryMs: Math.max(0, ...stories.map(({ recoveredMs = 0 }) => recoveredMs)),
  };
}

function isDowngradedReply(act: UserAction): boolean {
  const replies = listFinalReplies(act);
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

function summarizeFaults(blows: InjectedFault[]): ChaosStats['faults'] {
  const faults: ChaosStats['faults'] = {};
  for (const { fault, at, until = at } of blows) {
    const { times, longestMs } = faults[fault] ?? { times: 0, longestMs: 0 };
    faults[fault] = { times: times + 1, longestMs: Math.max(longestMs, until - at) };
  }
  return faults;
}

function findLongestGap(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(0, ...sorted.map((time, at) => time - (sorted[at - 1] ?? time)));
}
