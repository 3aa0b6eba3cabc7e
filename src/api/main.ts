import type { Server } from 'node:http';
import { type Config, readConfig } from '../config';
import { createLog, type Log } from '../log';
import { runEntry } from '../process';
import { type ApiSettings, assembleApi } from './assemble';
import { type Door, openDoor } from './door';
import { refuseUnreadable } from './errors';
import type { Live } from './live/live';

export interface RunningApi {
  url: string;
  /** Where this machine reaches it, whatever people call it by. */
  localUrl: string;
  live: Live;
  stop(): Promise<void>;
  done: Promise<void>;
}

/** The HTTP API, where it listens already or else where the configuration says. */
export async function startApi(
  config: Config,
  log: Log,
  { door: given, ...settings }: ApiSettings & { door?: Door } = {},
): Promise<RunningApi> {
  const { server, url: listening } = given ?? (await openDoor(config));
  const url = config.publicUrl ?? listening;
  const api = await assembleApi(config, log, url, settings).catch((error) => {
    server.close();
    throw error;
  });
  // What a request expects beyond an answer is not for us to refuse.
  server.removeAllListeners('request');
  server.on('request', api.app).on('checkExpectation', api.app).on('clientError', refuseUnreadable);
  const stop = async () => {
    await api.drain();
    await close(server);
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

/** Requests under way get a moment to finish. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const impatient = setTimeout(() => server.closeAllConnections(), 1_500);
  await closed;
  clearTimeout(impatient);
}

if (require.main === module) {
  void runEntry(async (cleanup) => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    const api = await startApi(config, log);
    cleanup.push(api.stop);
    log.info({ url: api.url }, 'API is listening');
    return api;
  });
}
