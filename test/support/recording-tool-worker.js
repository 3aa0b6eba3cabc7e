/** Runs a built worker in a separate process, with an additional tool that appends each run to the file DIARY. */
const { appendFileSync } = require('node:fs');
const { z } = require('zod');
const { startWorker } = require('../../dist/src/worker/start-worker');
const { readConfig } = require('../../dist/src/channels/read-config');
const { createLog } = require('../../dist/src/infra/log');
const { installTemporalRuntime } = require('../../dist/src/worker/temporal-runtime');
const { runUntilSignal } = require('../../dist/src/infra/lifecycle');
const { builtInTools } = require('../../dist/src/tools/registry');

const writeLine = {
  name: 'write_line',
  description: 'Write a line into the diary.',
  input: () => z.strictObject({ line: z.string() }),
  execution: {
    kind: 'activity',
    runOnce: false,
    async execute({ line }) {
      appendFileSync(process.env.DIARY, `${line}\n`);
      return `wrote ${line}`;
    },
  },
};

const log = createLog(process.env.LOG_LEVEL ?? 'silent');
installTemporalRuntime(log);
const { TASK_QUEUE: taskQueue, CACHED } = process.env;
const maxCachedWorkflows = CACHED === undefined ? undefined : Number(CACHED);
void runUntilSignal(async (cleanup) => {
  const config = readConfig();
  const worker = await startWorker(config, log, {
    taskQueue,
    tools: [...builtInTools, writeLine],
    maxCachedWorkflows,
  });
  cleanup.push(worker.stop);
  console.log('running');
  return { ...worker, drainMs: config.drainMs };
});
