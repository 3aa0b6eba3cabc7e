import type { Problem } from '#contract/problem';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

/** Every one gets a clear error, in one shape, and changes nothing. */
describe('bad input', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ worker: false });
  });
  afterAll(() => p.stop());

  const start = '/v1/conversations';
  const deep = `{"message":"x","metadata":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`;

  it.each<[string, string, string, unknown, number, string]>([
    ['malformed JSON', 'POST', start, '{"message": ', 400, 'invalid_json'],
    ['JSON that is no object', 'POST', start, '"hello"', 400, 'invalid_json'],
    ['a list', 'POST', start, [], 400, 'invalid_request'],
    ['no body', 'POST', start, undefined, 400, 'invalid_request'],
    ['an unknown field', 'POST', start, { message: 'x', colour: 'red' }, 400, 'invalid_request'],
    ['an unknown agent', 'POST', start, { message: 'x', agent: 'nobody' }, 400, 'unknown_agent'],
    ['an empty message', 'POST', start, { message: '' }, 400, 'invalid_request'],
    ['a blank message', 'POST', start, { message: ' \n\t ' }, 400, 'invalid_request'],
    ['a message that is no text', 'POST', start, { message: 7 }, 400, 'invalid_request'],
    ['a message over 100 KB', 'POST', start, { message: 'x'.repeat(100 * 1024 + 1) }, 413, 'too_large'],
    ['a message over 100 KB in UTF-8', 'POST', start, { message: 'é'.repeat(60_000) }, 413, 'too_large'],
    ['a body over 1 MB', 'POST', start, { message: 'x'.repeat(1_100_000) }, 413, 'too_large'],
    ['an id with odd characters', 'POST', start, { message: 'x', id: 'a/b' }, 400, 'invalid_request'],
    ['an id that is too long', 'POST', start, { message: 'x', id: 'a'.repeat(129) }, 400, 'invalid_request'],
    ['a bad duration', 'POST', start, { message: 'x', question: { timeout: '5 years' } }, 400, 'invalid_request'],
    ['a duration under a second', 'POST', start, { message: 'x', question: { timeout: '0s' } }, 400, 'invalid_request'],
    ['an unknown policy', 'POST', start, { message: 'x', question: { onTimeout: 'panic' } }, 400, 'invalid_request'],
    [
      'a callback that is no web address',
      'POST',
      start,
      { message: 'x', callbackUrl: 'ftp://x' },
      400,
      'invalid_request',
    ],
    ['metadata over 8 KB', 'POST', start, { message: 'x', metadata: { a: 'x'.repeat(9_000) } }, 400, 'invalid_request'],
    ['nesting without end', 'POST', start, deep, 400, 'invalid_request'],
    ['an unknown conversation', 'GET', `${start}/no-such`, undefined, 404, 'conversation_not_found'],
    ['an id no conversation can have', 'GET', `${start}/a%20b%00`, undefined, 404, 'conversation_not_found'],
    ['an id that ends a quoted string', 'GET', `${start}/x'%20OR%20'1'='1`, undefined, 404, 'conversation_not_found'],
    ['a broken percent sign', 'GET', `${start}/%zz`, undefined, 400, 'invalid_request'],
    ['an unknown path', 'GET', '/v1/nothing', undefined, 404, 'not_found'],
    ['a method that is not there', 'DELETE', start, undefined, 405, 'method_not_allowed'],
    ['a limit of 0', 'GET', `${start}?limit=0`, undefined, 400, 'invalid_request'],
    ['a limit of 101', 'GET', `${start}?limit=101`, undefined, 400, 'invalid_request'],
    ['a limit that is no number', 'GET', `${start}?limit=x`, undefined, 400, 'invalid_request'],
    ['a limit given twice', 'GET', `${start}?limit=5&limit=6`, undefined, 400, 'invalid_request'],
    ['a bad cursor', 'GET', `${start}?cursor=abc`, undefined, 400, 'invalid_request'],
    ['a bad cursor of the inbox', 'GET', '/v1/questions?cursor=abc.def', undefined, 400, 'invalid_request'],
    ['an unknown status', 'GET', `${start}?status=asleep`, undefined, 400, 'invalid_request'],
    ['an agent that ends a quoted string', 'GET', `${start}?agent=x'%20OR%20'1'='1`, undefined, 400, 'invalid_request'],
    ['an unknown filter', 'GET', '/v1/questions?colour=red', undefined, 400, 'invalid_request'],
    ['questions that are not pending', 'GET', '/v1/questions?status=answered', undefined, 400, 'invalid_request'],
    [
      'an answer to nowhere',
      'POST',
      `${start}/no-such/questions/latest/answer`,
      { answer: 'x' },
      404,
      'conversation_not_found',
    ],
    [
      'an answer with an unknown field',
      'POST',
      `${start}/no-such/questions/latest/answer`,
      { answer: 'x', colour: 'red' },
      400,
      'invalid_request',
    ],
    ['an empty further message', 'POST', `${start}/no-such/messages`, { text: '' }, 400, 'invalid_request'],
  ])('refuses %s', async (_name, method, route, body, status, code) => {
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

  it('names every fault of a start at once, and what would be allowed', async () => {
    const body = { message: '', id: '/', agent: 7, question: { onTimeout: 'panic' }, colour: 'red' };
    const { errors = [] } = (await p.call<Problem>('POST', start, body)).body;
    expect(errors.map((fault) => fault.path).sort()).toEqual([
      'agent',
      'colour',
      'id',
      'message',
      'question.onTimeout',
    ]);
    const policy = errors.find((fault) => fault.path === 'question.onTimeout');
    expect(policy?.allowed).toEqual(['continue', 'default', 'fail', 'wait']);
  });

  it('says what is wrong in plain words, and which fields there are', async () => {
    const body = { agent: 7, visibleTo: ['x', 5], question: { remind: 'often' }, mesage: 'x' };
    const { errors = [], detail } = (await p.call<Problem>('POST', start, body)).body;
    expect(Object.fromEntries(errors.map((fault) => [fault.path, fault.message]))).toEqual({
      agent: 'must be a string, not a number',
      message: 'is missing: what is wanted, at most 100 KB',
      mesage: expect.stringMatching(
        /^there is no such field; the fields here are: agent, message, .*; did you mean `message`\?$/,
      ),
      'visibleTo.1': 'must be a string, not a number',
      'question.remind': 'must be a list, not a string',
    });
    expect(detail).toContain('agent: must be a string, not a number');
  });

  it('refuses what is not JSON by its type', async () => {
    const reply = await p.call<Problem>('POST', start, 'message=hello', { 'content-type': 'text/plain' });
    expect([reply.status, reply.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('refuses a head that is too long in the same shape', async () => {
    const reply = await p.call<Problem>('GET', '/healthz', undefined, { 'x-long': 'x'.repeat(20_000) });
    expect([reply.status, reply.body.code]).toEqual([431, 'head_too_large']);
    expect(reply.headers.get('x-request-id')).toBeTruthy();
  });

  it('says which methods a path has', async () => {
    const reply = await p.call<Problem>('PUT', `${start}/x/cancel`);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('POST');
  });

  it('does not reach workflows of another type', async () => {
    await p.client.workflow.start('somethingElse', {
      workflowId: `other-${p.agent}`,
      taskQueue: p.taskQueue,
      args: [],
    });
    const reply = await p.call<Problem>('GET', `${start}/other-${p.agent}`);
    expect([reply.status, reply.body.code]).toEqual([404, 'conversation_not_found']);
    await p.client.workflow.getHandle(`other-${p.agent}`).terminate();
  });
});
