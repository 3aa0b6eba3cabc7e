import { verifyAnswerLinkToken } from '#channels/answer-link-token';
import { createParley } from '#client/parley';
import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import type { AnswerLink, RevokedLinks } from '#contract/responses';
import {
  ANSWER_PAGE_SECRET,
  type AnswerPageFixture,
  openAnswerPage,
  sendAnswerForm,
  startAnswerPageFixture,
  visibleTextOf,
} from '#test/support/api/answer-page';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { readFirstMessage } from '#test/support/web/web-fixture';

describe('answer links', () => {
  let fixture: AnswerPageFixture;
  beforeAll(async () => {
    fixture = await startAnswerPageFixture({
      keys: {
        ann: ['conversations:write', 'conversations:read', 'questions:answer'],
        maria: ['questions:answer'],
        viewer: ['questions:answer'],
        stranger: ['questions:answer'],
        reader: ['conversations:read'],
      },
      frontMatter: 'questions: { assignees: [maria] }\nvisibleTo: [viewer, reader]',
      env: { PARLEY_PEOPLE: 'lee=lee@example.com' },
      script: (request) => {
        if (lastToolResults(request).length > 0) return replyWithText('done');
        const question = { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] };
        const policy = readFirstMessage(request) === 'brief' ? { timeout: '1s' } : {};
        return replyWithToolCalls({ name: 'ask_user_question', input: { questions: [question], ...policy } });
      },
    });
  });
  afterAll(() => fixture.stop());

  const linksRoute = ({ conversationId, id }: Question, qid = id) =>
    `/v1/conversations/${conversationId}/questions/${qid}/links`;
  const createLink = <T = AnswerLink>(question: Question, person: unknown, name = 'ann') =>
    fixture.callAs(name)<T>('POST', linksRoute(question), { person });
  const revokeLinks = <T = RevokedLinks>(question: Question, person?: string, headers = {}, name = 'ann') =>
    fixture.callAs(name)<T>(
      'DELETE',
      linksRoute(question) + (person ? `?person=${encodeURIComponent(person)}` : ''),
      undefined,
      headers,
    );

  it('let someone without a key answer', async () => {
    const question = await fixture.askQuestion('Hello');
    const { status, body } = await createLink(question, 'kim@example.org');
    expect(status).toBe(201);
    expect(body).toEqual({
      url: expect.stringContaining(`${fixture.url}/a/`),
      person: 'kim@example.org',
      expiresAt: question.expiresAt,
    });
    expect(verifyAnswerLinkToken(ANSWER_PAGE_SECRET, body.url.slice(`${fixture.url}/a/`.length))).toEqual({
      conversationId: question.conversationId,
      questionId: 'question-1',
      person: 'kim@example.org',
      expiresAt: Date.parse(question.expiresAt ?? ''),
      grant: { by: 'ann' },
    });
    expect((await sendAnswerForm(body.url, { q1: 'A' })).status).toBe(200);
    const { body: resolved } = await fixture.call<Question>('GET', linksRoute(question).replace(/\/links$/, ''));
    expect(resolved.outcome).toMatchObject({ by: 'kim@example.org (invited by ann)', via: 'link' });
  });

  it('are the same on repeat, also for the latest question, and by the name of the person with that address', async () => {
    const question = await fixture.askQuestion('Hello');
    const first = await createLink(question, 'lee');
    const again = await fixture.call<AnswerLink>('POST', linksRoute(question, 'latest'), {
      person: 'Lee@Example.com',
    });
    expect(again.body).toEqual(first.body);
  });

  it.each([
    ['a person who may only see the conversation', 'viewer', 403, 'forbidden'],
    ['a person who may not see it', 'stranger', 404, 'conversation_not_found'],
    ['a key that may not answer', 'reader', 403, 'forbidden'],
  ])('can neither be created nor revoked by %s', async (_who, name, status, code) => {
    const question = await fixture.askQuestion('Hello');
    const [created, revoked] = [
      await createLink<Problem>(question, 'kim', name),
      await revokeLinks<Problem>(question, undefined, {}, name),
    ];
    for (const reply of [created, revoked]) expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('can be created and revoked by an assignee', async () => {
    const question = await fixture.askQuestion('Hello');
    expect((await createLink(question, 'kim', 'maria')).status).toBe(201);
    expect((await revokeLinks(question, 'kim', {}, 'maria')).status).toBe(200);
  });

  it.each([undefined, '', '*', 'two words', '@example.com', '<x>', 'x'.repeat(300), 7])(
    'reject %j as the name of a person',
    async (person) => {
      const question = await fixture.askQuestion('Hello');
      const { status, body } = await createLink<Problem>(question, person);
      expect([status, body.errors?.[0]?.path]).toEqual([400, 'person']);
      if (typeof person === 'string' && person) expect((await revokeLinks(question, person)).status).toBe(400);
    },
  );

  it('cannot be created for a closed question, and say how it closed', async () => {
    const question = await fixture.askQuestion('Hello');
    await fixture.answer(question.conversationId, { answer: 'A' });
    for (const reply of [await createLink<Problem>(question, 'kim'), await revokeLinks<Problem>(question)]) {
      expect([reply.status, reply.body.code]).toEqual([409, 'question_answered']);
      expect(reply.body.question?.outcome?.by).toBe('ann');
    }
    const timedOut = await fixture.askAndTimeOut('brief');
    expect((await createLink<Problem>(timedOut, 'kim')).body.code).toBe('question_timed_out');
    expect((await fixture.call<Problem>('POST', linksRoute(timedOut, 'question-9'), { person: 'kim' })).body.code).toBe(
      'question_not_found',
    );
  });

  it('can be revoked for one person, and for everyone', async () => {
    const question = await fixture.askQuestion('Hello');
    const urls: Record<string, string> = Object.fromEntries(
      await Promise.all(
        ['kim', 'lee', 'maria'].map(async (name) => [name, (await createLink(question, name)).body.url]),
      ),
    );
    const { status, body } = await revokeLinks(question, 'kim');
    expect([status, body]).toEqual([
      200,
      { conversationId: question.conversationId, questionId: 'question-1', person: 'kim' },
    ]);
    const statuses = () => Promise.all(Object.values(urls).map(async (url) => (await openAnswerPage(url)).status));
    expect(await statuses()).toEqual([410, 200, 200]);
    expect((await revokeLinks(question, 'lee@example.com')).body.person).toBe('lee');
    expect(await statuses()).toEqual([410, 410, 200]);
    expect((await revokeLinks(question)).body.person).toBeNull();
    expect(await statuses()).toEqual([410, 410, 410]);
    expect((await fixture.getConversation(question.conversationId)).question?.status).toBe('pending');
    expect((await createLink<Problem>(question, 'somebody')).body.code).toBe('link_revoked');
  });

  it('are never created if they would not work', async () => {
    const question = await fixture.askQuestion('Hello');
    await revokeLinks(question, 'kim');
    const { status, body } = await createLink<Problem>(question, 'kim');
    expect([status, body.code]).toEqual([409, 'link_revoked']);
    expect((await createLink(question, 'lee')).status).toBe(201);
  });

  it('are created with an Idempotency-Key, which is bound to one request', async () => {
    const question = await fixture.askQuestion('Hello');
    const headers = { 'idempotency-key': `take-${question.conversationId}` };
    const first = await revokeLinks(question, 'kim', headers);
    const { historyLength } = await fixture.client.workflow.getHandle(question.conversationId).describe();
    const again = await revokeLinks(question, 'kim', headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await fixture.client.workflow.getHandle(question.conversationId).describe()).historyLength).toBe(
      historyLength,
    );
    expect((await revokeLinks<Problem>(question, 'lee', headers)).body.code).toBe('idempotency_conflict');
  });

  it('are part of the client', async () => {
    const client = createParley({ url: fixture.url, key: fixture.apiKey('ann') });
    const { conversationId } = await fixture.askQuestion('Hello');
    const { url, person } = await client.createLink(conversationId, { person: 'kim', question: 'question-1' });
    expect([person, visibleTextOf(await openAnswerPage(url))]).toEqual(['kim', expect.stringContaining('Send answer')]);
    expect(await client.revokeLinks(conversationId, { person: 'kim' })).toMatchObject({
      questionId: 'question-1',
      person: 'kim',
    });
    expect((await openAnswerPage(url)).status).toBe(410);
    expect((await client.revokeLinks(conversationId)).person).toBeNull();
  });

  it('stay valid until a worker processes the revocation, and the reply says so', async () => {
    const question = await fixture.askQuestion('Hello');
    const { url } = (await createLink(question, 'kim')).body;
    await fixture.stopWorker();
    expect((await revokeLinks(question, 'kim')).status).toBe(202);
    expect((await openAnswerPage(url)).status).toBe(200);
    await fixture.startWorker();
    while ((await openAnswerPage(url)).status !== 410) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
