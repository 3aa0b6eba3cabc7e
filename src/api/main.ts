import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Config, readConfig } from '#infra/config';
import { runUntilSignal } from '#infra/lifecycle';
import { createLog, type Log } from '#infra/log';
import { createTelemetry } from '#telemetry/telemetry';
import { type ApiOptions, createApi } from './create-api';
import { handleMalformedRequest } from './middleware/errors';
import { type HttpServer, listenForHttp } from './server';
import type { StreamHub } from './streaming/hub';

export interface RunningApi {
  url: string;
  /** Where this machine reaches it, whatever people call it by. */
  localUrl: string;
  live: StreamHub;
  stop(): Promise<void>;
  done: Promise<void>;
}

/** The HTTP API, where it listens already or else where the configuration says. */
export async function startApi(
  config: Config,
  log: Log,
  { door: given, ...settings }: ApiOptions & { door?: HttpServer } = {},
): Promise<RunningApi> {
  const { server, url: listening } = given ?? (await listenForHttp(config));
  const url = config.publicUrl ?? listening;
  const api = await createApi(config, log, url, settings).catch((error) => {
    server.close();
    throw error;
  });
  // What a request expects beyond an answer is not for us to refuse.
  server.removeAllListeners('request');
  server.on('request', api.app).on('checkExpectation', api.app).on('clientError', handleMalformedRequest);
  const stop = async () => {
    const { noticeMs, finishMs } = leavingTimes(config.drainMs);
    api.leave();
    await pause(noticeMs);
    await api.drain();
    await close(server, finishMs);
    await api.close();
  };
  return {
    url,
    localUrl: listening,
    live: api.live,
    stop,
    done: new Promise((resolve) => server.once('close', resolve)),
  };
}

const FINISH_MS = 1_500;
const NOTICE_MS = 5_000;

/** How long balancers have to notice that it leaves, and then requests under way to finish: nobody has to at a terminal. */
function leavingTimes(drainMs: number | undefined) {
  if (drainMs === undefined) return { noticeMs: 0, finishMs: FINISH_MS };
  const noticeMs = Math.min(NOTICE_MS, drainMs / 4);
  return { noticeMs, finishMs: Math.max(FINISH_MS, drainMs - noticeMs - FINISH_MS) };
}

async function close(server: Server, finishMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  // Also those that become idle: a client may keep one for its next request.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const impatient = setTimeout(() => server.closeAllConnections(), finishMs);
  await closed;
  clearInterval(idle);
  clearTimeout(impatient);
}

if (require.main === module) {
  void runUntilSignal(async (cleanup) => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    const onlookers = createTelemetry(config, log, cleanup);
    const api = await startApi(config, log, onlookers);
    cleanup.push(api.stop);
    log.info({ url: api.url }, 'API is listening');
    return { ...api, drainMs: config.drainMs };
  });
}
