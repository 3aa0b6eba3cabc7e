/** What stands for all the rest. */
export const OTHER = 'other';

/** How many values a label may have: each is a series of its own in Prometheus, for ever. */
const MOST = 100;

/** Lets the first hundred values pass. Names come from files and servers; a mistake there must not flood whoever scrapes. */
export function bounded(most = MOST): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return OTHER;
    known.add(value);
    return value;
  };
}

const WAYS = ['http', 'web', 'terminal', 'slack', 'email', 'link', 'temporal'];

/** By what way somebody answered. That is the sender's own word, where Temporal's tools sent it. */
export function wayOf(via: string | undefined): string {
  if (via === undefined) return 'none';
  return WAYS.includes(via) ? via : OTHER;
}
