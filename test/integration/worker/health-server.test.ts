import { get } from 'node:http';
import { createMetrics } from '#telemetry/telemetry';
import { startWorkerHealthServer, type WorkerHealthServer } from '#worker/health-server';

/** Like a page in a browser whose host name resolves to this machine. */
const statusAs = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });

describe('the port of a worker without keys', () => {
  let server: WorkerHealthServer;
  let isPolling = false;
  let isTemporalUp = true;
  beforeAll(async () => {
    server = await startWorkerHealthServer(
      { host: '127.0.0.1', port: 0, keys: undefined },
      {
        metrics: createMetrics({ version: '0' }),
        isPolling: () => isPolling,
        checkTemporal: async () => {
          if (!isTemporalUp) throw new Error('away');
        },
      },
    );
  });
  afterAll(() => server.close());
  const status = async (path: string) => (await fetch(`${server.url}${path}`)).status;

  it('is healthy only while the worker polls, and ready while Temporal responds', async () => {
    expect([await status('/healthz'), await status('/readyz')]).toEqual([503, 503]);
    isPolling = true;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
    isTemporalUp = false;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
  });

  it('serves metrics on this machine only, and health to everyone', async () => {
    expect(await status('/metrics')).toBe(200);
    expect(await statusAs(`${server.url}/metrics`, 'evil.example')).toBe(403);
    expect(await statusAs(`${server.url}/healthz`, '10.1.2.3:9464')).toBe(200);
  });

  it('reports why it cannot be used', async () => {
    const { port: takenPort } = new URL(server.url);
    const source = {
      metrics: createMetrics({ version: '0' }),
      isPolling: () => true,
      checkTemporal: async () => undefined,
    };
    const second = startWorkerHealthServer({ host: '127.0.0.1', port: Number(takenPort), keys: undefined }, source);
    await expect(second).rejects.toThrow('EADDRINUSE');
  });
});
