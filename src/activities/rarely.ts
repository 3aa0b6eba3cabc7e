const EVERY_MS = 10 * 60_000;
const KEPT = 200;

/** Lets the same thing be said once in ten minutes: it may be true at every call of the model. */
export function createRarely(): (what: string, say: () => void) => void {
  const said = new Map<string, number>();
  return (what, say) => {
    if (Date.now() - (said.get(what) ?? 0) < EVERY_MS) return;
    if (said.size >= KEPT) said.clear();
    said.set(what, Date.now());
    say();
  };
}
