const { createContext, Script } = require('node:vm');
const { parentPort, workerData } = require('node:worker_threads');

/** Has the name of the SDK's workflow thread, so that the detector instruments it. Loops from its first message on. */
parentPort.postMessage(Object.keys(workerData));
parentPort.once('message', () => {
  const entered = new Int32Array(workerData.entered);
  const context = createContext({ Atomics, entered, __temporal_args: [{ info: { workflowId: 'endless' } }] });
  const script = new Script('Atomics.store(entered, 0, 1); Atomics.notify(entered, 0); for (;;);');
  script.runInContext(context, { timeout: 60_000 });
});
