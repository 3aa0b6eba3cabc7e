const MAX_RATIO = 50;
/** Below this, garbage collection outweighs the measured work. */
const NOISE_MS = 400;

/**
 * Expects hostile input to take about as long as harmless input of the same size. Compares CPU times of this process,
 * as a ratio, so that the machine's speed and load do not matter. Quadratic code would take thousands of times as long.
 */
export async function expectLinearTime(hostile: () => unknown, harmless: () => unknown): Promise<void> {
  const harmlessMs = await measureCpuMs(harmless);
  expect(await measureCpuMs(hostile)).toBeLessThan(NOISE_MS + MAX_RATIO * harmlessMs);
}

async function measureCpuMs(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
