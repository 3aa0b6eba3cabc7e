import { startApi } from '#api/main';
import type { Config } from '#infra/config';
import { EncryptionKeys } from '#infra/crypto/encryption-keys';
import { createLog, type Log } from '#infra/log';
import { installTestRuntime } from '#test/support/temporal/runtime';
import { type RunningWorker, startWorker } from '#worker/start-worker';
import { type CallApi, createApiCaller, type TestParley } from './start-parley';

const createKeyMaterial = (fill: number) => Buffer.alloc(32, fill).toString('base64');
export const [ENCRYPTION_KEY_1, ENCRYPTION_KEY_2] = [`k1:${createKeyMaterial(1)}`, `k2:${createKeyMaterial(2)}`];
/** A different key under the first key's id. */
export const WRONG_ENCRYPTION_KEY_1 = `k1:${createKeyMaterial(9)}`;

function createConfigWithKeys({ config }: TestParley, keys: string | undefined): Config {
  const encryption = keys === undefined ? undefined : EncryptionKeys.parse(keys);
  return { ...config, port: 0, temporal: { ...config.temporal, encryption } };
}

const silentLog = createLog('silent');

/** Starts another API of the same Parley, with other encryption keys. */
export async function startApiWithKeys(
  p: TestParley,
  keys: string | undefined,
  name?: string,
  log: Log = silentLog,
): Promise<{ url: string; call: CallApi; stop(): Promise<void> }> {
  const api = await startApi(createConfigWithKeys(p, keys), log, { taskQueue: p.taskQueue });
  return { url: api.url, call: createApiCaller(api.url, name ? p.apiKey(name) : undefined), stop: api.stop };
}

/** Starts another worker of the same Parley, with other encryption keys. */
export function startWorkerWithKeys(
  p: TestParley,
  keys: string | undefined,
  log: Log = silentLog,
): Promise<RunningWorker> {
  installTestRuntime();
  return startWorker(createConfigWithKeys(p, keys), log, { taskQueue: p.taskQueue });
}
