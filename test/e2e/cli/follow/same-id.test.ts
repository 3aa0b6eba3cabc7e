import { eventually } from '#test/support/eventually';
import { type Parley, parley } from '#test/support/parley';
import { piped } from '#test/support/piped';
import { ask, say } from '#test/support/scripted-model';

let stage: Parley;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await parley({
    script: (request) => {
      const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
      return turn < 2 ? ask('Which colour?', 'Red', 'Blue') : say('Painted twice.');
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
    const { code, out, err } = await piped(words, env, 'Blue\n');
    expect([code, err]).toEqual([0, expect.not.stringContaining('waits')]);
    expect(out).toContain('Painted twice.');
    if (how === '') expect(out.split('Answered over HTTP: Red')).toHaveLength(3);
  });
});
