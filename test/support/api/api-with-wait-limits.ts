import type { ApiOptions } from '#api/create-api';
import { startApi } from '#api/main';
import { createLog, type Log } from '#infra/log';
import { createApiCaller, type TestParley } from '#test/support/parley/start-parley';

export type WaitLimitOptions = Pick<ApiOptions, 'waitLimits' | 'tools' | 'streamOptions'> & { key?: string; log?: Log };

/** Starts another API of that Parley, with its own limits on waiting for workers and Temporal. */
export async function startApiWithWaitLimits(
  p: TestParley,
  { key, log = createLog('silent'), ...settings }: WaitLimitOptions,
) {
  const api = await startApi({ ...p.config, port: 0 }, log, { taskQueue: p.taskQueue, ...settings });
  return {
    url: api.url,
    live: api.streamHub,
    call: createApiCaller(api.url, key && p.apiKey(key)),
    stop: api.stop,
  };
}

/** Makes the fixture call such an API from now on. The API stops with the fixture. */
export async function withWaitLimits(p: TestParley, options: WaitLimitOptions): Promise<TestParley> {
  const { url, live: streamHub, call, stop } = await startApiWithWaitLimits(p, options);
  const stopRest = p.stop;
  return Object.assign(p, {
    url,
    live: streamHub,
    call,
    as: (name: string) => createApiCaller(url, p.apiKey(name)),
    async stop() {
      await stop();
      await stopRest();
    },
  });
}
