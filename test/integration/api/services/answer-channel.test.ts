import { createParley } from '#client/parley';
import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

/** Each way to close an open question, and its request. */
const RESOLUTIONS: [string, (id: string) => string, object][] = [
  ['an answer', (id) => `/v1/conversations/${id}/questions/latest/answer`, { answer: 'Blue' }],
  ['a decline', (id) => `/v1/conversations/${id}/questions/latest/decline`, { reason: 'No' }],
  ['a message', (id) => `/v1/conversations/${id}/messages`, { text: 'Blue' }],
  ['a cancel', (id) => `/v1/conversations/${id}/cancel`, { reason: 'Enough' }],
];

describe('the channel of a request', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script: (request) => (lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?')),
      keys: { ann: ['admin'] },
    });
  });
  afterAll(() => p.stop());

  async function startParkedConversation(): Promise<string> {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    return id;
  }
  /** Returns the outcome once the workflow has closed the question. */
  async function waitForOutcome(id: string): Promise<Question['outcome']> {
    for (;;) {
      const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
      if (body.outcome) return body.outcome;
    }
  }

  describe.each(RESOLUTIONS)('by %s', (_what, route, body) => {
    it.each([
      ['web', { 'x-parley-channel': 'web' }],
      ['terminal', { 'X-Parley-Channel': 'terminal' }],
      ['http', {}],
    ])('is recorded as %s', async (via, headers) => {
      const id = await startParkedConversation();
      const { status } = await p.call('POST', route(id), body, headers as Record<string, string>);
      expect([200, 202]).toContain(status);
      expect(await waitForOutcome(id)).toMatchObject({ by: 'ann', via });
    });

    it.each(['Web', 'temporal', 'slack', '', 'web, terminal'])('is rejected if it is %j', async (channel) => {
      const id = await startParkedConversation();
      const refused = await p.call<Problem>('POST', route(id), body, { 'x-parley-channel': channel });
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
      expect(refused.body.detail).toContain('X-Parley-Channel must be one of: web, terminal');
      expect(refused.body.errors).toMatchObject([{ allowed: ['web', 'terminal'] }]);
      expect((await p.getConversation(id)).status).toBe('waiting_for_input');
    });

    it('does not make a repeat a different request', async () => {
      const id = await startParkedConversation();
      const send = (channel: string) =>
        p.call('POST', route(id), body, { 'idempotency-key': 'same', 'x-parley-channel': channel });
      const first = await send('web');
      await waitForOutcome(id);
      const again = await send('terminal');
      expect(again.status).toBe(first.status);
      expect(await waitForOutcome(id)).toMatchObject({ via: 'web' });
    });
  });

  it('is sent by the typed client if it is configured', async () => {
    const id = await startParkedConversation();
    const web = createParley({ url: p.url, key: p.apiKey('ann'), channel: 'web' });
    const { question } = await web.answer(id, { answer: 'Blue' });
    expect(question.outcome).toMatchObject({ via: 'web', by: 'ann' });
  });
});
