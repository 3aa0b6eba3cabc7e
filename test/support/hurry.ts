import type { Parley } from './parley';

/** Makes the pauses between attempts of an activity short: they are for models and storages, not for tests. */
export async function hurry(p: Parley, id: string, type: string): Promise<void> {
  const shortly = { nanos: 1_000_000 };
  await p.client.workflowService.updateActivityOptions({
    namespace: p.client.options.namespace,
    execution: { workflowId: id },
    type,
    activityOptions: { retryPolicy: { initialInterval: shortly, maximumInterval: shortly } },
    updateMask: { paths: ['retryPolicy.initialInterval', 'retryPolicy.maximumInterval'] },
  });
}
