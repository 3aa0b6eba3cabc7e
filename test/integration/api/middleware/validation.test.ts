import { connect } from 'node:net';
import type { Problem } from '#contract/problem';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

/** Every one gets a clear error, in one shape, and changes nothing. */
describe('invalid input', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ startsWorker: false });
  });
  afterAll(() => p.stop());

  const startRoute = '/v1/conversations';
  const deeplyNested = `{"message":"x","metadata":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`;

  it.each<[string, string, string, unknown, number, string]>([
    ['malformed JSON', 'POST', startRoute, '{"message": ', 400, 'invalid_json'],
    ['JSON that is not an object', 'POST', startRoute, '"hello"', 400, 'invalid_json'],
    ['a list', 'POST', startRoute, [], 400, 'invalid_request'],
    ['no body', 'POST', startRoute, undefined, 400, 'invalid_request'],
    ['an unknown field', 'POST', startRoute, { message: 'x', colour: 'red' }, 400, 'invalid_request'],
    ['an unknown agent', 'POST', startRoute, { message: 'x', agent: 'nobody' }, 400, 'unknown_agent'],
    ['an empty message', 'POST', startRoute, { message: '' }, 400, 'invalid_request'],
    ['a blank message', 'POST', startRoute, { message: ' \n\t ' }, 400, 'invalid_request'],
    ['a message that is not text', 'POST', startRoute, { message: 7 }, 400, 'invalid_request'],
    ['a message over 100 KB', 'POST', startRoute, { message: 'x'.repeat(100 * 1024 + 1) }, 413, 'too_large'],
    ['a message over 100 KB in UTF-8', 'POST', startRoute, { message: 'é'.repeat(60_000) }, 413, 'too_large'],
    ['a body over 1 MB', 'POST', startRoute, { message: 'x'.repeat(1_100_000) }, 413, 'too_large'],
    ['a body over 256 KB', 'POST', `${startRoute}/c-1/cancel`, { reason: 'x'.repeat(300_000) }, 413, 'too_large'],
    ['an id with odd characters', 'POST', startRoute, { message: 'x', id: 'a/b' }, 400, 'invalid_request'],
    ['an id that is too long', 'POST', startRoute, { message: 'x', id: 'a'.repeat(129) }, 400, 'invalid_request'],
    ['a bad duration', 'POST', startRoute, { message: 'x', question: { timeout: '5 years' } }, 400, 'invalid_request'],
    [
      'a duration under a second',
      'POST',
      startRoute,
      { message: 'x', question: { timeout: '0s' } },
      400,
      'invalid_request',
    ],
    [
      'an unknown policy',
      'POST',
      startRoute,
      { message: 'x', question: { onTimeout: 'panic' } },
      400,
      'invalid_request',
    ],
    [
      'a callback that is not a URL',
      'POST',
      startRoute,
      { message: 'x', callbackUrl: 'ftp://x' },
      400,
      'invalid_request',
    ],
    [
      'metadata over 8 KB',
      'POST',
      startRoute,
      { message: 'x', metadata: { a: 'x'.repeat(9_000) } },
      400,
      'invalid_request',
    ],
    ['endless nesting', 'POST', startRoute, deeplyNested, 400, 'invalid_request'],
    ['an unknown conversation', 'GET', `${startRoute}/no-such`, undefined, 404, 'conversation_not_found'],
    ['an impossible conversation id', 'GET', `${startRoute}/a%20b%00`, undefined, 404, 'conversation_not_found'],
    [
      'an id that ends a quoted string',
      'GET',
      `${startRoute}/x'%20OR%20'1'='1`,
      undefined,
      404,
      'conversation_not_found',
    ],
    ['a broken percent sign', 'GET', `${startRoute}/%zz`, undefined, 400, 'invalid_request'],
    ['an unknown path', 'GET', '/v1/nothing', undefined, 404, 'not_found'],
    ['an unsupported method', 'DELETE', startRoute, undefined, 405, 'method_not_allowed'],
    ['a limit of 0', 'GET', `${startRoute}?limit=0`, undefined, 400, 'invalid_request'],
    ['a limit of 101', 'GET', `${startRoute}?limit=101`, undefined, 400, 'invalid_request'],
    ['a limit that is not a number', 'GET', `${startRoute}?limit=x`, undefined, 400, 'invalid_request'],
    ['a limit given twice', 'GET', `${startRoute}?limit=5&limit=6`, undefined, 400, 'invalid_request'],
    ['a bad cursor', 'GET', `${startRoute}?cursor=abc`, undefined, 400, 'invalid_request'],
    ['a bad cursor of the inbox', 'GET', '/v1/questions?cursor=abc.def', undefined, 400, 'invalid_request'],
    ['an unknown status', 'GET', `${startRoute}?status=asleep`, undefined, 400, 'invalid_request'],
    [
      'an agent that ends a quoted string',
      'GET',
      `${startRoute}?agent=x'%20OR%20'1'='1`,
      undefined,
      400,
      'invalid_request',
    ],
    ['an unknown filter', 'GET', '/v1/questions?colour=red', undefined, 400, 'invalid_request'],
    ['questions that are not pending', 'GET', '/v1/questions?status=answered', undefined, 400, 'invalid_request'],
    [
      'an answer to nowhere',
      'POST',
      `${startRoute}/no-such/questions/latest/answer`,
      { answer: 'x' },
      404,
      'conversation_not_found',
    ],
    [
      'an answer with an unknown field',
      'POST',
      `${startRoute}/no-such/questions/latest/answer`,
      { answer: 'x', colour: 'red' },
      400,
      'invalid_request',
    ],
    ['an empty message', 'POST', `${startRoute}/no-such/messages`, { text: '' }, 400, 'invalid_request'],
  ])('is rejected: %s', async (_name, method, route, body, status, code) => {
    const reply = await p.call<Problem>(method, route, body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(reply.headers.get('x-request-id')).toBeTruthy();
    expect(reply.body).toMatchObject({
      type: expect.any(String),
      title: expect.any(String),
      status,
      detail: expect.any(String),
    });
    expect(JSON.stringify(reply.body)).not.toMatch(/\bat .*\.[jt]s:\d+/);
  });

  it('gets every error of a start request at once, with the allowed values', async () => {
    const body = { message: '', id: '/', agent: 7, question: { onTimeout: 'panic' }, colour: 'red' };
    const { errors = [] } = (await p.call<Problem>('POST', startRoute, body)).body;
    expect(errors.map((issue) => issue.path).sort()).toEqual([
      'agent',
      'colour',
      'id',
      'message',
      'question.onTimeout',
    ]);
    const policy = errors.find((issue) => issue.path === 'question.onTimeout');
    expect(policy?.allowed).toEqual(['continue', 'default', 'fail', 'wait']);
  });

  it('names twenty errors and counts the rest, however many there are', async () => {
    const unknownFields = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`f${n}`, 1]));
    const { status, body } = await p.call<Problem>('POST', startRoute, { message: 'x', ...unknownFields });
    expect([status, body.errors?.length, body.moreErrors]).toEqual([400, 20, 29_980]);
    expect(body.detail).toMatch(/and 29980 more$/);
    expect(JSON.stringify(body).length).toBeLessThan(10_000);
    const visibleTo = Array.from({ length: 30 }, () => 1);
    const list = await p.call<Problem>('POST', startRoute, { message: 'x', visibleTo });
    expect([list.status, list.body.errors?.length, list.body.moreErrors]).toEqual([400, 20, 10]);
  });

  it('gets plain error messages that list the known fields', async () => {
    const body = { agent: 7, visibleTo: ['x', 5], question: { remind: 'often' }, mesage: 'x' };
    const { errors = [], detail } = (await p.call<Problem>('POST', startRoute, body)).body;
    expect(Object.fromEntries(errors.map((issue) => [issue.path, issue.message]))).toEqual({
      agent: 'must be a string, not a number',
      message: 'is missing: the task, at most 100 KB',
      mesage: expect.stringMatching(/^unknown field; allowed: agent, message, .*; did you mean `message`\?$/),
      'visibleTo.1': 'must be a string, not a number',
      'question.remind': 'must be a list, not a string',
    });
    expect(detail).toContain('agent: must be a string, not a number');
  });

  it('is rejected by its type if it is not JSON', async () => {
    const reply = await p.call<Problem>('POST', startRoute, 'message=hello', { 'content-type': 'text/plain' });
    expect([reply.status, reply.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('gets the same error format if its headers are too long', async () => {
    const reply = await p.call<Problem>('GET', '/healthz', undefined, { 'x-long': 'x'.repeat(20_000) });
    expect([reply.status, reply.body.code]).toEqual([431, 'head_too_large']);
    expect(reply.headers.get('x-request-id')).toBeTruthy();
  });

  it.each(['/v1/conversations/c-1', '/v1/agents', '/v1/session', '/healthz'])(
    'names a query parameter that %s does not have',
    async (route) => {
      const { status, body } = await p.call<Problem>('GET', `${route}?expand=all`);
      expect([status, body.code, body.errors?.[0]?.path]).toEqual([400, 'invalid_request', 'expand']);
    },
  );

  it('gets the same error format without a Host header', async () => {
    const { port } = new URL(p.url);
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.end('GET /v1/questions HTTP/1.1\r\n\r\n'));
      socket.on('error', reject).on('data', (data) => resolve(String(data)));
    });
    expect(reply).toMatch(/^HTTP\/1.1 403 /);
    expect(reply).toMatch(/Content-Type: application\/problem\+json/i);
  });

  it('gets the allowed methods of a path', async () => {
    const reply = await p.call<Problem>('PUT', `${startRoute}/x/cancel`);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('POST');
  });

  it('cannot reach workflows of another type', async () => {
    await p.client.workflow.start('somethingElse', {
      workflowId: `other-${p.agent}`,
      taskQueue: p.taskQueue,
      args: [],
    });
    const reply = await p.call<Problem>('GET', `${startRoute}/other-${p.agent}`);
    expect([reply.status, reply.body.code]).toEqual([404, 'conversation_not_found']);
    await p.client.workflow.getHandle(`other-${p.agent}`).terminate();
  });
});
