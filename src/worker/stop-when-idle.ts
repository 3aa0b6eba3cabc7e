import type { Worker, WorkerPlugin } from '@temporalio/worker';

const IDLE_CHECK_INTERVAL_MS = 50;

/** Ends a worker once it has had nothing to do for that long, where it is paid for by the time it takes. */
export function stopWhenIdle(idleMs: number, onLeave: () => void = () => undefined): WorkerPlugin {
  return {
    name: 'leave-when-idle',
    async runWorker(worker, next) {
      let busyAt = Date.now();
      const timer = setInterval(() => {
        if (isWorkerBusy(worker)) busyAt = Date.now();
        if (Date.now() - busyAt < idleMs || worker.getState() !== 'RUNNING') return;
        onLeave();
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
