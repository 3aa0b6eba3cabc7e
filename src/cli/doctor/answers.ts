import type { Settings } from '#cli/settings';
import { type Check, fail, ok, warn } from './check';
import type { Reached } from './reach';

type Reply = Extract<Reached, { kind: 'reply' }>;

const SLOW_MS = 1_000;
/** Deadlines are shown by the clock of this machine. */
const APART_MS = 30_000;

/** Is anything there, and is it Parley? */
export function health(reached: Reached, { urlFrom }: Settings): Check {
  if (reached.kind === 'nothing')
    return fail('Server', `It cannot be reached: ${reached.reason}.`, NEXT[urlFrom]);
  if (isHealth(reached.body, 'ok') && reached.status === 200)
    return reached.ms > SLOW_MS
      ? warn(
          'Server',
          `It answers, but took ${reached.ms} ms.`,
          'Look at what stands between here and there.',
        )
      : ok('Server', `It answers in ${reached.ms} ms.`);
  return fail(
    'Server',
    `Something answers ${reached.status} and ${reached.type} at ${reached.at}, but not as Parley does.`,
    'A proxy or a page to sign in on may stand in between, or the address is that of something else.',
  );
}

const NEXT: Record<Settings['urlFrom'], string> = {
  '--url': 'Check --url, and that Parley is running there.',
  PARLEY_URL: 'Check PARLEY_URL, and that Parley is running there.',
  PORT: 'PORT is taken for the port of Parley here: start it with `npm start`, or set PARLEY_URL to where it is.',
  default: 'Start it with `npm start`, or set PARLEY_URL to where it is.',
};

export function readiness(reached: Reached): Check {
  if (reached.kind === 'nothing')
    return fail('Temporal', `Nobody can tell: ${reached.reason}.`, 'Look again in a moment.');
  if (isHealth(reached.body, 'ready')) return ok('Temporal', 'It answers.');
  const { detail = `Parley says ${reached.status} and nothing more.` } = (reached.body ?? {}) as {
    detail?: string;
  };
  return fail(
    'Temporal',
    detail,
    'Whoever runs Parley looks at Temporal, and at TEMPORAL_ADDRESS. Nothing is lost meanwhile.',
  );
}

export function clock({ date, ms }: Reply, now: number): Check[] {
  const there = Date.parse(date ?? '');
  if (Number.isNaN(there)) return [];
  const apart = Math.round(Math.abs(now - ms / 2 - there) / 1_000);
  return apart * 1_000 > APART_MS
    ? [
        warn(
          'Clock',
          `It differs from the server's by ${apart} s.`,
          'Deadlines are shown wrong: set the clock of this machine.',
        ),
      ]
    : [ok('Clock', 'It agrees with that of the server.')];
}

function isHealth(body: unknown, status: string): boolean {
  return (body as { status?: unknown } | undefined)?.status === status;
}
