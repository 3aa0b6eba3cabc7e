import { once } from 'node:events';
import { createServer } from 'node:net';
import { readConfig } from '#channels/read-config';
import { createTemporalClient } from '#infra/temporal/client';

it('lets queued calls finish before the connection closes', async () => {
  // Accepts and disconnects: every call fails temporarily, and is retried.
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const uncaught: unknown[] = [];
  const recordUncaught = (error: unknown) => void uncaught.push(error);
  process.on('uncaughtException', recordUncaught);
  const client = createTemporalClient(readConfig({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` }).temporal);
  const calls = Array.from({ length: 20 }, () =>
    client.withDeadline(Date.now() + 700, () => client.workflowService.getSystemInfo({})).catch(() => undefined),
  );
  await Promise.race(calls);
  // Simulates a busy process, whose timers are late.
  for (const end = Date.now() + 200; Date.now() < end; );
  await client.connection.close();
  await Promise.all(calls);
  process.off('uncaughtException', recordUncaught);
  server.close();
  expect(uncaught).toEqual([]);
});
