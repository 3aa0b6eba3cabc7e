import { ConfigError } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { type BenchOptions, readBenchOptions } from './options';
import { measureParked, type ParkedResult } from './parked/parked-benchmark';
import { formatParkedReport, formatParkedTable } from './parked/parked-report';
import { type BenchContext, setUpBench, startBareSubject, startSplitParley } from './setup';
import { benchmarkThroughput } from './throughput';

/**
 * `npm run bench`: what Parley costs next to the bare Temporal workflow it stands on. One server and one run for both, so
 * that a noisy machine is noisy to both alike: the ratios count. Each side has one worker, with the same options, in a
 * process of its own. The bare side's activities make one plain HTTP call each; Parley's call a model that answers at
 * once, by the real SDK.
 */
async function runBench(flags: BenchOptions, cleanup: ShutdownHooks): Promise<void> {
  const stage = await setUpBench(flags.running.environment ?? {}, cleanup);
  if (flags.only !== 'waiting') console.log(`\n${await benchmarkThroughput(stage, flags, cleanup)}\n`);
  if (flags.only !== 'passing') console.log(`\n${await benchmarkParked(stage, flags, cleanup)}\n`);
}

/** One side after the other: what the server uses is then that side's doing. */
async function benchmarkParked(
  stage: BenchContext,
  { plan, running }: BenchOptions,
  cleanup: ShutdownHooks,
): Promise<string> {
  const show = async (start: typeof startSplitParley): Promise<ParkedResult> => {
    const contestant = await start(stage, running, cleanup);
    const shown = await measureParked(stage, contestant, plan);
    await Promise.all([contestant.child.stop(), contestant.api?.stop()]);
    return shown;
  };
  const parley = await show(startSplitParley);
  console.log(`\nSo far:\n\n${formatParkedTable(parley, undefined, plan)}\n`);
  return formatParkedReport(parley, await show(startBareSubject), plan);
}

/** A goal that is missed is said, and no error: machines are noisy. A wrong outcome is one. */
async function main(): Promise<number> {
  const cleanup: ShutdownHooks = [];
  const tidy = async () => {
    for (let undo = cleanup.pop(); undo; undo = cleanup.pop()) await undo();
  };
  process.once('SIGINT', () => void tidy().finally(() => process.exit(130)));
  process.once('SIGTERM', () => void tidy().finally(() => process.exit(143)));
  try {
    await runBench(readBenchOptions(), cleanup);
    return 0;
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    return 1;
  } finally {
    await tidy();
  }
}

void main().then((code) => process.exit(code));
