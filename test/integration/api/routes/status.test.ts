import type { ApiDeps } from '#api/dependencies';
import { statusRoutes } from '#api/routes/health';
import { createParley } from '#client/parley';
import { ServerStatus } from '#contract/responses';
import { readPackageVersion } from '#infra/package-info';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { startSwitchableTcpProxy } from '#test/support/tcp-proxy';

const readStatus = async (p: TestParley) => {
  const { status: code, body } = await p.call('GET', '/v1/status');
  expect(code).toBe(200);
  return ServerStatus.parse(body);
};

describe('the status', () => {
  it('reports configuration and health to any client on this machine', async () => {
    const p = await startParley({ ownWorker: true, startsWorker: false });
    const { namespace } = p.config.temporal;
    expect(await readStatus(p)).toEqual({
      version: readPackageVersion(),
      temporal: { reachable: true, namespace },
      workers: 0,
      agents: 2,
      channels: { slack: false, email: false, webhook: true },
      channelLabels: { inbox: 'Inbox', log: 'Log', slack: 'Slack', email: 'Email', webhook: 'Webhook' },
      keys: false,
      publicUrl: p.url,
    });
    await p.startWorker();
    while ((await readStatus(p)).workers !== 1) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await createParley({ url: p.url }).status()).toMatchObject({ workers: 1 });
    await p.stop();
  });

  it('queries Temporal once for concurrent requests', async () => {
    const calls = { ready: 0, workers: 0 };
    const gateway = {
      namespace: 'default',
      ready: async () => {
        calls.ready += 1;
      },
      workers: async () => {
        calls.workers += 1;
        return 1;
      },
    };
    const deps = {
      gateway,
      agents: new Map(),
      channels: [],
      channelSettings: {},
      hasKeys: false,
      url: 'http://127.0.0.1',
    };
    const { getStatus } = statusRoutes(deps as unknown as ApiDeps);
    const replies: unknown[] = [];
    const response = { json: (body: unknown) => replies.push(body) };
    for (let round = 0; round < 2; round += 1)
      await Promise.all([1, 2, 3].map(() => getStatus({} as never, response as never, {} as never)));
    expect([replies.length, calls]).toEqual([6, { ready: 1, workers: 1 }]);
  });

  it('requires a key if keys are set, of any scope, and contains no secret', async () => {
    const secrets = {
      SLACK_BOT_TOKEN: 'xoxb-not-to-be-told',
      SLACK_SIGNING_SECRET: 'signed-not-to-be-told',
      PARLEY_SMTP_URL: 'smtp://user:not-to-be-told@127.0.0.1:2525',
      PARLEY_EMAIL_FROM: 'parley@example.com',
      PARLEY_SECRET: 'this is not-to-be-told which is as long as 32 random bytes in base64',
    };
    const keys = { maria: ['questions:answer' as const] };
    const p = await startParley({ ownWorker: true, startsWorker: false, keys, env: secrets });
    expect((await fetch(`${p.url}/v1/status`)).status).toBe(401);
    const serverStatus = await readStatus(p);
    expect(serverStatus).toMatchObject({ keys: true, channels: { slack: true, email: true } });
    const { address = '' } = p.config.temporal;
    for (const secret of ['not-to-be-told', address, p.apiKey('maria')])
      expect(JSON.stringify(serverStatus)).not.toContain(secret);
    await p.stop();
  });

  it('reports that Temporal does not respond, instead of failing', async () => {
    const proxy = await startSwitchableTcpProxy();
    const p = await startParley({
      ownWorker: true,
      startsWorker: false,
      address: `127.0.0.1:${proxy.port}`,
      cutsOffServer: true,
    });
    expect(await readStatus(p)).toMatchObject({ temporal: { reachable: false }, workers: null, agents: 2 });
    await p.stop();
    proxy.close();
  });
});
