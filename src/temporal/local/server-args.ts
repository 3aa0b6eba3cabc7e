import type { DevServerOptions } from './dev-server';

/** Nobody: a web page can post to a port of this machine, and the server would start whatever workflow it says. */
const HTTP_HOSTS = 'frontend.httpAllowedHosts=["nobody.invalid"]';

/** What `temporal` is called with. All of it listens on this machine only. */
export function serverArgs(
  port: number,
  uiPort: number,
  { dbFilename, namespace, codecUrl, logLevel = 'error', dynamic = [] }: Partial<DevServerOptions>,
): string[] {
  const file = [
    '--db-filename',
    dbFilename ?? '',
    '--sqlite-pragma',
    'journal_mode=wal',
    '--sqlite-pragma',
    'synchronous=1',
  ];
  // The dev server has one history shard, and reads its queues 20 times a second unless told otherwise.
  const queues = ['transfer', 'timer', 'visibility'].map(
    (queue) => `history.${queue}ProcessorMaxPollRPS=2000`,
  );
  // An activity goes back to the worker that asked for it, with no queue in between.
  const settings = [...queues, 'system.enableActivityEagerExecution=true', HTTP_HOSTS, ...dynamic];
  const tuning = settings.flatMap((setting) => ['--dynamic-config-value', setting]);
  const ports = ['--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)];
  return [
    'server',
    'start-dev',
    ...(dbFilename ? file : []),
    ...(namespace && namespace !== 'default' ? ['--namespace', namespace] : []),
    ...ports,
    ...(codecUrl ? ['--ui-codec-endpoint', codecUrl] : []),
    ...tuning,
    '--log-level',
    logLevel,
  ];
}
