import type { Open } from './open';
import type { Case, Outcome } from './replaying';

/** What would not go on with this code, and why. */
export interface Fault {
  id: string;
  reason: string;
  runId?: string;
  type?: string;
  agent?: string | null;
  questionSince?: string | null;
  file?: string;
}

export interface Report {
  replayed: number;
  /** Nothing of theirs has run yet, so no code can break them. */
  unbegun: number;
  broken: Fault[];
  /** Not replayed: the key they were encrypted with is not here. */
  locked: Fault[];
}

/** What is known of one that is open, or of a recorded one. */
type About = { id: string } & Partial<Open> & { file?: string };

/** Only what is at fault is kept: there may be ten thousand that are not. */
export async function reportOn<C extends Case>(
  outcomes: AsyncIterable<Outcome<C>>,
  heard: (sofar: Report) => void = () => undefined,
): Promise<Report> {
  const report: Report = { replayed: 0, unbegun: 0, broken: [], locked: [] };
  for await (const { of, came, reason = '' } of outcomes) {
    if (came === 'fine' || came === 'broken') report.replayed += 1;
    if (came === 'unbegun') report.unbegun += 1;
    if (came === 'broken' || came === 'locked') report[came].push(await faultOf(of, reason));
    heard(report);
  }
  return report;
}

async function faultOf(of: About, reason: string): Promise<Fault> {
  const { id, runId, type, agent, file, questionSince } = of;
  if (file) return { id, reason, file };
  return { id, reason, runId, type, agent, questionSince: await questionSince?.() };
}

/** 0: all go on. 1: some would break. 2: nobody can tell, for want of a key. */
export function exitCode({ broken, locked }: Report): 0 | 1 | 2 {
  if (broken.length > 0) return 1;
  return locked.length > 0 ? 2 : 0;
}

export function inWords(report: Report, what: string): string {
  const { replayed, unbegun, broken, locked } = report;
  const counts = [
    `${counted(replayed, 'history', 'histories')} replayed (${what})`,
    ...(unbegun > 0 ? [`${unbegun} not begun yet`] : []),
    broken.length > 0 ? `${broken.length} would break` : 'none would break',
    ...(locked.length > 0 ? [`${locked.length} could not be read`] : []),
  ];
  return [
    `${counts.join(', ')}.`,
    ...listed('Would break on this build:', broken),
    ...listed('Could not be read, and so not be checked:', locked),
  ].join('\n');
}

function listed(heading: string, faults: Fault[]): string[] {
  if (faults.length === 0) return [];
  return ['', heading, ...faults.map((fault) => `  ${titleOf(fault)}\n      ${fault.reason}`)];
}

function titleOf({ id, file, type, agent, questionSince }: Fault): string {
  if (file) return file;
  const parts = [
    type === 'courier' ? 'a courier' : agent && `agent ${agent}`,
    questionSince && `question open since ${questionSince}`,
  ];
  return [id, ...parts.filter(Boolean)].join('  ');
}

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
