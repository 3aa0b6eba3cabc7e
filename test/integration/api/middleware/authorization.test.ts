import { createParley } from '#client/parley';
import type { Conversation } from '#contract/conversation';
import type { Operation } from '#contract/operations/operation';
import { OPERATIONS } from '#contract/operations/table';
import { Scope } from '#contract/permissions';
import type { Question } from '#contract/question';
import { type ApiResponse, startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const ALL_BUT_ADMIN = Scope.options.filter((scope) => scope !== 'admin');
const OF_ONE = Object.entries<Operation>(OPERATIONS).filter(([, { path }]) => path.includes('{id}'));
const SCOPED = Object.entries<Operation>(OPERATIONS).filter(([, { allowed }]) => allowed !== 'anybody');
const SCENES = SCOPED.flatMap(([id, operation]) => Scope.options.map((scope) => [id, scope, operation] as const));

type Told = ApiResponse<{ code?: string; items?: { id: string; conversationId?: string }[] }>;

describe('keys, scopes and ownership', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
      policy: 'trigger:\n  message: "Hook {{ n }}"',
      keys: {
        owner: ALL_BUT_ADMIN,
        stranger: ALL_BUT_ADMIN,
        viewer: ALL_BUT_ADMIN,
        assignee: ALL_BUT_ADMIN,
        boss: ['admin'],
        ...Object.fromEntries(Scope.options.map((scope) => [scope.replace(':', '-'), [scope]])),
      },
      env: { PARLEY_RATE_LIMIT: '10000' },
    });
  });
  afterAll(() => p.stop());

  /** A conversation of `owner` that waits for an answer, shown to everybody who is named. */
  async function parked(more: object = {}): Promise<string> {
    const id = await p.start('Hello', more);
    await p.question(id);
    return id;
  }

  /** The call that the operation makes. */
  function call(
    operation: Operation,
    conversation: string,
    { body, headers, query = '' }: { body?: unknown; headers: Record<string, string>; query?: string },
  ): Promise<Told> {
    const path = operation.path
      .replace('{id}', conversation)
      .replace('{qid}', 'latest')
      .replace('{agent}', p.agent)
      .replace('{name}', p.agent);
    return p.call(operation.method.toUpperCase(), `${path}${query}`, body, headers);
  }

  /** The same with something that is refused right behind the door, so that nothing changes and no stream opens. */
  async function knock(id: string, operation: Operation, headers: Record<string, string>): Promise<Told> {
    const tooLong = { n: 'x'.repeat(110_000) };
    const body = operation.body && (id === 'callHook' ? tooLong : { nothing: 'of the kind' });
    const bad: Record<string, string> = operation.isResumable ? { 'last-event-id': 'x' } : {};
    const query = id === 'followInbox' ? '?agent=%20' : '';
    return call(operation, await shownToAll(), { body, headers: { ...bad, ...headers }, query });
  }

  const bearer = (name: string) => ({ authorization: `Bearer ${p.key(name)}` });
  let shown: Promise<string> | undefined;
  const shownToAll = () => {
    shown ??= parked({ visibleTo: ['*'], assignees: ['*'] });
    return shown;
  };

  it.each(SCOPED)('lets nobody call %s without a key, or with a wrong one', async (id, operation) => {
    for (const authorization of ['', 'Bearer parley_wrong', `Basic ${p.key('boss')}`]) {
      const told = await knock(id, operation, { authorization });
      expect([told.status, told.body.code]).toEqual([401, 'unauthenticated']);
      expect(told.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it.each(SCENES)('calls %s with the scope %s only if that may', async (id, scope, operation) => {
    const { allowed } = operation;
    const may = allowed === 'anybody' || allowed.length === 0 || scope === 'admin' || allowed.includes(scope);
    const told = await knock(id, operation, bearer(scope.replace(':', '-')));
    // No result was kept of it: that much is told.
    if (may && id === 'getResult') expect(told.body.code).toBe('result_not_found');
    else if (may) expect([401, 403, 404]).not.toContain(told.status);
    else expect([told.status, told.body.code]).toEqual([403, 'forbidden']);
  });

  it.each(OF_ONE)('does not show to %s that another has such a conversation', async (_id, operation) => {
    const sent = { body: operation.body?.example, headers: bearer('stranger') };
    const theirs = await call(operation, await parked(), sent);
    expect([theirs.status, theirs.body.code]).toEqual([404, 'conversation_not_found']);
    const missing = await call(operation, 'no-such-thing', sent);
    expect({ ...missing.body, detail: '' }).toEqual({ ...theirs.body, detail: '' });
  });

  it('opens each call that is let through by what it does, too', async () => {
    const routes = (id: string) => ({
      read: `/v1/conversations/${id}`,
      answer: `/v1/conversations/${id}/questions/latest/answer`,
      say: `/v1/conversations/${id}/messages`,
      cancel: `/v1/conversations/${id}/cancel`,
    });
    const may: Record<string, { read: number; act: boolean }> = {
      owner: { read: 200, act: true },
      assignee: { read: 200, act: true },
      viewer: { read: 200, act: false },
      stranger: { read: 404, act: false },
      boss: { read: 200, act: true },
    };
    for (const [name, { read, act }] of Object.entries(may)) {
      const id = await parked({ visibleTo: ['viewer'], assignees: ['assignee'] });
      const { read: get, answer, say: tell, cancel } = routes(id);
      const as = p.as(name);
      expect((await as('GET', get)).status).toBe(read);
      const refused = read === 200 ? 403 : 404;
      expect((await as('POST', tell, { text: 'More' })).status).toBe(act ? 202 : refused);
      // Said while the question offers "Other", that answered it.
      expect((await as('POST', answer, { answer: 'A' })).status).toBe(act ? 409 : refused);
      await as('POST', cancel);
      const after = await p.conversation(id);
      if (!act) expect(after).toMatchObject({ status: 'waiting_for_input', question: { status: 'pending' } });
    }
  });

  it('records who answered from the key, and cannot be told otherwise', async () => {
    const id = await parked({ assignees: ['assignee'] });
    const route = `/v1/conversations/${id}/questions/question-1/answer`;
    for (const by of [{ by: 'boss' }, { via: 'slack' }]) {
      expect((await p.as('assignee')('POST', route, { answer: 'A', ...by })).status).toBe(400);
    }
    const { body } = await p.as('assignee')<{ question: Question }>('POST', route, { answer: 'A' });
    expect(body.question.outcome).toMatchObject({ by: 'assignee', via: 'http' });
    const { body: late } = await p.as('owner')('POST', route, { answer: 'B' });
    expect(late.detail).toContain('by assignee');
  });

  it('does not let a message answer for a key that may not', async () => {
    const id = await parked({ assignees: ['conversations-write', 'assignee'] });
    const tell = (name: string) => p.as(name)('POST', `/v1/conversations/${id}/messages`, { text: 'Hm' });
    expect((await tell('conversations-write')).status).toBe(202);
    expect((await p.conversation(id)).question).toMatchObject({ id: 'question-1', status: 'pending' });
    expect((await tell('assignee')).status).toBe(202);
    const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    expect(body.outcome).toMatchObject({ answers: { q1: { other: 'Hm' } }, by: 'assignee' });
  });

  it('lists to each what they may see, and takes nobody else’s cursor', async () => {
    const secret = await parked();
    const forAll = await parked({ visibleTo: ['*'] });
    const forOne = await parked({ assignees: ['assignee'] });
    const seen: Record<string, string[]> = {
      owner: [secret, forAll, forOne],
      assignee: [forAll, forOne],
      stranger: [forAll],
      boss: [secret, forAll, forOne],
    };
    for (const [name, ids] of Object.entries(seen)) {
      for (const route of ['/v1/conversations', '/v1/questions']) {
        const listed: string[] = [];
        let cursor = '';
        do {
          const { body } = await p.as(name)<{
            items: (Conversation & Question)[];
            nextCursor: string | null;
          }>('GET', `${route}?agent=${p.agent}&limit=2${cursor}`);
          listed.push(...body.items.map((item) => item.conversationId ?? item.id));
          cursor = body.nextCursor ? `&cursor=${body.nextCursor}` : '';
          const other = name === 'stranger' ? 'viewer' : 'stranger';
          if (cursor) expect((await p.as(other)('GET', `${route}?agent=${p.agent}&limit=2${cursor}`)).status).toBe(400);
        } while (cursor);
        expect([secret, forAll, forOne].filter((id) => listed.includes(id))).toEqual(ids);
        expect(new Set(listed).size).toBe(listed.length);
      }
    }
  });

  it('shows to each in the live inbox what they may see', async () => {
    const gone = new AbortController();
    const streamed = async (name: string) => {
      const seen: string[] = [];
      const client = createParley({ url: p.url, key: p.key(name) });
      for await (const event of client.inboxEvents({ agent: p.agent, signal: gone.signal })) {
        if (event.event === 'snapshot') seen.push(...event.data.items.map((item) => item.conversationId));
        else if (event.event === 'question_pending') seen.push(event.data.conversationId);
        if (seen.includes(last)) return seen;
      }
      return seen;
    };
    const secret = await parked();
    const forOne = await parked({ assignees: ['assignee'] });
    const last = await parked({ visibleTo: ['*'] });
    const [assignee, stranger] = await Promise.all([streamed('assignee'), streamed('stranger')]);
    gone.abort();
    expect([secret, forOne].filter((id) => assignee.includes(id))).toEqual([forOne]);
    expect([secret, forOne].filter((id) => stranger.includes(id))).toEqual([]);
  });

  it('refuses lists that are too long to be indexed, and says so', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `somebody.with.a.long.name.${n}@example.com`);
    const told = await p.call('POST', '/v1/conversations', {
      message: 'Hello',
      agent: p.agent,
      visibleTo: names,
      assignees: names.map((name) => `other.${name}`),
    });
    expect([told.status, told.body.code]).toEqual([400, 'invalid_request']);
    expect(told.body.detail).toContain('1,800 bytes');
    const most = { message: 'Hello', agent: p.agent, visibleTo: names.slice(0, 40) };
    expect((await p.call('POST', '/v1/conversations', most)).status).toBe(201);
  });

  it('keeps an id, and what was started under it, to its owner', async () => {
    const body = { agent: p.agent, message: 'Hello', id: `shared-${p.agent}` };
    const first = await p.as('owner')('POST', '/v1/conversations', body);
    const again = await p.as('owner')('POST', '/v1/conversations', body);
    const theirs = await p.as('stranger')('POST', '/v1/conversations', body);
    expect([first.status, again.status, theirs.status]).toEqual([201, 200, 409]);
    expect(theirs.body).not.toHaveProperty('links');
  });

  it('lets one caller’s Idempotency-Key say nothing of another’s', async () => {
    const body = { agent: p.agent, message: 'Hello' };
    const start = (name: string, message: string) =>
      p.as(name)<Conversation>('POST', '/v1/conversations', { ...body, message }, { 'idempotency-key': 'k-1' });
    const mine = await start('owner', 'Mine');
    const theirs = await start('stranger', 'Theirs');
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
    expect((await start('owner', 'Mine')).body.id).toBe(mine.body.id);
  });

  it('takes who may see and answer from the agent where the start does not say', async () => {
    const other = await startParley({
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
      policy: 'visibleTo: [viewer]\nquestions:\n  assignees: [assignee]',
      keys: {
        owner: ['conversations:write', 'conversations:read'],
        viewer: ['conversations:read'],
        assignee: ALL_BUT_ADMIN,
      },
    });
    try {
      const byAgent = await other.start();
      await other.question(byAgent);
      const statuses = async (id: string) =>
        Promise.all(
          ['viewer', 'assignee'].map(async (name) => (await other.as(name)('GET', `/v1/conversations/${id}`)).status),
        );
      expect(await statuses(byAgent)).toEqual([200, 200]);
      expect(await statuses(await other.start('Hello', { visibleTo: [] }))).toEqual([404, 200]);
      const answered = await other.as('assignee')('POST', `/v1/conversations/${byAgent}/questions/latest/answer`, {
        answer: 'A',
      });
      expect(answered.status).toBe(200);
    } finally {
      await other.stop();
    }
  });
});
