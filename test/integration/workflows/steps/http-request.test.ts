import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { temporal } from '@temporalio/proto';
import { WITHOUT_ENCRYPTION } from '#test/support/parley/encryption';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

describe('an agent with http_request', () => {
  const seen: { method?: string; url?: string; key?: string; body: string }[] = [];
  let server: Server;
  let host: string;
  let p: TestParley;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ method: request.method, url: request.url, key: request.headers['x-key'] as string, body });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ got: request.url, key: request.headers['x-key'] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => void seen.splice(0));
  afterEach(() => p.stop());
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const call = (input: object, id: string) => ({ name: 'http_request', input, id });
  const begin = async (more: string, env: Record<string, string>, ...calls: ReturnType<typeof call>[]) => {
    p = await startParley({
      frontMatter: `tools:\n  - name: http_request\n    hosts: ["${host}"]\n${more}`,
      replies: [replyWithToolCalls(...calls), replyWithText('done')],
      env,
    });
    return p.startConversation();
  };
  const heard = async () => lastToolResults(await p.model.waitForRequest(1));

  it('calls the hosts in its file, with secrets that it never sees', async () => {
    const id = await begin(
      `    headers: { "${host}": { x-key: "\${SHOP_KEY}" } }`,
      { ...WITHOUT_ENCRYPTION, PARLEY_INTERNAL_HOSTS: host, SHOP_KEY: 'open-sesame' },
      call({ url: `http://${host}/stock?of=tea` }, 'call-1'),
      call({ url: `http://${host}/order`, method: 'POST', body: { of: 'tea' } }, 'call-2'),
    );
    await p.waitForStatus(id, 'completed');
    expect(seen).toEqual([
      { method: 'GET', url: '/stock?of=tea', key: 'open-sesame', body: '' },
      { method: 'POST', url: '/order', key: 'open-sesame', body: '{"of":"tea"}' },
    ]);
    const [stock] = await heard();
    expect(stock).toMatchObject({ isError: false, text: expect.stringContaining('/stock?of=tea') });
    expect(JSON.stringify(p.model.requests)).not.toContain('open-sesame');
    const history = await p.client.workflow.getHandle(id).fetchHistory();
    const written = Buffer.from(temporal.api.history.v1.History.encode(history).finish());
    expect([written.includes('SHOP_KEY'), written.includes('open-sesame')]).toEqual([true, false]);
  });

  it('gets an error for a host it may not call, and continues', async () => {
    const id = await begin(
      '',
      {},
      call({ url: 'https://example.com/' }, 'call-1'),
      call({ url: `http://${host}/` }, 'call-2'),
      call({ url: 'http://169.254.169.254/latest' }, 'call-3'),
    );
    await p.waitForStatus(id, 'completed');
    const results = await heard();
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(results[0]?.text).toContain(host);
    expect(seen).toEqual([]);
  });

  it('calls nothing before a person has approved the call', async () => {
    const id = await begin(
      '    requiresConfirmation: true',
      { PARLEY_INTERNAL_HOSTS: host },
      call({ url: `http://${host}/order`, method: 'POST', body: 'tea' }, 'call-1'),
    );
    const question = await p.waitForQuestion(id);
    expect(question.context).toContain(`http://${host}/order`);
    expect(seen).toEqual([]);
    await p.answer(id, { answer: 'Yes, proceed' });
    await p.waitForStatus(id, 'completed');
    expect(seen).toMatchObject([{ method: 'POST', url: '/order', body: 'tea' }]);
  });
});
