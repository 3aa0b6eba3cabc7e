/** One thing that was looked at. */
export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  /** What was found. */
  said: string;
  /** What to do about it, where something is not as it should be. */
  next?: string;
}

export function ok(name: string, said: string): Check {
  return { name, state: 'ok', said };
}

export function warn(name: string, said: string, next: string): Check {
  return { name, state: 'warn', said, next };
}

export function fail(name: string, said: string, next: string): Check {
  return { name, state: 'fail', said, next };
}
