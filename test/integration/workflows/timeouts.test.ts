import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { startTimeSkippingServer } from '#test/support/temporal/time-skipping-server';

/** The first message is the input of the question; the result is what the model read about it. */
const askAsTold: NonNullable<Parameters<typeof startParley>[0]>['script'] = (request) => {
  const [heard] = lastToolResults(request);
  if (heard) return replyWithText(`${heard.isError ? 'error ' : ''}${heard.text}`);
  const [first] = request.body.messages;
  const [{ text } = { text: '{}' }] = (first?.content ?? []) as { text: string }[];
  return replyWithToolCalls({ name: 'ask_user_question', input: JSON.parse(text) });
};

const HOUR = 3_600_000;

/** Days pass in a second here. Tests run one at a time, because they share the clock. */
describe('a question without an answer', () => {
  let env: TestWorkflowEnvironment;
  let p: TestParley;
  beforeAll(async () => {
    env = await startTimeSkippingServer();
    p = await startParley({ script: askAsTold, address: env.address });
  });
  afterAll(async () => {
    await p.stop();
    await env.teardown();
  });

  async function outcome(
    input: object,
    more = {},
  ): Promise<{ conversation: Conversation; question: Question; entries: TimelineEntry[] }> {
    const fields = {
      questions: [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], default: 'B' }],
      ...input,
    };
    const id = await p.startConversation(JSON.stringify(fields), more);
    await p.waitForStatus(id, 'waiting_for_input');
    await env.client.workflow.getHandle(id).result();
    const conversation = await p.getConversation(id);
    const { body } = await p.call<{ items: Question[] }>('GET', `/v1/conversations/${id}/questions`);
    const timeline = await p.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${id}/timeline`);
    return { conversation, question: body.items[0] as Question, entries: timeline.body.items };
  }

  const waited = (question: Question) => Date.parse(question.outcome?.at ?? '') - Date.parse(question.askedAt);

  it.each([
    ['1h', HOUR],
    ['24h', 24 * HOUR],
    ['30d', 30 * 24 * HOUR],
  ])('expires after %s, and the model is told that there was no answer, not a no', async (timeout, ms) => {
    const { conversation, question } = await outcome({ timeout });
    expect(question).toMatchObject({
      status: 'timed_out',
      onTimeout: 'continue',
      outcome: { at: expect.any(String) },
    });
    expect(question.outcome?.answers).toBeUndefined();
    expect(waited(question)).toBeGreaterThanOrEqual(ms);
    expect(waited(question)).toBeLessThan(ms + 60_000);
    expect(conversation.status).toBe('completed');
    expect(JSON.parse(conversation.result ?? '')).toEqual({
      outcome: 'timed_out',
      message: expect.stringContaining('No answer in time'),
    });
  });

  it.each(['1h', '24h', '30d'])('uses its default after %s under that policy, and is marked so', async (timeout) => {
    const { conversation, question } = await outcome({ timeout, onTimeout: 'default' });
    expect(question).toMatchObject({
      status: 'timed_out',
      outcome: { answers: { q1: 'B' }, defaulted: true },
    });
    expect(JSON.parse(conversation.result ?? '')).toMatchObject({
      answers: { 'Which?': 'B' },
      outcome: 'timed_out',
      defaulted: true,
    });
  });

  it.each(['1h', '24h', '30d'])('fails the conversation after %s under that policy', async (timeout) => {
    const { conversation, question } = await outcome({ timeout, onTimeout: 'fail' });
    expect(question.status).toBe('timed_out');
    expect(conversation).toMatchObject({
      status: 'failed',
      result: null,
      error: { code: 'question_timed_out' },
    });
  });

  it('stays open under that policy, and accepts an answer after a year', async () => {
    const id = await p.startConversation(
      JSON.stringify({ questions: [{ question: 'Which?' }], timeout: '1h', onTimeout: 'wait' }),
    );
    const { question } = await p.waitForStatus(id, 'waiting_for_input');
    expect(question).toMatchObject({ expiresAt: null, onTimeout: 'wait' });
    await env.sleep('365 days');
    expect((await p.answer(id, { answer: 'Now' })).status).toBe(200);
    expect((await p.waitForStatus(id, 'completed')).result).toContain('Now');
  });

  it('waits 24 hours by default', async () => {
    const { question } = await outcome({});
    expect(waited(question)).toBeGreaterThanOrEqual(24 * HOUR);
  });

  it("follows the start request's policy if the call has none", async () => {
    const { conversation, question } = await outcome({}, { question: { timeout: '2h', onTimeout: 'fail' } });
    expect(waited(question)).toBeLessThan(3 * HOUR);
    expect(conversation.status).toBe('failed');
  });

  it('resumes after it failed the conversation', async () => {
    const { conversation } = await outcome({ timeout: '1h', onTimeout: 'fail' });
    const { status } = await p.call('POST', `/v1/conversations/${conversation.id}/messages`, {
      text: 'Take A.',
    });
    expect(status).toBe(202);
    expect((await p.waitForStatus(conversation.id, 'completed')).result).toContain('timed_out');
  });
});
