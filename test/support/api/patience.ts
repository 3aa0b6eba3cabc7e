import type { ApiSettings } from '#api/assemble';
import { startApi } from '#api/main';
import { createLog, type Log } from '#infra/log';
import { createApiCaller, type TestParley } from '#test/support/parley/start-parley';

export type Given = Pick<ApiSettings, 'patience' | 'tools' | 'pace'> & { key?: string; log?: Log };

/** One more API of that Parley, which waits for workers and for Temporal as long as it is told to. */
export async function apiWithPatience(p: TestParley, { key, log = createLog('silent'), ...settings }: Given) {
  const api = await startApi({ ...p.config, port: 0 }, log, { taskQueue: p.taskQueue, ...settings });
  return {
    url: api.url,
    live: api.live,
    call: createApiCaller(api.url, key && p.key(key)),
    stop: api.stop,
  };
}

/** From now on that Parley is reached by such an API, which stops with it. */
export async function withPatience(p: TestParley, given: Given): Promise<TestParley> {
  const { url, live, call, stop } = await apiWithPatience(p, given);
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
