import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ConfigError } from '#infra/config';
import type { ParkedPlan } from './parked/parked-benchmark';
import type { BenchRunOptions } from './setup';

export interface BenchOptions {
  conversations: number;
  sequentialConversations: number;
  concurrency: number;
  viewers: number;
  /** Part of the benchmark to run; all by default. */
  only?: 'passing' | 'waiting';
  /** Folder of another Parley to compare with, in place of the bare workflow. */
  against?: string;
  plan: ParkedPlan;
  runOptions: BenchRunOptions;
}

const FULL_RUN = { conversations: '400', alone: '50', parked: '10000', viewers: '1000' };
const QUICK_RUN = { conversations: '100', alone: '20', parked: '500', viewers: '200' };
const DEFAULT_CACHE_SIZE = 500;

/** Seconds of each measurement: as short as stable results allow. */
const FULL_DURATIONS = { idleS: 60, answersS: 60, viewersS: 20, deadlineWindowS: 60 };
const QUICK_DURATIONS = { idleS: 15, answersS: 10, viewersS: 5, deadlineWindowS: 10 };

export function readBenchOptions(): BenchOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: text,
      against: text,
      conversations: text,
      concurrency: { type: 'string', default: '20' },
      parked: text,
      cache: text,
      viewers: text,
      encrypted: { type: 'boolean', default: false },
      tuning: text,
      profiles: text,
    },
  });
  const presets = values.quick ? QUICK_RUN : FULL_RUN;
  const number = (name: 'conversations' | 'concurrency' | 'parked' | 'viewers') =>
    parseWholeNumber(name, values[name] ?? { concurrency: '20', ...presets }[name]);
  const concurrency = number('concurrency');
  const viewers = number('viewers');
  const cache = parseWholeNumber(
    'cache',
    values.cache ?? String(values.quick ? DEFAULT_CACHE_SIZE / 5 : DEFAULT_CACHE_SIZE),
  );
  const durations = values.quick ? QUICK_DURATIONS : FULL_DURATIONS;
  return {
    conversations: number('conversations'),
    sequentialConversations: Number(presets.alone),
    concurrency,
    viewers,
    only: values.against ? 'passing' : parseChoice('only', ['passing', 'waiting'], values.only),
    against: values.against,
    plan: { parked: number('parked'), viewers, concurrency, cache, perSecond: 20, ...durations },
    runOptions: {
      maxCachedWorkflows: cache,
      environment: values.encrypted ? { PARLEY_ENCRYPTION_KEYS: createEncryptionKey() } : {},
      tuning: parseTuning(values.tuning),
      profiles: values.profiles,
    },
  };
}

function parseWholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new ConfigError(`--${name} must be a whole number of at least 1, not ${JSON.stringify(text)}.`);
}

function parseChoice<T extends string>(name: string, choices: T[], text: string | undefined): T | undefined {
  const choice = choices.find((candidate) => candidate === text);
  if (choice || text === undefined) return choice;
  throw new ConfigError(`--${name} must be ${choices.join(' or ')}, not ${JSON.stringify(text)}.`);
}

/** Worker options for both subjects, or to try against the current ones. */
function parseTuning(text: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, unknown>;
  } catch {
    throw new ConfigError(
      `--tuning must be JSON, such as {"maxConcurrentWorkflowTaskPolls": 20}, not ${JSON.stringify(text)}.`,
    );
  }
}

function createEncryptionKey(): string {
  return `bench:${randomBytes(32).toString('base64')}`;
}
