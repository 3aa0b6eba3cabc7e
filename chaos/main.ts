import { ConfigError } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { readChaosOptions } from './options';
import { formatChaosReport, hasChaosPassed } from './report';
import { runChaos } from './run';
import { removeRunFolder } from './setup';

/**
 * `npm run chaos`: exits with 0 if all invariants held, with 1 if one was violated or a process crashed, and with 2 if
 * it could not run.
 */
async function main(): Promise<number> {
  const options = readChaosOptions();
  if (typeof options === 'string') {
    console.log(options);
    return 0;
  }
  const cleanup: ShutdownHooks = [];
  let cleaningUp: Promise<void> | undefined;
  const runCleanup = () => {
    cleaningUp ??= (async () => {
      for (let step = cleanup.pop(); step; step = cleanup.pop()) await step().catch(console.error);
    })();
    return cleaningUp;
  };
  process.once('SIGINT', () => void runCleanup().finally(() => process.exit(130)));
  process.once('SIGTERM', () => void runCleanup().finally(() => process.exit(143)));
  try {
    console.log(`Seed ${options.seed}.`);
    const result = await runChaos(options, cleanup, (line) => console.log(line));
    console.log(`\n${formatChaosReport(result)}`);
    await runCleanup();
    if (hasChaosPassed(result) && !options.folder) removeRunFolder(result);
    else console.log(`Logs and all requests are in ${result.folder}.`);
    return hasChaosPassed(result) ? 0 : 1;
  } finally {
    await runCleanup();
  }
}

main()
  .catch((error: Error) => {
    const isUsageError =
      error instanceof ConfigError || /^ERR_PARSE_ARGS/.test((error as { code?: string }).code ?? '');
    console.error(isUsageError ? error.message : error);
    return 2;
  })
  .then((code) => process.exit(code), console.error);
