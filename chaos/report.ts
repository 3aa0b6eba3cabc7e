import type { Figures } from './figures';
import { promises } from './invariants/check';
import type { Finding } from './invariants/evidence';

export interface Outcome {
  seed: string;
  minutes: number;
  server: string;
  figures: Figures;
  findings: Finding[];
  rollOvers: number;
  toolRuns: number;
  misbehaved: Map<string, number>;
  /** Processes that ended though nobody did anything to them. */
  ended: string[];
}

const SHOWN = 25;

/** What a person reads at the end: what was done, what came of it, and every promise with how often it was broken. */
export function report(outcome: Outcome): string {
  const { figures, findings } = outcome;
  return [
    `Seed ${outcome.seed}, ${outcome.minutes} min of faults, Temporal on ${outcome.server}.`,
    '',
    section('Load', [
      ['conversations', figures.conversations],
      ['answers and declines acknowledged', figures.acknowledged],
      ['  confirmed (200)', figures.confirmed],
      ['  kept (202), and another was first', figures.keptAndSettled],
      ['  confirmed, and only said to be kept (202) when sent again', figures.toldLess],
      ['requests of people', figures.requests],
      ['roll-overs', outcome.rollOvers],
      ['runs of tools', outcome.toolRuns],
    ]),
    section('What people did', Object.entries(figures.deeds)),
    section('Replies by status', Object.entries(figures.replies)),
    section('The model misbehaved', [...outcome.misbehaved]),
    section(
      'Faults, and how long the longest took to mend',
      Object.entries(figures.faults).map(([name, { times, longestMs }]) => [
        name,
        `${times} × ${seconds(longestMs)}`,
      ]),
    ),
    section('Times', [
      ['answer to confirmation, no fault near, p50', time(figures.calmMs, 0.5)],
      ['  p99', time(figures.calmMs, 0.99)],
      ['answer to confirmation, by a fault, p50', time(figures.stormyMs, 0.5)],
      ['  p99', time(figures.stormyMs, 0.99)],
      ['longest time without a confirmed answer', seconds(figures.longestSilenceMs)],
      ['all moving again after the last fault', seconds(figures.recoveryMs)],
    ]),
    ...(outcome.ended.length > 0
      ? [
          section(
            'Ended by themselves',
            outcome.ended.map((line) => [line, '']),
          ),
        ]
      : []),
    section(
      'Promises, and how often they were broken',
      promises.map((promise) => [promise, findings.filter((finding) => finding.promise === promise).length]),
    ),
    ...findings
      .slice(0, SHOWN)
      .map(({ promise, conversation, what }) => `BROKEN ${conversation}: ${promise}.\n  ${what}`),
    ...(findings.length > SHOWN ? [`… and ${findings.length - SHOWN} more.`] : []),
    verdictOf(outcome),
  ].join('\n');
}

/** A process that dies for no reason is no promise broken, but somebody's night. */
export function isWell({ findings, ended }: Outcome): boolean {
  return findings.length === 0 && ended.length === 0;
}

function verdictOf({ findings, figures, seed, ended }: Outcome): string {
  if (ended.length > 0)
    return `\n${findings.length} promises were broken, and ${ended.length} processes ended by themselves, with seed ${seed}.`;
  if (findings.length === 0)
    return `\nEvery promise was kept: ${figures.acknowledged} answers, none lost, none doubled, no reply untrue.`;
  return `\n${findings.length} promises were broken, with seed ${seed}.`;
}

function section(title: string, rows: [string, string | number][]): string {
  return [
    `${title}:`,
    ...rows.map(([name, value]) => `  ${name.padEnd(66)} ${String(value).padStart(12)}`),
    '',
  ].join('\n');
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function time(values: number[], share: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.ceil(share * sorted.length) - 1];
  return found === undefined ? '–' : `${Math.round(found)} ms`;
}
