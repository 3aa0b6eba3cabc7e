/** A worker as its own process, from the build, with one more tool: it appends each run to the file DIARY. */
const { appendFileSync } = require('node:fs');
const { z } = require('zod');
const { startWorker } = require('../../dist/worker');
const { readConfig } = require('../../dist/src/config');
const { createLog, installRuntime } = require('../../dist/src/log');
const { runEntry } = require('../../dist/src/process');
const { builtIn } = require('../../dist/src/tools/registry');

const writeLine = {
  name: 'write_line',
  description: 'Write a line into the diary.',
  input: () => z.strictObject({ line: z.string() }),
  running: {
    as: 'activity',
    once: false,
    async use({ line }) {
      appendFileSync(process.env.DIARY, `${line}\n`);
      return `wrote ${line}`;
    },
  },
};

const log = createLog(process.env.LOG_LEVEL ?? 'silent');
installRuntime(log);
const { TASK_QUEUE: taskQueue, CACHED } = process.env;
const maxCachedWorkflows = CACHED === undefined ? undefined : Number(CACHED);
void runEntry(async (cleanup) => {
  const config = readConfig();
  const worker = await startWorker(config, log, {
    taskQueue,
    tools: [...builtIn, writeLine],
    maxCachedWorkflows,
  });
  cleanup.push(worker.stop);
  console.log('running');
  return { ...worker, drainMs: config.drainMs };
});
