const THROTTLE_MS = 10 * 60_000;
const MAX_TRACKED_KEYS = 200;

/** Runs the action at most once in ten minutes per key, for warnings that would repeat with every model call. */
export function createThrottle(): (key: string, action: () => void) => void {
  const lastRunAt = new Map<string, number>();
  return (key, action) => {
    if (Date.now() - (lastRunAt.get(key) ?? 0) < THROTTLE_MS) return;
    if (lastRunAt.size >= MAX_TRACKED_KEYS) lastRunAt.clear();
    lastRunAt.set(key, Date.now());
    action();
  };
}
