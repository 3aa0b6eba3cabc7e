import type { Response } from 'express';
import type { Context } from './context';
import type { Run } from './run';

/** As of when what a run wrote down holds: of now, unless something has waited for a worker since. */
export function memoAsOf(run: Run, now: number): number {
  return run.waitsSince ?? now;
}

/** What came after that time is kept, but not acted on yet. */
export function tellAsOf(response: Response, at: number): void {
  response.setHeader('X-Parley-As-Of', new Date(at).toISOString());
}

/** A list wakes no workflow: it is of now while a worker is there, and else of when the last one was, where that is known. */
export async function tellListAsOf({ gateway, now }: Context, response: Response): Promise<void> {
  const at = (await gateway.attendance.absentSince()) ?? now();
  if (at > 0) tellAsOf(response, at);
  else response.setHeader('X-Parley-As-Of', 'unknown');
}
