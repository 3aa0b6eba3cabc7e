import type { ApiOptions } from '#api/create-api';
import { startApi } from '#api/main';
import { createLog, type Log } from '#infra/log';
import { createApiCaller, type TestParley } from '#test/support/parley/start-parley';

export type WaitLimitOptions = Pick<ApiOptions, 'patience' | 'tools' | 'pace'> & { key?: string; log?: Log };

/** One more API of that Parley, which waits for workers and for Temporal as long as it is told to. */
export async function startApiWithWaitLimits(
  p: TestParley,
  { key, log = createLog('silent'), ...settings }: WaitLimitOptions,
) {
  const api = await startApi({ ...p.config, port: 0 }, log, { taskQueue: p.taskQueue, ...settings });
  return {
    url: api.url,
    live: api.live,
    call: createApiCaller(api.url, key && p.key(key)),
    stop: api.stop,
  };
}

/** From now on that Parley is reached by such an API, which stops with it. */
export async function withWaitLimits(p: TestParley, given: WaitLimitOptions): Promise<TestParley> {
  const { url, live, call, stop } = await startApiWithWaitLimits(p, given);
  const stopRest = p.stop;
  return Object.assign(p, {
    url,
    live,
    call,
    as: (name: string) => createApiCaller(url, p.key(name)),
    async stop() {
      await stop();
      await stopRest();
    },
  });
}
