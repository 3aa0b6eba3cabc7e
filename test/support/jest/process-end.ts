/** Cleanup of what outlives a test file, such as a worker that files share, and would keep the process alive. */
declare global {
  var parleyProcessEnd: (() => Promise<void>)[] | undefined;
}

/** Runs `stop` when jest ends, if tests run in jest's own process. Its child processes exit by themselves. */
export function onProcessEnd(stop: () => Promise<void>): void {
  globalThis.parleyProcessEnd ??= [];
  globalThis.parleyProcessEnd.push(stop);
}

/** Runs all hooks. Called by the global teardown. */
export async function runProcessEndHooks(): Promise<void> {
  const stops = globalThis.parleyProcessEnd?.splice(0) ?? [];
  await Promise.all(stops.map((stop) => stop()));
}
