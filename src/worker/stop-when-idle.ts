import type { Worker, WorkerPlugin } from '@temporalio/worker';

const IDLE_CHECK_INTERVAL_MS = 50;

/** Stops a worker once it has been idle for that long, where running time is billed. */
export function stopWhenIdle(
  idleMs: number,
  isDelivering: () => boolean,
  onIdle: () => void = () => undefined,
): WorkerPlugin {
  return {
    name: 'stop-when-idle',
    async runWorker(worker, next) {
      let lastBusyAt = Date.now();
      const timer = setInterval(() => {
        if (isWorkerBusy(worker) || isDelivering()) lastBusyAt = Date.now();
        if (Date.now() - lastBusyAt < idleMs || worker.getState() !== 'RUNNING') return;
        onIdle();
        worker.shutdown();
      }, IDLE_CHECK_INTERVAL_MS);
      try {
        await next(worker);
      } finally {
        clearInterval(timer);
      }
    },
  };
}

function isWorkerBusy(worker: Worker): boolean {
  const { numInFlightActivities, numInFlightWorkflowActivations } = worker.getStatus();
  return numInFlightActivities + numInFlightWorkflowActivations > 0;
}
