import { randomBytes } from 'node:crypto';
import type { Question } from '#contract/question';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { proveContinueAsNew, withEagerContinueAsNewServer } from '#test/support/proofs/continue-as-new';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

const addressOf = withEagerContinueAsNewServer();

/** test/release has 500 of each. */
describe.each([
  ['', 6, undefined],
  [' with a workflow cache of 0', 3, 0],
])('a few runs while people act%s', (_which, wanted, maxCachedWorkflows) =>
  proveContinueAsNew(addressOf, wanted, maxCachedWorkflows),
);

describe('a conversation that continues as new', () => {
  let p: TestParley;
  afterEach(() => p.stop());
  const handleOf = (id: string) => p.client.workflow.getHandle(id);
  const runOf = async (id: string) => (await handleOf(id).describe()).runId;
  const junk = (id: string, times: number) =>
    Promise.all(Array.from({ length: times }, () => handleOf(id).signal('answerQuestion', null)));

  it('while parked reminds once, and expires on time', async () => {
    p = await startParley({
      address: addressOf(),
      frontMatter: 'questions: { timeout: 13s, remind: [10s] }',
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
    });
    const id = await p.startConversation();
    const { expiresAt, askedAt } = await p.waitForQuestion(id);
    const runs = new Set([await runOf(id)]);
    while (runs.size < 3) {
      await junk(id, 5);
      runs.add(await runOf(id));
    }
    expect((await p.waitForQuestion(id)).expiresAt).toBe(expiresAt);
    await p.waitForStatus(id, 'completed');
    const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    expect(body.notices.map(({ what }) => what)).toEqual(['reminder 1 of 1']);
    expect(body).toMatchObject({ status: 'timed_out', expiresAt });
    expect(Date.parse(body.notices[0]?.at ?? '') - Date.parse(askedAt)).toBeGreaterThanOrEqual(10_000);
    expect(Date.parse(body.outcome?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(expiresAt ?? ''));
  });

  it('waits for an open sub-agent, whose result would go to the previous run', async () => {
    const scout = `scout-${randomBytes(4).toString('hex')}`;
    p = await startParley({
      address: addressOf(),
      frontMatter: `subagents: [${scout}]`,
      agents: { [scout]: '' },
      script: (request) => {
        const [result] = lastToolResults(request);
        if (result) return replyWithText(`heard ${result.text}`);
        const isScout = JSON.stringify(request.body.system).includes(`You are ${scout}.`);
        return isScout
          ? replyWithQuestion('Which?', 'A', 'B')
          : replyWithToolCalls({ name: 'delegate', input: { agent: scout, task: 'Look' } });
      },
    });
    const id = await p.startConversation();
    const asked = await eventually(async () => {
      const { body } = await p.call<{ items: Question[] }>('GET', `/v1/questions?agent=${scout}`);
      expect(body.items).toHaveLength(1);
      return body.items[0] as Question;
    });
    const run = await runOf(id);
    await junk(id, 40);
    await eventually(async () => expect((await handleOf(id).describe()).historyLength).toBeGreaterThan(45));
    expect(await runOf(id)).toBe(run);
    expect((await p.answer(asked.conversationId, { answer: 'A' })).status).toBe(200);
    const { result } = await p.waitForStatus(id, 'completed');
    expect(result).toContain('A');
    expect(await runOf(id)).not.toBe(run);
  });
});
