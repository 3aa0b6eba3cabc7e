import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import { createStreamHub, type StreamHub, type StreamHubOptions } from '#api/streaming/hub';
import type { Execution } from '#api/temporal/execution';
import { createTemporalGateway } from '#api/temporal/gateway';
import { createTemporalClient } from '#infra/temporal/client';
import type { TestParley } from '#test/support/parley/start-parley';

export interface StreamServer {
  url: string;
  streamHub: StreamHub;
  client: Client;
  stop(): Promise<void>;
}

/**
 * Starts a server for the streams only, with its own client, so that tests can shorten intervals and observe calls to
 * Temporal.
 */
export async function startStreamServer(
  p: TestParley,
  options: Partial<StreamHubOptions> = {},
  canSee: (run: Execution) => boolean = () => true,
): Promise<StreamServer> {
  const client = createTemporalClient(p.config.temporal);
  const gateway = createTemporalGateway(client, p.taskQueue, {
    readArchive: async () => ({ entries: [], isComplete: false }),
    reportMissingKey: () => false,
    salt: 'salt',
  });
  const linksOf = (id: string) => ({ self: id, events: id, web: id, temporal: id });
  const streamHub = createStreamHub(gateway, linksOf, options);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://live');
    const id = /^\/v1\/conversations\/([^/]+)\/events$/.exec(pathname)?.[1];
    const after = request.headers['last-event-id'];
    const following = id
      ? gateway
          .find(id)
          .then((run) => run && streamHub.followConversation(run, after ? Number(after) : undefined, request, response))
      : streamHub.followInbox(
          { ...Object.fromEntries(searchParams), canSee, seesEverything: false },
          request,
          response,
        );
    following.catch((error: Error) => response.writeHead(500).end(error.message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streamHub,
    client,
    async stop() {
      await streamHub.stop();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await client.connection.close();
    },
  };
}
