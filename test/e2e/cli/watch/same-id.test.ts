import { runPiped } from '#test/support/cli/run-cli';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithQuestion, replyWithText } from '#test/support/scripted-model';

let stage: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await startParley({
    script: (request) => {
      const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
      return turn < 2 ? replyWithQuestion('Which colour?', 'Red', 'Blue') : replyWithText('Painted twice.');
    },
  });
  env = { PARLEY_URL: stage.url };
});
afterAll(() => stage.stop());

describe('a conversation that was there before it was started', () => {
  it.each(['', '--no-input', '--json', '--events'])('asks nothing that is settled %s', async (how) => {
    const id = `${stage.agent}-asked${how}`;
    await stage.start('Ask', { id });
    for (const asked of ['question-1', 'question-2']) {
      await eventually(async () => expect((await stage.question(id)).id).toBe(asked));
      await stage.answer(id, { answer: 'Red' }, asked);
    }
    await stage.until(id, 'completed');
    const words = ['start', stage.agent, 'Ask', '--id', id, ...(how ? [how] : [])];
    const { code, out, err } = await runPiped(words, env, 'Blue\n');
    expect([code, err]).toEqual([0, expect.not.stringContaining('waits')]);
    expect(out).toContain('Painted twice.');
    if (how === '') expect(out.split('Answered over HTTP: Red')).toHaveLength(3);
  });
});
