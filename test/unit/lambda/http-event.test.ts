import { createLog } from '#infra/log';
import { type LambdaHttpEvent, toLambdaHttpRequest } from '#lambda/http-event';
import { createWorkerInvoker, isWorkerNeeded } from '#lambda/invoke-worker';

const createEvent = (overrides: Partial<LambdaHttpEvent> = {}): LambdaHttpEvent => ({
  rawPath: '/v1/conversations',
  rawQueryString: '',
  headers: {},
  requestContext: { domainName: 'parley.example.on.aws', http: { method: 'GET', sourceIp: '203.0.113.7' } },
  isBase64Encoded: false,
  ...overrides,
});
const toRequest = (overrides: Partial<LambdaHttpEvent> = {}) =>
  toLambdaHttpRequest(createEvent(overrides), { awsRequestId: 'r-1' });

describe('a request from a Lambda event', () => {
  it('has the address that AWS reports, whatever its headers say', () => {
    const { headers } = toRequest({
      headers: { 'X-Forwarded-For': '10.0.0.1', forwarded: 'for=10.0.0.1', 'x-real-ip': '10.0.0.1' },
    });
    expect(headers).toEqual({
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-request-id': 'r-1',
    });
  });

  it('has its body as bytes, its cookies as one header, and its own length', () => {
    const { headers, body } = toRequest({
      headers: { 'content-length': '999', 'x-request-id': 'mine' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from('{"a":"ü"}').toString('base64'),
      isBase64Encoded: true,
    });
    expect(body?.toString()).toBe('{"a":"ü"}');
    expect(headers).toMatchObject({ cookie: 'a=1; b=2', 'content-length': '10', 'x-request-id': 'mine' });
    expect(toRequest({ body: 'ü' }).body?.length).toBe(2);
  });

  it.each([
    ['/v1/conversations/a%20b', '/v1/conversations/a%20b'],
    ['/v1/conversations/a b"<ü>', '/v1/conversations/a%20b%22%3C%C3%BC%3E'],
    ['/\ud800', '/%EF%BF%BD'],
  ])('has a valid path: %j', (rawPath, path) => {
    expect(toRequest({ rawPath }).path).toBe(path);
  });

  it('keeps the query unchanged', () => {
    expect(toRequest({ rawQueryString: 'limit=2&after=%2B' }).path).toBe('/v1/conversations?limit=2&after=%2B');
  });
});

describe('waking a worker', () => {
  it.each([
    ['POST', '/v1/conversations', 201, true],
    ['POST', '/a/link', 303, true],
    ['DELETE', '/v1/conversations/1', 202, true],
    ['GET', '/v1/conversations/1/timeline', 503, true],
    ['GET', '/v1/conversations', 200, false],
    ['POST', '/v1/conversations', 401, false],
    ['POST', '/v1/session', 200, false],
    ['POST', '/codec/decode', 200, false],
  ])('after %s %s with %i: %s', (method, path, status, expected) => {
    expect(isWorkerNeeded(method, path, status)).toBe(expected);
  });

  it('happens once for concurrent requests, and again if it failed', async () => {
    const invoked: string[] = [];
    let isBroken = true;
    const invokeWorker = createWorkerInvoker('worker', createLog('silent'), async (name) => {
      invoked.push(name);
      if (isBroken) throw new Error('throttled');
    });
    await invokeWorker();
    isBroken = false;
    await invokeWorker();
    await invokeWorker();
    expect(invoked).toEqual(['worker', 'worker']);
    await createWorkerInvoker(undefined, createLog('silent'), () => Promise.reject(new Error('called')))();
  });
});
