/** Runs a worker with deadlock detection in a separate process, because a detected deadlock ends the process. */
const { NativeConnection, Worker, bundleWorkflowCode } = require('@temporalio/worker');
const { withDeadlockDetector } = require('../../../../dist/src/worker/deadlock-detector/detector');

async function main([address, taskQueue, contexts]) {
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: require.resolve('./workflows') });
  const connection = await NativeConnection.connect({ address });
  const { worker, deadlocked } = await withDeadlockDetector(
    // The SDK's own watch would not let anything take so long.
    () =>
      Worker.create({
        connection,
        taskQueue,
        workflowBundle,
        reuseV8Context: contexts === 'one',
        isolateExecutionTimeout: 1,
      }),
    { detector: 'parley', log: console, intervalMs: 50, limitMs: 1_000 },
  );
  console.log('ready');
  await Promise.race([worker.run(), deadlocked]);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`${error.name}: ${error.message}`);
  process.exit(7);
});
