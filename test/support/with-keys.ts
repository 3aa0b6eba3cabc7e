import { startApi } from '#api/main';
import type { Config } from '#config';
import { EncryptionKeys } from '#contract/encryption';
import { createLog, type Log } from '#log';
import { type RunningWorker, startWorker } from '../../worker';
import { type Call, caller, installOnce, type Parley } from './parley';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
export const [K1, K2] = [`k1:${key(1)}`, `k2:${key(2)}`];
/** Under the name of the first, another. */
export const NOT_K1 = `k1:${key(9)}`;

function configWith({ config }: Parley, keys: string | undefined): Config {
  const encryption = keys === undefined ? undefined : EncryptionKeys.parse(keys);
  return { ...config, port: 0, temporal: { ...config.temporal, encryption } };
}

const quiet = createLog('silent');

/** The same Parley's API, with other encryption keys. */
export async function apiWith(
  p: Parley,
  keys: string | undefined,
  name?: string,
  log: Log = quiet,
): Promise<{ url: string; call: Call; stop(): Promise<void> }> {
  const api = await startApi(configWith(p, keys), log, { taskQueue: p.taskQueue });
  return { url: api.url, call: caller(api.url, name ? p.key(name) : undefined), stop: api.stop };
}

/** The same Parley's worker, with other encryption keys. */
export function workerWith(p: Parley, keys: string | undefined, log: Log = quiet): Promise<RunningWorker> {
  installOnce();
  return startWorker(configWith(p, keys), log, { taskQueue: p.taskQueue });
}
