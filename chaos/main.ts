import { ConfigError } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { readChaosOptions } from './options';
import { formatChaosReport, hasChaosPassed } from './report';
import { runChaos } from './run';
import { removeRunFolder } from './setup';

/** `npm run chaos`: ends with 0 if every promise was kept, with 1 if one was broken or a process died by itself, and with 2 if it could not run. */
async function main(): Promise<number> {
  const flags = readChaosOptions();
  if (typeof flags === 'string') {
    console.log(flags);
    return 0;
  }
  const cleanup: ShutdownHooks = [];
  let undoing: Promise<void> | undefined;
  const undo = () => {
    undoing ??= (async () => {
      for (let step = cleanup.pop(); step; step = cleanup.pop()) await step().catch(console.error);
    })();
    return undoing;
  };
  process.once('SIGINT', () => void undo().finally(() => process.exit(130)));
  process.once('SIGTERM', () => void undo().finally(() => process.exit(143)));
  try {
    console.log(`Seed ${flags.seed}.`);
    const outcome = await runChaos(flags, cleanup, (line) => console.log(line));
    console.log(`\n${formatChaosReport(outcome)}`);
    await undo();
    if (hasChaosPassed(outcome) && !flags.folder) removeRunFolder(outcome);
    else console.log(`Logs and everything that was sent are in ${outcome.folder}.`);
    return hasChaosPassed(outcome) ? 0 : 1;
  } finally {
    await undo();
  }
}

main()
  .catch((error: Error) => {
    const isMistake = error instanceof ConfigError || /^ERR_PARSE_ARGS/.test((error as { code?: string }).code ?? '');
    console.error(isMistake ? error.message : error);
    return 2;
  })
  .then((code) => process.exit(code), console.error);
