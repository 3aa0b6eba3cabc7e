const MAX_RATIO = 50;
/** Below this a garbage collection weighs more than the work. */
const NOISE_MS = 400;

/**
 * Expects hostile input to take about as long as harmless input of the same size. By CPU time of this process, and as a
 * ratio, so that the speed of the machine and what else runs on it do not matter. A quadratic reading takes thousands of
 * times as long.
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
