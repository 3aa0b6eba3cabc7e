/** How long things may take, in milliseconds. */
export interface Limits {
  /** To connect to a server, and again to list its tools. */
  connect: number;
  /** For a call in all, however much progress is told: below the time limit of what runs tools. */
  call: number;
  /** How long a connection nobody uses is kept. */
  idle: number;
  /** How long a server that could not be reached is not tried again for its tools. */
  pause: number;
  /** How old a list of tools may be: not every server tells of changes. */
  fresh: number;
  /** To end all connections. */
  close: number;
}

export const LIMITS: Limits = {
  connect: 10_000,
  call: 4 * 60_000,
  idle: 5 * 60_000,
  pause: 10_000,
  fresh: 5 * 60_000,
  close: 2_000,
};
