import type { Question } from '#contract/question';
import type { ModelScript } from '#models/demo/reply';
import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

/** `lead` delegates to three that ask, or to one; whoever else is asked asks once. */
const script: ModelScript = (request) => {
  if (lastToolResults(request).length > 0) return replyWithText('done');
  const [first] = request.body.messages;
  if (JSON.stringify(first).includes('Ask three')) {
    const task = (name: string) => ({ name: 'delegate', input: { agent: 'helper', task: name } });
    return replyWithToolCalls(task('One'), task('Two'), task('Three'));
  }
  if (JSON.stringify(first).includes('Ask one'))
    return replyWithToolCalls({ name: 'delegate', input: { agent: 'helper', task: 'One' } });
  return replyWithQuestion('Which?', 'A', 'B');
};

let stage: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  const agents = { lead: 'subagents: [helper]', helper: '' };
  stage = await startParley({ script, agents });
  env = { PARLEY_URL: stage.url };
});
afterAll(() => stage.stop());

async function waitingFor(id: string, count: number): Promise<Question[]> {
  for (;;) {
    const { body } = await stage.call<{ items: Question[] }>('GET', `/v1/questions?conversation=${id}`);
    if (body.items.length === count) return body.items;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

describe('parley decline', () => {
  it('declines what is open, with a reason', async () => {
    const id = await stage.start();
    await stage.question(id);
    const said = await runPiped(['decline', id, '--reason', 'Not mine'], env);
    expect(said).toEqual({ code: 0, out: 'Declined. The agent hears so, and goes on.\n', err: '' });
    expect((await stage.until(id, 'completed')).status).toBe('completed');
    const { body } = await stage.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    expect(body).toMatchObject({ status: 'declined', outcome: { comment: 'Not mine', via: 'terminal' } });
  });

  it('gives a program what the API said', async () => {
    const id = await stage.start();
    const { id: question } = await stage.question(id);
    const { code, out } = await runPiped(['decline', id, '--question', question, '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      question: { id: question, status: 'declined' },
      conversation: { id },
    });
  });

  it('finds the question of a sub-agent, and does not choose between several: it names them all', async () => {
    const one = await stage.start('Ask one', { agent: 'lead' });
    const [asked] = await waitingFor(one, 1);
    const { code, out } = await runPiped(['decline', one, '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(out).question).toMatchObject({
      conversationId: asked?.conversationId,
      status: 'declined',
    });

    const three = await stage.start('Ask three', { agent: 'lead' });
    const all = await waitingFor(three, 3);
    const refused = await runPiped(['decline', three], env);
    expect([refused.code, refused.out]).toEqual([2, '']);
    for (const { conversationId } of all) expect(refused.err).toContain(conversationId);
  });

  it('says so where nothing was asked, and where it is settled', async () => {
    const id = await stage.start();
    await stage.question(id);
    await stage.answer(id, { answer: 'A' });
    await stage.until(id, 'completed');
    const late = await runPiped(['decline', id], env);
    expect([late.code, late.out]).toEqual([5, '']);
    expect(late.err).toMatch(/^parley: The question was answered .*\n$/);
    expect((await runPiped(['decline', id, '--question', 'question-9'], env)).code).toBe(4);
  });
});
