import { once } from 'node:events';
import { connect } from 'node:net';
import { createAnswerLinkToken } from '#channels/answer-link-token';
import type { Conversation } from '#contract/conversation';
import type { Problem } from '#contract/problem';
import { collectLog } from '#test/support/collect-log';
import { createApiCaller, startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

/** Secrets and content, none of which may be logged. */
const SECRETS = {
  message: 'MESSAGE-of-the-start',
  metadata: 'METADATA-of-the-start',
  later: 'MESSAGE-that-came-later',
  answer: 'ANSWER-in-words',
  comment: 'COMMENT-on-the-answer',
  bad: 'ANSWER-that-is-refused',
  reason: 'REASON-to-cancel',
  hook: 'BODY-of-the-webhook',
  broken: 'BODY-that-is-broken',
  query: 'QUERY-of-the-address',
  wrongKey: 'parley_WRONG-key',
  idempotency: 'IDEMPOTENCY-key',
  webhookId: 'WEBHOOK-id',
};

const collectedLog = collectLog();
let p: TestParley;
let cookie = '';
const ids: Record<string, string> = {};

beforeAll(async () => {
  p = await startParley({
    log: collectedLog.log,
    keys: { ann: ['admin'], bob: ['conversations:read'] },
    frontMatter: 'trigger:\n  message: "Look: {{ text }}"',
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('What then?'),
  });
});
afterAll(() => p.stop());

const waitForRequestLine = (requestId: string) =>
  collectedLog.waitForLine((line) => line.requestId === requestId && line.msg === 'request');
/** Sends the request with its own id, and returns its log line. */
async function sendLogged(
  id: string,
  call: typeof p.call,
  method: string,
  route: string,
  body?: unknown,
  headers = {},
) {
  const reply = await call<Problem>(method, route, body, { 'x-request-id': id, ...headers });
  return { reply, line: await waitForRequestLine(id) };
}

describe('the request log', () => {
  it('has a line for a start: what, by whom, status and duration', async () => {
    const { reply, line } = await sendLogged(
      'start',
      p.call,
      'POST',
      `/v1/conversations`,
      { agent: p.agent, message: SECRETS.message, metadata: { of: SECRETS.metadata } },
      { 'idempotency-key': SECRETS.idempotency },
    );
    ids.first = (reply.body as unknown as Conversation).id;
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      requestId: 'start',
      method: 'POST',
      path: '/v1/conversations',
      status: 201,
      caller: 'ann',
      ms: expect.any(Number),
      msg: 'request',
    });
  });

  it('has each field of a line once', () => {
    const startLine = collectedLog
      .text()
      .split('\n')
      .find((line) => line.includes('"requestId":"start"'));
    const names = [...(startLine ?? '').matchAll(/"(\w+)":/g)].map(([, name]) => name);
    expect(names.sort()).toEqual([...new Set(names)].sort());
  });

  it('has lines for answers, valid and invalid', async () => {
    await p.waitForQuestion(ids.first ?? '');
    const route = `/v1/conversations/${ids.first}/questions/latest/answer`;
    const invalid = await sendLogged('bad', p.call, 'POST', route, { answers: { [SECRETS.bad]: SECRETS.bad } });
    expect(invalid.line).toMatchObject({ level: 30, path: route, status: 400, caller: 'ann' });
    const good = { answer: SECRETS.answer, comment: SECRETS.comment };
    expect((await sendLogged('good', p.call, 'POST', route, good)).line).toMatchObject({ status: 200 });
    const late = await sendLogged('late', p.call, 'POST', route, good);
    expect(late.line).toMatchObject({ status: 409 });
    for (const { line, reply } of [invalid, late]) expect(line.code).toBe(reply.body.code);
    expect(invalid.line.code).toMatch(/^[a-z_]+$/);
  });

  it('has the path of a request without its query', async () => {
    const { line } = await sendLogged('query', p.callAs('bob'), 'GET', `/v1/conversations?cursor=${SECRETS.query}`);
    expect(line).toMatchObject({ path: '/v1/conversations', status: 400, caller: 'bob' });
  });

  it('never contains a link token, wherever it was sent', async () => {
    const link = { conversationId: 'c', questionId: 'question-1', person: 'maria', expiresAt: null, grant: null };
    const token = createAnswerLinkToken('a secret of sixteen', link);
    for (const [id, route] of [
      ['link', `/a/${token}/`],
      ['misplaced', `/v1/conversations/${token}`],
    ] as const) {
      await fetch(`${p.url}${route}`, { headers: { 'x-request-id': id } });
      expect(String((await waitForRequestLine(id)).path)).toMatch(/…\/?$/);
    }
    expect(collectedLog.text()).not.toContain(token.split('.')[1]);
  });

  it('has no name for a wrong key, and not the key', async () => {
    const { line } = await sendLogged('wrong', createApiCaller(p.url, SECRETS.wrongKey), 'GET', '/v1/session');
    expect(line).toMatchObject({ status: 401, path: '/v1/session' });
    expect(line).not.toHaveProperty('caller');
  });

  it('has lines for a webhook, a message, a cancel and an invalid body', async () => {
    const hook = await sendLogged(
      'hook',
      p.call,
      'POST',
      `/v1/hooks/${p.agent}`,
      { text: SECRETS.hook },
      { 'webhook-id': SECRETS.webhookId },
    );
    expect(hook.line).toMatchObject({ status: 202, path: `/v1/hooks/${p.agent}` });
    const route = `/v1/conversations/${(hook.reply.body as unknown as Conversation).id}`;
    const message = await sendLogged('said', p.call, 'POST', `${route}/messages`, { text: SECRETS.later });
    expect(message.line).toMatchObject({ status: 202 });
    const cancel = await sendLogged('cancel', p.call, 'POST', `${route}/cancel`, { reason: SECRETS.reason });
    expect(cancel.line).toHaveProperty('status');
    const broken = await sendLogged('broken', p.call, 'POST', '/v1/conversations', `{"${SECRETS.broken}`);
    expect(broken.line).toMatchObject({ status: 400 });
  });

  it('has the name behind a cookie, and not the cookie', async () => {
    const { reply } = await sendLogged('session', p.callAs('bob'), 'POST', '/v1/session');
    cookie = /parley_session=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] ?? '';
    expect(cookie).not.toBe('');
    const headers = { cookie: `parley_session=${cookie}` };
    const { line } = await sendLogged('cookie', createApiCaller(p.url), 'GET', '/v1/session', undefined, headers);
    expect(line).toMatchObject({ status: 200, caller: 'bob' });
  });

  it('has an internal error with its stack, under the same request id', async () => {
    const workflowId = `broken-${p.agent}`;
    await p.client.workflow.start('conversation', {
      workflowId,
      taskQueue: 'nowhere',
      args: [],
      memo: {
        conversation: { id: workflowId, title: SECRETS.message },
        start: { access: { assignees: [] } },
      },
    });
    const { reply, line } = await sendLogged('fault', p.call, 'GET', `/v1/conversations/${workflowId}`);
    expect([reply.status, reply.body.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(reply.body)).not.toContain('TypeError');
    expect(line).toMatchObject({ level: 50, status: 500, caller: 'ann' });
    const errorLine = await collectedLog.waitForLine(({ msg }) => msg === 'request failed');
    expect(errorLine).toMatchObject({ level: 50, requestId: 'fault', err: { stack: expect.any(String) } });
    await p.client.workflow.getHandle(workflowId).terminate();
  });

  it('distinguishes an aborted request from a completed one', async () => {
    const socket = connect(Number(new URL(p.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = `POST /v1/conversations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${p.apiKey('ann')}\r\n`;
    socket.write(`${head}x-request-id: gone\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"message`);
    // Once a later request is answered, the API has read the headers of this one.
    await p.call('GET', '/v1/session');
    socket.destroy();
    const line = await collectedLog.waitForLine(({ requestId }) => requestId === 'gone');
    expect(line).toMatchObject({ method: 'POST', path: '/v1/conversations', msg: 'request aborted' });
  });

  it('has no lines for health checks and metrics', async () => {
    await sendLogged('after', p.call, 'GET', '/v1/session');
    await p.call('GET', '/healthz', undefined, { 'x-request-id': 'health' });
    await p.call('GET', '/readyz', undefined, { 'x-request-id': 'ready' });
    await sendLogged('later', p.call, 'GET', '/v1/session');
    const loggedIds = collectedLog.lines().map(({ requestId }) => requestId);
    expect(loggedIds).not.toContain('health');
    expect(loggedIds).not.toContain('ready');
  });

  it('contains no key, cookie, answer, comment, message or query, at the finest level', () => {
    const text = collectedLog.text();
    const secrets = { ...SECRETS, cookie, ann: p.apiKey('ann'), bob: p.apiKey('bob') };
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret).not.toBe('');
      expect([name, text.includes(secret)]).toEqual([name, false]);
    }
    // The path of a source file in a stack trace is not a header.
    const withoutPaths = text.replaceAll('middleware/authorization.', '');
    expect(withoutPaths).not.toMatch(/authorization|set-cookie|user-agent/i);
  });
});
