import { Worker, type WorkerOptions, type WorkerPlugin } from '@temporalio/worker';
import { deliveryTaskQueue } from '#workflows/messages';

const STATE_CHECK_INTERVAL_MS = 50;

/**
 * Runs notifications, deliveries and archiving beside a worker, in slots of their own, so that hanging model calls never
 * delay a reminder. Starts and stops with the worker.
 */
export function withDeliveryQueue(): WorkerPlugin & { isBusy(): boolean } {
  let options: WorkerOptions | undefined;
  let delivery: Worker | undefined;
  return {
    name: 'delivery-queue',
    configureWorker(main) {
      const taskQueue = deliveryTaskQueue(main.taskQueue ?? '');
      // The slots of the worker itself are for what hangs.
      options = {
        ...main,
        taskQueue,
        workflowBundle: undefined,
        maxConcurrentActivityTaskExecutions: 100,
        plugins: [],
      };
      return main;
    },
    async runWorker(worker, next) {
      delivery = await Worker.create(options as WorkerOptions);
      const running = delivery.run();
      const stop = () => delivery?.getState() === 'RUNNING' && delivery.shutdown();
      const timer = setInterval(() => worker.getState() !== 'RUNNING' && stop(), STATE_CHECK_INTERVAL_MS);
      try {
        await Promise.all([next(worker), running]);
      } finally {
        clearInterval(timer);
        stop();
      }
    },
    isBusy: () => (delivery?.getStatus().numInFlightActivities ?? 0) > 0,
  };
}
