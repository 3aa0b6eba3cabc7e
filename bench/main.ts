import { ConfigError } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { type BenchOptions, readBenchOptions } from './options';
import { measureParked, type ParkedResult } from './parked/parked-benchmark';
import { formatParkedReport, formatParkedTable } from './parked/parked-report';
import { type BenchContext, setUpBench, startBareSubject, startSplitParley } from './setup';
import { benchmarkThroughput } from './throughput';

/**
 * `npm run bench`: compares Parley with the bare Temporal workflow that it is built on. Both run against one server in
 * one run, so that noise affects both and the ratios are meaningful. Each has one worker with the same options, in a
 * separate process. The bare workflow's activities make one plain HTTP call each; Parley's call a model that replies at
 * once, with the real SDK.
 */
async function runBench(options: BenchOptions, cleanup: ShutdownHooks): Promise<void> {
  const context = await setUpBench(options.runOptions.environment ?? {}, cleanup);
  if (options.only !== 'waiting') console.log(`\n${await benchmarkThroughput(context, options, cleanup)}\n`);
  if (options.only !== 'passing') console.log(`\n${await benchmarkParked(context, options, cleanup)}\n`);
}

/** Measures one subject after the other, so that the server's usage can be attributed. */
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

/** A missed goal is reported but is no error, as machines are noisy. A wrong result is an error. */
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
