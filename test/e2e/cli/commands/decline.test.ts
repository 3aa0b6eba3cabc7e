import type { Question } from '#contract/question';
import type { ModelScript } from '#models/demo/reply';
import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

/** `lead` delegates to three sub-agents that ask, or to one; every other agent asks once. */
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

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  const agents = { lead: 'subagents: [helper]', helper: '' };
  parley = await startParley({ script, agents });
  env = { PARLEY_URL: parley.url };
});
afterAll(() => parley.stop());

async function waitForQuestions(id: string, count: number): Promise<Question[]> {
  for (;;) {
    const { body } = await parley.call<{ items: Question[] }>('GET', `/v1/questions?conversation=${id}`);
    if (body.items.length === count) return body.items;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

describe('parley decline', () => {
  it('skips the open question, with a reason', async () => {
    const id = await parley.startConversation();
    await parley.waitForQuestion(id);
    const result = await runPiped(['decline', id, '--reason', 'Not mine'], env);
    expect(result).toEqual({ code: 0, out: 'Question skipped. The agent continues.\n', err: '' });
    expect((await parley.waitForStatus(id, 'completed')).status).toBe('completed');
    const { body } = await parley.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    expect(body).toMatchObject({ status: 'declined', outcome: { comment: 'Not mine', via: 'terminal' } });
  });

  it('prints the API’s reply as JSON', async () => {
    const id = await parley.startConversation();
    const { id: question } = await parley.waitForQuestion(id);
    const { code, out } = await runPiped(['decline', id, '--question', question, '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      question: { id: question, status: 'declined' },
      conversation: { id },
    });
  });

  it('finds the question of a sub-agent; names all of them if there are several', async () => {
    const singleId = await parley.startConversation('Ask one', { agent: 'lead' });
    const [question] = await waitForQuestions(singleId, 1);
    const { code, out } = await runPiped(['decline', singleId, '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(out).question).toMatchObject({
      conversationId: question?.conversationId,
      status: 'declined',
    });

    const severalId = await parley.startConversation('Ask three', { agent: 'lead' });
    const all = await waitForQuestions(severalId, 3);
    const refused = await runPiped(['decline', severalId], env);
    expect([refused.code, refused.out]).toEqual([2, '']);
    for (const { conversationId } of all) expect(refused.err).toContain(conversationId);
  });

  it('says so if nothing was asked, or the question is closed', async () => {
    const id = await parley.startConversation();
    await parley.waitForQuestion(id);
    await parley.answer(id, { answer: 'A' });
    await parley.waitForStatus(id, 'completed');
    const late = await runPiped(['decline', id], env);
    expect([late.code, late.out]).toEqual([5, '']);
    expect(late.err).toMatch(/^parley: The question was answered .*\n$/);
    expect((await runPiped(['decline', id, '--question', 'question-9'], env)).code).toBe(4);
  });
});
