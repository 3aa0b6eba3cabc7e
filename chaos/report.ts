import { type ConversationLog, listFinalReplies, type UserAction } from './event-log';
import type { InjectedFault } from './fault-injector';
import { invariantNames } from './invariants/check';
import type { InvariantViolation } from './invariants/evidence';

export interface ChaosResult {
  seed: string;
  minutes: number;
  server: string;
  stats: ChaosStats;
  violations: InvariantViolation[];
  continueAsNewCount: number;
  toolRuns: number;
  misbehaviourCounts: Map<string, number>;
  /** Processes that ended though no fault was injected into them. */
  crashedProcesses: string[];
}

const MAX_VIOLATIONS_SHOWN = 25;

/** Formats the report: load, faults, times, and how often each invariant was violated. */
export function formatChaosReport(result: ChaosResult): string {
  const { stats, violations } = result;
  return [
    `Seed ${result.seed}, ${result.minutes} min of faults, Temporal on ${result.server}.`,
    '',
    formatSection('Load', [
      ['conversations', stats.conversations],
      ['answers and declines acknowledged', stats.acknowledged],
      ['  confirmed (200)', stats.confirmed],
      ['  accepted (202), but another was first', stats.acceptedButOvertaken],
      ['  confirmed, then only accepted (202) when resent', stats.downgraded],
      ['user requests', stats.requests],
      ['continued as new', result.continueAsNewCount],
      ['tool runs', result.toolRuns],
    ]),
    formatSection('User actions', Object.entries(stats.actions)),
    formatSection('Responses by status', Object.entries(stats.replies)),
    formatSection('Model misbehaviour', [...result.misbehaviourCounts]),
    formatSection(
      'Faults, with the longest recovery',
      Object.entries(stats.faults).map(([name, { times, longestMs }]) => [
        name,
        `${times} × ${formatSeconds(longestMs)}`,
      ]),
    ),
    formatSection('Times', [
      ['answer to confirmation, no fault near, p50', formatQuantile(stats.latenciesWithoutFault, 0.5)],
      ['  p99', formatQuantile(stats.latenciesWithoutFault, 0.99)],
      ['answer to confirmation, during a fault, p50', formatQuantile(stats.latenciesDuringFault, 0.5)],
      ['  p99', formatQuantile(stats.latenciesDuringFault, 0.99)],
      ['longest time without a confirmed answer', formatSeconds(stats.longestSilenceMs)],
      ['recovery after the last fault', formatSeconds(stats.recoveryMs)],
    ]),
    ...(result.crashedProcesses.length > 0
      ? [
          formatSection(
            'Unexpected exits',
            result.crashedProcesses.map((line) => [line, '']),
          ),
        ]
      : []),
    formatSection(
      'Guarantees, with the number of violations',
      invariantNames.map((promise) => [promise, violations.filter((finding) => finding.promise === promise).length]),
    ),
    ...violations
      .slice(0, MAX_VIOLATIONS_SHOWN)
      .map(({ promise, conversation, detail }) => `BROKEN ${conversation}: ${promise}.\n  ${detail}`),
    ...(violations.length > MAX_VIOLATIONS_SHOWN ? [`… and ${violations.length - MAX_VIOLATIONS_SHOWN} more.`] : []),
    formatConclusion(result),
  ].join('\n');
}

/** A run fails on violations, and also on processes that crash without a fault. */
export function hasChaosPassed({ violations, crashedProcesses }: ChaosResult): boolean {
  return violations.length === 0 && crashedProcesses.length === 0;
}

function formatConclusion({ violations, stats, seed, crashedProcesses }: ChaosResult): string {
  if (crashedProcesses.length > 0)
    return `\n${violations.length} guarantees violated and ${crashedProcesses.length} processes exited unexpectedly, with seed ${seed}.`;
  if (violations.length === 0)
    return `\nAll guarantees hold: ${stats.acknowledged} answers, none lost, none duplicated, no false response.`;
  return `\n${violations.length} guarantees violated, with seed ${seed}.`;
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

/** Statistics of a run. */
interface ChaosStats {
  conversations: number;
  /** Answers and declines that were acknowledged, each counted once. */
  acknowledged: number;
  confirmed: number;
  acceptedButOvertaken: number;
  /** Confirmed first, but only accepted (202) when sent again. */
  downgraded: number;
  requests: number;
  /** By status, or `none`. */
  replies: { [status: string]: number };
  actions: { [deed: string]: number };
  faults: { [fault: string]: { times: number; longestMs: number } };
  /** First attempts that were confirmed, in milliseconds. */
  latenciesWithoutFault: number[];
  latenciesDuringFault: number[];
  /** The longest time in which no answer was confirmed. */
  longestSilenceMs: number;
  /** From the end of the faults until the last waiting conversation progressed. */
  recoveryMs: number;
}

export function computeChaosStats(conversations: ConversationLog[], faults: InjectedFault[]): ChaosStats {
  const actions = conversations.flatMap((conversation) => conversation.actions);
  const answers = actions.filter(({ question, isInvalid }) => question !== undefined && !isInvalid);
  const hasStatus = (status: number) => (action: UserAction) =>
    listFinalReplies(action).some((attempt) => attempt.status === status);
  const attempts = actions.flatMap((action) => action.attempts);
  const confirmedFirst = answers.flatMap(({ attempts: [first] }) => (first?.status === 200 ? [first] : []));
  const isDuringFault = (from: number, to: number) =>
    faults.some(({ startedAt, endedAt = Number.POSITIVE_INFINITY }) => startedAt < to && from < endedAt + AFTERMATH_MS);
  const timed = confirmedFirst.map(({ sentAt, repliedAt }) => ({
    ms: repliedAt - sentAt,
    isDuringFault: isDuringFault(sentAt, repliedAt),
  }));
  return {
    conversations: conversations.length,
    acknowledged: answers.filter((action) => hasStatus(200)(action) || hasStatus(202)(action)).length,
    confirmed: answers.filter(hasStatus(200)).length,
    acceptedButOvertaken: answers.filter((action) => hasStatus(202)(action) && !hasStatus(200)(action)).length,
    downgraded: answers.filter(isDowngradedReply).length,
    requests: attempts.length,
    replies: countBy(attempts, ({ status }) => String(status ?? 'none')),
    actions: countBy(actions, ({ kind, isInvalid }) => (isInvalid ? `wrong ${kind}` : kind)),
    faults: summarizeFaults(faults),
    latenciesWithoutFault: timed.filter((item) => !item.isDuringFault).map(({ ms }) => ms),
    latenciesDuringFault: timed.filter((item) => item.isDuringFault).map(({ ms }) => ms),
    longestSilenceMs: findLongestGap(
      answers
        .flatMap(({ attempts: attempt }) => attempt.filter(({ status }) => status === 200))
        .map(({ repliedAt }) => repliedAt),
    ),
    recoveryMs: Math.max(0, ...conversations.map(({ recoveredMs = 0 }) => recoveredMs)),
  };
}

function isDowngradedReply(action: UserAction): boolean {
  const replies = listFinalReplies(action);
  const confirmed = replies.find(({ status }) => status === 200);
  return replies.some(({ status, sentAt }) => status === 202 && confirmed && sentAt > confirmed.repliedAt);
}

/** The period after a fault counts as part of it: workers take a moment to start, and Temporal to notice. */
const AFTERMATH_MS = 3_000;

function countBy<T>(all: T[], by: (item: T) => string): { [name: string]: number } {
  const counts: { [name: string]: number } = {};
  for (const item of all) counts[by(item)] = (counts[by(item)] ?? 0) + 1;
  return counts;
}

function summarizeFaults(injected: InjectedFault[]): ChaosStats['faults'] {
  const faults: ChaosStats['faults'] = {};
  for (const { fault, startedAt, endedAt = startedAt } of injected) {
    const { times, longestMs } = faults[fault] ?? { times: 0, longestMs: 0 };
    faults[fault] = { times: times + 1, longestMs: Math.max(longestMs, endedAt - startedAt) };
  }
  return faults;
}

function findLongestGap(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(0, ...sorted.map((time, index) => time - (sorted[index - 1] ?? time)));
}
