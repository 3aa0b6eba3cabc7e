import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '#channels/read-config';
import type { Config } from '#infra/config';
import { runUntilSignal } from '#infra/lifecycle';
import { createLog, type Log } from '#infra/log';
import { createTelemetry } from '#telemetry/telemetry';
import { type ApiOptions, createApi } from './create-api';
import { handleMalformedRequest } from './middleware/errors';
import { type HttpServer, listenForHttp } from './server';
import type { StreamHub } from './streaming/hub';

export interface RunningApi {
  url: string;
  /** URL on this machine, whatever the public one is. */
  localUrl: string;
  streamHub: StreamHub;
  stop(): Promise<void>;
  done: Promise<void>;
}

/** Starts the HTTP API on `httpServer`, or on the configured host and port. */
export async function startApi(
  config: Config,
  log: Log,
  { httpServer, ...settings }: ApiOptions & { httpServer?: HttpServer } = {},
): Promise<RunningApi> {
  const { server, url: localUrl } = httpServer ?? (await listenForHttp(config));
  const url = config.publicUrl ?? localUrl;
  const api = await createApi(config, log, url, settings).catch((error) => {
    server.close();
    throw error;
  });
  // Handle requests with an `Expect` header like any other, instead of letting Node reject them.
  server.removeAllListeners('request');
  server.on('request', api.app).on('checkExpectation', api.app).on('clientError', handleMalformedRequest);
  const stop = async () => {
    const { deregisterMs, finishMs } = shutdownTimes(config.drainMs);
    api.markStopping();
    await pause(deregisterMs);
    await api.drain();
    await closeServer(server, finishMs);
    await api.close();
  };
  return {
    url,
    localUrl,
    streamHub: api.streamHub,
    stop,
    done: new Promise((resolve) => server.once('close', resolve)),
  };
}

const MIN_FINISH_MS = 1_500;
const MAX_DEREGISTER_MS = 5_000;

/**
 * Returns how long load balancers have to stop sending requests, then how long running requests have to finish. Without
 * a drain time there is no first phase.
 */
function shutdownTimes(drainMs: number | undefined) {
  if (drainMs === undefined) return { deregisterMs: 0, finishMs: MIN_FINISH_MS };
  const deregisterMs = Math.min(MAX_DEREGISTER_MS, drainMs / 4);
  return { deregisterMs, finishMs: Math.max(MIN_FINISH_MS, drainMs - deregisterMs - MIN_FINISH_MS) };
}

async function closeServer(server: Server, finishMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  // Repeated for connections that become idle later: a client may keep one for its next request.
  const idleSweep = setInterval(() => server.closeIdleConnections(), 100);
  const forceClose = setTimeout(() => server.closeAllConnections(), finishMs);
  await closed;
  clearInterval(idleSweep);
  clearTimeout(forceClose);
}

if (require.main === module) {
  void runUntilSignal(async (cleanup) => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    const telemetry = createTelemetry(config, log, cleanup);
    const api = await startApi(config, log, telemetry);
    cleanup.push(api.stop);
    log.info({ url: api.url }, 'API is listening');
    return { ...api, drainMs: config.drainMs };
  });
}
