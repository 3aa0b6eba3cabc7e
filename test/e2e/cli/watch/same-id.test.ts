import { runPiped } from '#test/support/cli/run-cli';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithQuestion, replyWithText } from '#test/support/scripted-model';

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley({
    script: (request) => {
      const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
      return turn < 2 ? replyWithQuestion('Which colour?', 'Red', 'Blue') : replyWithText('Painted twice.');
    },
  });
  env = { PARLEY_URL: parley.url };
});
afterAll(() => parley.stop());

describe('a conversation that exists before it is started', () => {
  it.each(['', '--no-input', '--json', '--events'])('asks nothing that is closed %s', async (flag) => {
    const id = `${parley.agent}-asked${flag}`;
    await parley.startConversation('Ask', { id });
    for (const questionId of ['question-1', 'question-2']) {
      await eventually(async () => expect((await parley.waitForQuestion(id)).id).toBe(questionId));
      await parley.answer(id, { answer: 'Red' }, questionId);
    }
    await parley.waitForStatus(id, 'completed');
    const args = ['start', parley.agent, 'Ask', '--id', id, ...(flag ? [flag] : [])];
    const { code, out, err } = await runPiped(args, env, 'Blue\n');
    expect([code, err]).toEqual([0, expect.not.stringContaining('waits')]);
    expect(out).toContain('Painted twice.');
    if (flag === '') expect(out.split('Answered over HTTP: Red')).toHaveLength(3);
  });
});
