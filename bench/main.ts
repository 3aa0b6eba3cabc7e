import { ConfigError } from '#config';
import type { Cleanup } from '#process';
import type { Stage } from './converse';
import { type Flags, readFlags } from './flags';
import { passing } from './passing';
import { setStage, startApart, startBare } from './stage';
import { waitingReport, waitingTable } from './waiting/report';
import { type Waiting, waitingOf } from './waiting/waiting';

/**
 * `npm run bench`: what Parley costs next to the bare Temporal workflow it stands on. One server and one run for both, so
 * that a noisy machine is noisy to both alike: the ratios count. Each side has one worker, with the same options, in a
 * process of its own. The bare side's activities make one plain HTTP call each; Parley's call a model that answers at
 * once, by the real SDK.
 */
async function bench(flags: Flags, cleanup: Cleanup): Promise<void> {
  const stage = await setStage(flags.running.environment ?? {}, cleanup);
  if (flags.only !== 'waiting') console.log(`\n${await passing(stage, flags, cleanup)}\n`);
  if (flags.only !== 'passing') console.log(`\n${await waiting(stage, flags, cleanup)}\n`);
}

/** One side after the other: what the server uses is then that side's doing. */
async function waiting(stage: Stage, { plan, running }: Flags, cleanup: Cleanup): Promise<string> {
  const show = async (start: typeof startApart): Promise<Waiting> => {
    const contestant = await start(stage, running, cleanup);
    const shown = await waitingOf(stage, contestant, plan);
    await Promise.all([contestant.child.stop(), contestant.api?.stop()]);
    return shown;
  };
  const parley = await show(startApart);
  console.log(`\nSo far:\n\n${waitingTable(parley, undefined, plan)}\n`);
  return waitingReport(parley, await show(startBare), plan);
}

/** A goal that is missed is said, and no error: machines are noisy. A wrong outcome is one. */
async function main(): Promise<number> {
  const cleanup: Cleanup = [];
  const tidy = async () => {
    for (let undo = cleanup.pop(); undo; undo = cleanup.pop()) await undo();
  };
  process.once('SIGINT', () => void tidy().finally(() => process.exit(130)));
  process.once('SIGTERM', () => void tidy().finally(() => process.exit(143)));
  try {
    await bench(readFlags(), cleanup);
    return 0;
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    return 1;
  } finally {
    await tidy();
  }
}

void main().then((code) => process.exit(code));
