import { freePort } from '#temporal/local/ports';

/**
 * Below those that systems give to whoever calls out: while a server is down, a caller that was given its port would keep
 * it from coming back, or even be connected to itself.
 */
const FIRST = 16_000;
const COUNT = 16_000;

/** Ports that nobody has, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const wanted = FIRST + Math.floor(Math.random() * COUNT);
    if ((await freePort(wanted)) === wanted) found.add(wanted);
  }
  return [...found];
}
