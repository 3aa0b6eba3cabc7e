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
      const stop = (other?: Worker) => other?.getState() === 'RUNNING' && other.shutdown();
      const runDelivery = async () => {
        delivery = await Worker.create(options as WorkerOptions);
        await delivery.run();
      };
      // The worker runs first, so that it can be stopped at any time. Neither runs without the other.
      const running = [next(worker), runDelivery().finally(() => stop(worker))];
      const timer = setInterval(() => worker.getState() !== 'RUNNING' && stop(delivery), STATE_CHECK_INTERVAL_MS);
      // The caller closes the connection that both use.
      await Promise.allSettled(running).finally(() => clearInterval(timer));
      await Promise.all(running);
    },
    isBusy: () => (delivery?.getStatus().numInFlightActivities ?? 0) > 0,
  };
}
