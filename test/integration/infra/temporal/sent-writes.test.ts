import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { readConfig } from '#channels/read-config';
import { createTemporalClient } from '#infra/temporal/client';
import { OutcomeUnknownError, withKnownOutcome } from '#infra/temporal/sent-writes';

/** How a signal fails, with this server in Temporal's place. */
async function failureWith(port: number): Promise<unknown> {
  const client = createTemporalClient({ ...readConfig({}).temporal, address: `127.0.0.1:${port}` });
  const signal = () =>
    client.withDeadline(Date.now() + 2_000, () => client.workflow.getHandle('c-1').signal('addMessage', {}));
  try {
    return await withKnownOutcome(signal).catch((error: unknown) => error);
  } finally {
    await client.connection.close();
  }
}

async function failureWithServer(onStream: (stream: ServerHttp2Stream) => void): Promise<unknown> {
  const server: Http2Server = createServer().on('stream', onStream);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return failureWith(port).finally(() => server.close());
}

describe('a write', () => {
  it('that Temporal took and never answered may have been accepted', async () => {
    expect(await failureWithServer((stream) => stream.on('error', () => undefined))).toBeInstanceOf(
      OutcomeUnknownError,
    );
  });

  it('that lost its connection after it was sent may have been accepted', async () => {
    let attempts = 0;
    const failure = await failureWithServer((stream) => {
      attempts += 1;
      stream.session?.destroy();
    });
    expect(attempts).toBeGreaterThan(0);
    expect(failure).toBeInstanceOf(OutcomeUnknownError);
  });

  it('that found no Temporal was not accepted', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await failureWith(port)).not.toBeInstanceOf(OutcomeUnknownError);
  });
});
