import { parseArgs } from 'node:util';
import { ConfigError } from '#infra/config';
import { plantedBugNames } from './cluster/mutated-builds';

export interface ChaosOptions {
  minutes: number;
  /** Ends after this many rounds of all faults, in place of minutes. */
  rounds: number | undefined;
  seed: string;
  server: 'postgres' | 'dev';
  conversations: number;
  gapMs: [number, number];
  patienceMs: number;
  plant: string | undefined;
  /** Folder for logs and data. Deleted at the end unless a violation was found. */
  folder: string | undefined;
}

const USAGE = `Injects faults into a real Parley under load and checks its guarantees: see docs/internals/reliability.md.

  npm run chaos -- --minutes 30 --seed 7

  --minutes N        duration of the faults (5); the run takes a minute or two longer
  --rounds N         instead, run until each fault has happened N times
  --seed S           repeats the plan of users, model and faults of an earlier run (random)
  --server NAME      postgres, or dev for Temporal's dev server with a file (postgres)
  --conversations N  concurrent conversations (24)
  --gap FROM-TO      seconds between faults (5-20)
  --patience S       seconds within which everything must progress after the last fault (60)
  --plant BUG        plant a bug that the run must find: ${plantedBugNames.join(' or ')}
  --folder PATH      empty folder for logs and data`;

export function readChaosOptions(args?: string[]): ChaosOptions | string {
  const text = { type: 'string' } as const;
  const options = {
    minutes: { ...text, default: '5' },
    rounds: text,
    seed: { ...text, default: String(Date.now() % 1_000_000) },
    server: { ...text, default: 'postgres' },
    conversations: { ...text, default: '24' },
    gap: { ...text, default: '5-20' },
    patience: { ...text, default: '60' },
    plant: text,
    folder: text,
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) return USAGE;
  if (values.server !== 'postgres' && values.server !== 'dev')
    throw new ConfigError('--server must be postgres or dev.');
  if (!/^[A-Za-z0-9]{1,20}$/.test(values.seed)) throw new ConfigError('--seed must be at most 20 letters and digits.');
  if (values.plant !== undefined && !plantedBugNames.includes(values.plant))
    throw new ConfigError(`--plant must be one of: ${plantedBugNames.join(', ')}.`);
  return {
    minutes: parsePositiveNumber('minutes', values.minutes),
    rounds: values.rounds === undefined ? undefined : parsePositiveNumber('rounds', values.rounds),
    seed: values.seed,
    server: values.server,
    conversations: Math.max(4, Math.round(parsePositiveNumber('conversations', values.conversations))),
    gapMs: parseGap(values.gap),
    patienceMs: 1_000 * parsePositiveNumber('patience', values.patience),
    plant: values.plant,
    folder: values.folder,
  };
}

function parsePositiveNumber(name: string, value: string): number {
  if (/^\d{1,5}(\.\d+)?$/.test(value) && Number(value) > 0) return Number(value);
  throw new ConfigError(`--${name} must be a number above 0, not ${JSON.stringify(value)}.`);
}

function parseGap(value: string): [number, number] {
  const [, from, to] = /^(\d{1,4}(?:\.\d+)?)-(\d{1,4}(?:\.\d+)?)$/.exec(value) ?? [];
  if (from === undefined || Number(from) > Number(to))
    throw new ConfigError('--gap must be a range of seconds, such as 5-20.');
  return [1_000 * Number(from), 1_000 * Number(to)];
}
