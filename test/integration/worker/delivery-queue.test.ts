import { startParley } from '#test/support/parley/start-parley';

it('a worker that is stopped at once stops, also while the worker of its delivery queue is being created', async () => {
  const p = await startParley({ ownWorker: true, startsWorker: false });
  const worker = await p.startWorker();
  await worker.stop();
  await expect(worker.done).resolves.toBeUndefined();
  await p.stop();
});
