const THROTTLE_MS = 10 * 60_000;
const MAX_TRACKED_KEYS = 200;

/** Lets the same thing be said once in ten minutes: it may be true at every call of the model. */
export function createThrottle(): (what: string, say: () => void) => void {
  const said = new Map<string, number>();
  return (what, say) => {
    if (Date.now() - (said.get(what) ?? 0) < THROTTLE_MS) return;
    if (said.size >= MAX_TRACKED_KEYS) said.clear();
    said.set(what, Date.now());
    say();
  };
}
