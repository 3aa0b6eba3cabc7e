import type { ApiSettings } from '#api/assemble';
import { startApi } from '#api/main';
import { createLog, type Log } from '#log';
import { caller, type Parley } from '#test/support/parley';

export { NOBODY_COMES, SOMEBODY_COMES } from '#test/support/parley';

export type Given = Pick<ApiSettings, 'patience' | 'tools' | 'pace'> & { key?: string; log?: Log };

/** One more API of that Parley, which waits for workers and for Temporal as long as it is told to. */
export async function apiWithPatience(p: Parley, { key, log = createLog('silent'), ...settings }: Given) {
  const api = await startApi({ ...p.config, port: 0 }, log, { taskQueue: p.taskQueue, ...settings });
  return {
    url: api.url,
    live: api.live,
    call: caller(api.url, key && p.key(key)),
    stop: api.stop,
  };
}

/** From now on that Parley is reached by such an API, which stops with it. */
export async function withPatience(p: Parley, given: Given): Promise<Parley> {
  const { url, live, call, stop } = await apiWithPatience(p, given);
  const stopRest = p.stop;
  return Object.assign(p, {
    url,
    live,
    call,
    as: (name: string) => caller(url, p.key(name)),
    async stop() {
      await stop();
      await stopRest();
    },
  });
}
