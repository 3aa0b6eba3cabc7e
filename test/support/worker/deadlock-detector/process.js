/** A worker that is withDeadlockDetection, in a process of its own: what is shown here ends processes. */
const { NativeConnection, Worker, bundleWorkflowCode } = require('@temporalio/worker');
const { withDeadlockDetection } = require('../../../../dist/src/worker/deadlock-detector/detector');

async function main([address, taskQueue, contexts]) {
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: require.resolve('./workflows') });
  const connection = await NativeConnection.connect({ address });
  const { made: worker, watch } = await withDeadlockDetection(
    // The SDK's own watch would not let anything take so long.
    () =>
      Worker.create({
        connection,
        taskQueue,
        workflowBundle,
        reuseV8Context: contexts === 'one',
        isolateExecutionTimeout: 1,
      }),
    { everyMs: 50, looks: 20 },
  );
  console.log('ready');
  await Promise.race([worker.run(), watch.endless]);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`${error.name}: ${error.message}`);
  process.exit(7);
});
