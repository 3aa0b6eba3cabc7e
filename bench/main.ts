import { ConfigError } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { type BenchOptions, readBenchOptions } from './options';
import { measureParked, type ParkedResult } from './parked/parked-benchmark';
import { formatParkedReport, formatParkedTable } from './parked/parked-report';
import { type BenchContext, setUpBench, startBareSubject, startSplitParley } from './setup';
import { benchmarkThroughput } from './throughput';

/**
 * `npm run bench`: what Parley costs next to the bare Temporal workflow it stands on. One server and one run for both, so
 * that a noisy machine is noisy to both alike: the ratios count. Each has one worker, with the same options, in a
 * process of its own. The bare workflow's activities make one plain HTTP call each; Parley's call a model that answers at
 * once, by the real SDK.
 */
async function runBench(options: BenchOptions, cleanup: ShutdownHooks): Promise<void> {
  const context = await setUpBench(options.runOptions.environment ?? {}, cleanup);
  if (options.only !== 'waiting') console.log(`\n${await benchmarkThroughput(context, options, cleanup)}\n`);
  if (options.only !== 'passing') console.log(`\n${await benchmarkParked(context, options, cleanup)}\n`);
}

/** One subject after the other, so that the server's usage belongs to that subject. */
async function benchmarkParked(
  context: BenchContext,
  { plan, runOptions }: BenchOptions,
  cleanup: ShutdownHooks,
): Promise<string> {
  const measure = async (start: typeof startSplitParley): Promise<ParkedResult> => {
    const runningSubject = await start(context, runOptions, cleanup);
    const result = await measureParked(context, runningSubject, plan);
    await Promise.all([runningSubject.child.stop(), runningSubject.api?.stop()]);
    return result;
  };
  const parley = await measure(startSplitParley);
  console.log(`\nSo far:\n\n${formatParkedTable(parley, undefined, plan)}\n`);
  return formatParkedReport(parley, await measure(startBareSubject), plan);
}

/** A goal that is missed is said, and no error: machines are noisy. A wrong outcome is one. */
async function main(): Promise<number> {
  const cleanup: ShutdownHooks = [];
  const runCleanup = async () => {
    for (let undo = cleanup.pop(); undo; undo = cleanup.pop()) await undo();
  };
  process.once('SIGINT', () => void runCleanup().finally(() => process.exit(130)));
  process.once('SIGTERM', () => void runCleanup().finally(() => process.exit(143)));
  try {
    await runBench(readBenchOptions(), cleanup);
    return 0;
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    return 1;
  } finally {
    await runCleanup();
  }
}

void main().then((code) => process.exit(code));
