import { setTimeout as pause } from 'node:timers/promises';
import { inParallel, type Stage } from '../converse';
import type { Side } from '../sides';
import { progress } from './crowd';

/** When the deadlines fall, all of them. */
export interface Wave {
  begins: number;
  ends: number;
}

export interface Drained {
  conversations: number;
  /** From the last deadline to the last end, in seconds. */
  seconds: number;
  /** From the first deadline on. */
  perSecond: number;
  /** How many have one outcome, and that nobody answered. */
  right: number;
  /** In the history of each, as many as a sample has: more than usual where tasks had to be given out again. */
  events: number;
}

/** Spread evenly. */
export function deadlineIn({ begins, ends }: Wave, number: number, count: number): number {
  return begins + ((ends - begins) * number) / count;
}

const SAMPLE = 100;
const LOOK_EVERY_MS = 500;
/** Nothing moved for so long: it is stuck, not slow. */
const PATIENCE_MS = 180_000;

/** Wait for the deadlines, and until everything has ended; then look at each. */
export async function drain(stage: Stage, side: Side, ids: string[], wave: Wave): Promise<Drained> {
  const ended = await untilEnded(stage, side, ids, wave);
  const results = await inParallel(ids, 20, async (id) => side.isExpired(await side.result(id)));
  const right = results.filter(Boolean).length;
  if (right < ids.length)
    throw new Error(
      `${side.name}: ${ids.length - right} of ${ids.length} have not one outcome, that nobody answered.`,
    );
  const sample = ids.filter((_, place) => place % Math.ceil(ids.length / SAMPLE) === 0);
  return {
    conversations: ids.length,
    seconds: Math.max(0, ended - wave.ends) / 1_000,
    perSecond: (1_000 * ids.length) / (ended - wave.begins),
    right,
    events: await eventsOf(stage, sample),
  };
}

async function untilEnded(stage: Stage, side: Side, ids: string[], wave: Wave): Promise<number> {
  let resumed = 0;
  const seen = () => {
    resumed += 1;
  };
  for (const id of ids) void stage.world.arrival(id, 2).then(seen);
  const stop = progress(() => `${side.name}: ${resumed} of ${ids.length} have gone on after their deadline.`);
  await pause(wave.ends - Date.now());
  let moved = { at: Date.now(), resumed };
  while (resumed < ids.length || (await countOpen(stage, ids)) > 0) {
    await pause(LOOK_EVERY_MS);
    if (resumed > moved.resumed) moved = { at: Date.now(), resumed };
    if (Date.now() - moved.at > PATIENCE_MS)
      throw new Error(`${side.name}: ${ids.length - resumed} conversations hang after their deadline.`);
  }
  stop();
  return Date.now();
}

async function eventsOf({ client }: Stage, ids: string[]): Promise<number> {
  const lengths = await inParallel(ids, 20, async (id) => {
    return (await client.workflow.getHandle(id).describe()).historyLength;
  });
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}

/** They have the beginning of their name in common, and nobody else has. */
async function countOpen({ client }: Stage, [id = '']: string[]): Promise<number> {
  const label = id.slice(0, id.lastIndexOf('-') + 1);
  const query = `WorkflowId STARTS_WITH '${label}' AND ExecutionStatus = 'Running'`;
  return (await client.workflow.count(query)).count;
}
