import type { Problem } from '#contract/problem';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const order = {
  question: 'Which order?',
  schema: { type: 'string', pattern: '^PO-\\pL{2}\\d{4}$', maxLength: 20 },
};
const many = { question: 'How many?', schema: { type: 'integer', minimum: 1, maximum: 10 }, default: 2 };
const days = { question: 'When?', schema: { type: 'array', items: { enum: ['Mon', 'Tue'] } } };
const good = { q1: 'PO-äß0042', q2: 3, q3: ['Tue'] };

describe('a question with schemas', () => {
  let p: TestParley;
  afterEach(() => p.stop());

  it.each([undefined, 0])(
    'accepts only valid values, at the API and in the workflow alike (cache of %s)',
    async (maxCachedWorkflows) => {
      p = await startParley({
        maxCachedWorkflows,
        replies: [replyWithQuestion([order, many, days]), replyWithText('done')],
      });
      const id = await p.startConversation();
      const { fields } = await p.waitForQuestion(id);
      expect(fields.map(({ schema, allowOther }) => [schema, allowOther])).toEqual(
        [order, many, days].map(({ schema }) => [schema, false]),
      );

      const refused = await p.answer<Problem>(id, { answers: { q1: 'PO-1', q2: '3', q3: ['Wed'] } });
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_answer']);
      expect(refused.body.errors).toEqual([
        { path: 'answers.q1', message: 'must match the pattern ^PO-\\pL{2}\\d{4}$' },
        {
          path: 'answers.q2',
          message: 'must be a whole number from 1 to 10, without quotes',
        },
        { path: 'answers.q3', message: '"Wed" is not one of the choices', allowed: ['Mon', 'Tue'] },
      ]);

      await p.client.workflow.getHandle(id).signal('answerQuestion', { answers: { ...good, q1: 'PO-1' } });
      await p.client.workflow.getHandle(id).query('getState');
      expect((await p.getConversation(id)).status).toBe('waiting_for_input');

      expect((await p.answer(id, { answers: good })).status).toBe(200);
      await p.waitForStatus(id, 'completed');
      const [result] = lastToolResults(await p.model.waitForRequest(1));
      expect(JSON.parse(result?.text ?? '')).toEqual({
        answers: { 'Which order?': good.q1, 'How many?': good.q2, 'When?': good.q3 },
      });
      p.model.expectAllRepliesUsed();
    },
  );

  it('accepts a valid message as its answer, and keeps an invalid one for the model', async () => {
    p = await startParley({ replies: [replyWithQuestion(order), replyWithText('done')] });
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Which do you mean?' });
    expect((await p.getConversation(id)).status).toBe('waiting_for_input');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: good.q1 });
    await p.waitForStatus(id, 'completed');
    const [result] = lastToolResults(await p.model.waitForRequest(1));
    expect(JSON.parse(result?.text ?? '')).toEqual({ answers: { 'Which order?': good.q1 } });
    expect(JSON.stringify((await p.model.waitForRequest(1)).body.messages)).toContain('Which do you mean?');
    p.model.expectAllRepliesUsed();
  });
});
