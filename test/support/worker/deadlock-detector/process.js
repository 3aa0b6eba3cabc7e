/** Runs a worker with deadlock detection in a separate process, because a detected deadlock ends the process. */
const { NativeConnection, Worker, bundleWorkflowCode } = require('@temporalio/worker');
const { withDeadlockDetection } = require('../../../../dist/src/worker/deadlock-detector/detector');

async function main([address, taskQueue, contexts]) {
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: require.resolve('./workflows') });
  const connection = await NativeConnection.connect({ address });
  const { created: worker, detector } = await withDeadlockDetection(
    // If the SDK's own timeout were active, 1 ms would abort any workflow.
    () =>
      Worker.create({
        connection,
        taskQueue,
        workflowBundle,
        reuseV8Context: contexts === 'one',
        isolateExecutionTimeout: 1,
      }),
    { intervalMs: 50, maxUnchangedChecks: 20 },
  );
  console.log('ready');
  await Promise.race([worker.run(), detector.deadlocked]);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`${error.name}: ${error.message}`);
  process.exit(7);
});
