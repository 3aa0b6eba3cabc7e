import { createParley } from '#client/parley';
import type { Conversation } from '#contract/conversation';
import type { Operation } from '#contract/operations/operation';
import { OPERATIONS } from '#contract/operations/table';
import { Scope } from '#contract/permissions';
import type { Question } from '#contract/question';
import { type ApiResponse, startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const ALL_BUT_ADMIN = Scope.options.filter((scope) => scope !== 'admin');
const CONVERSATION_OPERATIONS = Object.entries<Operation>(OPERATIONS).filter(([, { path }]) => path.includes('{id}'));
const SCOPED_OPERATIONS = Object.entries<Operation>(OPERATIONS).filter(
  ([, { requiredScopes }]) => requiredScopes !== 'anybody',
);
const SCOPE_CASES = SCOPED_OPERATIONS.flatMap(([id, operation]) =>
  Scope.options.map((scope) => [id, scope, operation] as const),
);

type Reply = ApiResponse<{ code?: string; items?: { id: string; conversationId?: string }[] }>;

describe('keys, scopes and ownership', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
      frontMatter: 'trigger:\n  message: "Hook {{ n }}"',
      keys: {
        owner: ALL_BUT_ADMIN,
        stranger: ALL_BUT_ADMIN,
        viewer: ALL_BUT_ADMIN,
        assignee: ALL_BUT_ADMIN,
        boss: ['admin'],
        maria: ALL_BUT_ADMIN,
        ...Object.fromEntries(Scope.options.map((scope) => [scope.replace(':', '-'), [scope]])),
      },
      env: { PARLEY_RATE_LIMIT: '10000', PARLEY_PEOPLE: 'maria=maria@example.com' },
    });
  });
  afterAll(() => p.stop());

  /** A conversation of `owner` that waits for an answer, visible to everyone named here. */
  async function startParkedConversation(overrides: object = {}): Promise<string> {
    const id = await p.startConversation('Hello', overrides);
    await p.waitForQuestion(id);
    return id;
  }

  /** The call that the operation makes. */
  function call(
    operation: Operation,
    conversation: string,
    { body, headers, query = '' }: { body?: unknown; headers: Record<string, string>; query?: string },
  ): Promise<Reply> {
    const path = operation.path
      .replace('{id}', conversation)
      .replace('{qid}', 'latest')
      .replace('{agent}', p.agent)
      .replace('{name}', p.agent);
    return p.call(operation.method.toUpperCase(), `${path}${query}`, body, headers);
  }

  /**
   * The same call with something that is rejected right after authorization, so that nothing changes and no stream
   * opens.
   */
  async function callInvalid(id: string, operation: Operation, headers: Record<string, string>): Promise<Reply> {
    const tooLong = { n: 'x'.repeat(110_000) };
    const body = operation.body && (id === 'callHook' ? tooLong : { nothing: 'of the kind' });
    const invalidHeaders: Record<string, string> = operation.isResumable ? { 'last-event-id': 'x' } : {};
    const query = id === 'followInbox' ? '?agent=%20' : '';
    return call(operation, await conversationVisibleToAll(), {
      body,
      headers: { ...invalidHeaders, ...headers },
      query,
    });
  }

  const bearer = (name: string) => ({ authorization: `Bearer ${p.apiKey(name)}` });
  let sharedConversation: Promise<string> | undefined;
  const conversationVisibleToAll = () => {
    sharedConversation ??= startParkedConversation({ visibleTo: ['*'], assignees: ['*'] });
    return sharedConversation;
  };

  it.each(SCOPED_OPERATIONS)('reject %s without a key, or with a wrong one', async (id, operation) => {
    for (const authorization of ['', 'Bearer parley_wrong', `Basic ${p.apiKey('boss')}`]) {
      const reply = await callInvalid(id, operation, { authorization });
      expect([reply.status, reply.body.code]).toEqual([401, 'unauthenticated']);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it.each(SCOPE_CASES)('allow %s with the scope %s only if it suffices', async (id, scope, operation) => {
    const { requiredScopes } = operation;
    const isAllowed =
      requiredScopes === 'anybody' ||
      requiredScopes.length === 0 ||
      scope === 'admin' ||
      requiredScopes.includes(scope);
    const reply = await callInvalid(id, operation, bearer(scope.replace(':', '-')));
    // No result was stored, which the reply reveals.
    if (isAllowed && id === 'getResult') expect(reply.body.code).toBe('result_not_found');
    else if (isAllowed) expect([401, 403, 404]).not.toContain(reply.status);
    else expect([reply.status, reply.body.code]).toEqual([403, 'forbidden']);
  });

  it.each(CONVERSATION_OPERATIONS)(
    'do not reveal to %s that another caller has such a conversation',
    async (_id, operation) => {
      const request = { body: operation.body?.example, headers: bearer('stranger') };
      const theirs = await call(operation, await startParkedConversation(), request);
      expect([theirs.status, theirs.body.code]).toEqual([404, 'conversation_not_found']);
      const missing = await call(operation, 'no-such-thing', request);
      expect({ ...missing.body, detail: '' }).toEqual({ ...theirs.body, detail: '' });
    },
  );

  it('let an allowed call do its work, too', async () => {
    const routes = (id: string) => ({
      read: `/v1/conversations/${id}`,
      answer: `/v1/conversations/${id}/questions/latest/answer`,
      say: `/v1/conversations/${id}/messages`,
      cancel: `/v1/conversations/${id}/cancel`,
    });
    const permissions: Record<string, { read: number; act: boolean }> = {
      owner: { read: 200, act: true },
      assignee: { read: 200, act: true },
      viewer: { read: 200, act: false },
      stranger: { read: 404, act: false },
      boss: { read: 200, act: true },
    };
    for (const [name, { read, act }] of Object.entries(permissions)) {
      const id = await startParkedConversation({ visibleTo: ['viewer'], assignees: ['assignee'] });
      const { read: get, answer, say: tell, cancel } = routes(id);
      const callAs = p.callAs(name);
      expect((await callAs('GET', get)).status).toBe(read);
      const expectedStatus = read === 200 ? 403 : 404;
      expect((await callAs('POST', tell, { text: 'More' })).status).toBe(act ? 202 : expectedStatus);
      // The question offers "Other", so the message answered it.
      expect((await callAs('POST', answer, { answer: 'A' })).status).toBe(act ? 409 : expectedStatus);
      await callAs('POST', cancel);
      const after = await p.getConversation(id);
      if (!act) expect(after).toMatchObject({ status: 'waiting_for_input', question: { status: 'pending' } });
    }
  });

  it('record who answered from the key, whatever the request says', async () => {
    const id = await startParkedConversation({ assignees: ['assignee'] });
    const route = `/v1/conversations/${id}/questions/question-1/answer`;
    for (const by of [{ by: 'boss' }, { via: 'slack' }]) {
      expect((await p.callAs('assignee')('POST', route, { answer: 'A', ...by })).status).toBe(400);
    }
    const { body } = await p.callAs('assignee')<{ question: Question }>('POST', route, { answer: 'A' });
    expect(body.question.outcome).toMatchObject({ by: 'assignee', via: 'http' });
    const { body: late } = await p.callAs('owner')('POST', route, { answer: 'B' });
    expect(late.detail).toContain('by assignee');
  });

  it('do not let a message answer for a key that may not', async () => {
    const id = await startParkedConversation({ assignees: ['conversations-write', 'assignee'] });
    const tell = (name: string) => p.callAs(name)('POST', `/v1/conversations/${id}/messages`, { text: 'Hm' });
    expect((await tell('conversations-write')).status).toBe(202);
    expect((await p.getConversation(id)).question).toMatchObject({ id: 'question-1', status: 'pending' });
    expect((await tell('assignee')).status).toBe(202);
    const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    expect(body.outcome).toMatchObject({ answers: { q1: { other: 'Hm' } }, by: 'assignee' });
  });

  it('list to each caller what they may see, and accept no cursor of another', async () => {
    const privateId = await startParkedConversation();
    const publicId = await startParkedConversation({ visibleTo: ['*'] });
    const assigneeId = await startParkedConversation({ assignees: ['assignee'] });
    const seen: Record<string, string[]> = {
      owner: [privateId, publicId, assigneeId],
      assignee: [publicId, assigneeId],
      stranger: [publicId],
      boss: [privateId, publicId, assigneeId],
    };
    for (const [name, ids] of Object.entries(seen)) {
      for (const route of ['/v1/conversations', '/v1/questions']) {
        const listed: string[] = [];
        let cursor = '';
        do {
          const { body } = await p.callAs(name)<{
            items: (Conversation & Question)[];
            nextCursor: string | null;
          }>('GET', `${route}?agent=${p.agent}&limit=2${cursor}`);
          listed.push(...body.items.map((item) => item.conversationId ?? item.id));
          cursor = body.nextCursor ? `&cursor=${body.nextCursor}` : '';
          const other = name === 'stranger' ? 'viewer' : 'stranger';
          if (cursor)
            expect((await p.callAs(other)('GET', `${route}?agent=${p.agent}&limit=2${cursor}`)).status).toBe(400);
        } while (cursor);
        expect([privateId, publicId, assigneeId].filter((id) => listed.includes(id))).toEqual(ids);
        expect(new Set(listed).size).toBe(listed.length);
      }
    }
  });

  it('tell names apart by case, though the index may not, and addresses not', async () => {
    const named = await startParkedConversation({ visibleTo: ['Viewer'] });
    const addressed = await startParkedConversation({ assignees: ['Maria@Example.com'] });
    for (const route of ['/v1/conversations', '/v1/questions']) {
      const list = async (name: string) => {
        const { body } = await p.callAs(name)<{ items: (Conversation & Question)[] }>(
          'GET',
          `${route}?agent=${p.agent}&limit=100`,
        );
        return body.items.map((item) => item.conversationId ?? item.id);
      };
      expect(await list('viewer')).not.toContain(named);
      expect(await list('maria')).toContain(addressed);
    }
    const reply = await p.callAs('maria')('POST', `/v1/conversations/${addressed}/messages`, { text: 'B' });
    expect(reply.status).toBe(202);
  });

  it('show each caller what they may see in the live inbox', async () => {
    const abortController = new AbortController();
    const streamed = async (name: string) => {
      const seen: string[] = [];
      const client = createParley({ url: p.url, key: p.apiKey(name) });
      for await (const event of client.inboxEvents({ agent: p.agent, signal: abortController.signal })) {
        if (event.event === 'snapshot') seen.push(...event.data.items.map((item) => item.conversationId));
        else if (event.event === 'question_pending') seen.push(event.data.conversationId);
        if (seen.includes(last)) return seen;
      }
      return seen;
    };
    const privateId = await startParkedConversation();
    const assigneeId = await startParkedConversation({ assignees: ['assignee'] });
    const last = await startParkedConversation({ visibleTo: ['*'] });
    const [assignee, stranger] = await Promise.all([streamed('assignee'), streamed('stranger')]);
    abortController.abort();
    expect([privateId, assigneeId].filter((id) => assignee.includes(id))).toEqual([assigneeId]);
    expect([privateId, assigneeId].filter((id) => stranger.includes(id))).toEqual([]);
  });

  it('reject lists that are too long to index, and say so', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `somebody.with.a.long.name.${n}@example.com`);
    const reply = await p.call('POST', '/v1/conversations', {
      message: 'Hello',
      agent: p.agent,
      visibleTo: names,
      assignees: names.map((name) => `other.${name}`),
    });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.detail).toContain('1,800 bytes');
    const largest = { message: 'Hello', agent: p.agent, visibleTo: names.slice(0, 40) };
    expect((await p.call('POST', '/v1/conversations', largest)).status).toBe(201);
  });

  it('keep an id, and what was started under it, to its owner', async () => {
    const body = { agent: p.agent, message: 'Hello', id: `shared-${p.agent}` };
    const first = await p.callAs('owner')('POST', '/v1/conversations', body);
    const again = await p.callAs('owner')('POST', '/v1/conversations', body);
    const theirs = await p.callAs('stranger')('POST', '/v1/conversations', body);
    expect([first.status, again.status, theirs.status]).toEqual([201, 200, 409]);
    expect(theirs.body).not.toHaveProperty('links');
  });

  it("reveal nothing of another caller's request through an Idempotency-Key", async () => {
    const body = { agent: p.agent, message: 'Hello' };
    const start = (name: string, message: string) =>
      p.callAs(name)<Conversation>('POST', '/v1/conversations', { ...body, message }, { 'idempotency-key': 'k-1' });
    const own = await start('owner', 'Mine');
    const theirs = await start('stranger', 'Theirs');
    expect([own.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(own.body.id);
    expect((await start('owner', 'Mine')).body.id).toBe(own.body.id);
  });

  it('take readers and assignees from the agent if the start request has none', async () => {
    const otherParley = await startParley({
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
      frontMatter: 'visibleTo: [viewer]\nquestions:\n  assignees: [assignee]',
      keys: {
        owner: ['conversations:write', 'conversations:read'],
        viewer: ['conversations:read'],
        assignee: ALL_BUT_ADMIN,
      },
    });
    try {
      const byAgent = await otherParley.startConversation();
      await otherParley.waitForQuestion(byAgent);
      const statuses = async (id: string) =>
        Promise.all(
          ['viewer', 'assignee'].map(
            async (name) => (await otherParley.callAs(name)('GET', `/v1/conversations/${id}`)).status,
          ),
        );
      expect(await statuses(byAgent)).toEqual([200, 200]);
      expect(await statuses(await otherParley.startConversation('Hello', { visibleTo: [] }))).toEqual([404, 200]);
      const answered = await otherParley.callAs('assignee')(
        'POST',
        `/v1/conversations/${byAgent}/questions/latest/answer`,
        {
          answer: 'A',
        },
      );
      expect(answered.status).toBe(200);
    } finally {
      await otherParley.stop();
    }
  });
});
