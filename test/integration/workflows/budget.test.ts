import { randomBytes } from 'node:crypto';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

const suffix = randomBytes(4).toString('hex');
const [second, third, fourth] = [`second-${suffix}`, `third-${suffix}`, `fourth-${suffix}`];
/** Every call costs $0.003. */
const usage = { input_tokens: 1_000, output_tokens: 100 };

const agentOf = ({ body }: ModelRequest) => /You are ([\w-]+)\./.exec(JSON.stringify(body.system))?.[1] ?? '';
const twice = (agent: string) =>
  replyWithToolCalls(...['one', 'two'].map((task) => ({ name: 'delegate', input: { agent, task } })));

/** Each agent delegates to two of the next level, then is done: 1 + 2 + 4 + 8 agents, which make 22 calls. */
function playTree(request: ModelRequest): ScriptedReply {
  const below: Record<string, string | undefined> = { [second]: third, [third]: fourth, [fourth]: undefined };
  const who = agentOf(request);
  const next = who in below ? below[who] : second;
  const reply = next && lastToolResults(request).length === 0 ? twice(next) : replyWithText('done');
  // Long enough for calls to overlap, if they were made at the same time.
  return { ...reply, usage, delayMs: 50 };
}

const tree = {
  frontMatter: `subagents: [${second}]`,
  agents: { [second]: `subagents: [${third}]`, [third]: `subagents: [${fourth}]`, [fourth]: '' },
  script: playTree,
};

describe('a budget', () => {
  let p: TestParley;
  afterEach(() => p.stop());
  const start = async (body: object) => {
    const response = await p.call<Conversation & { errors: { path: string; message: string }[] }>(
      'POST',
      '/v1/conversations',
      { agent: p.agent, message: 'Go', ...body },
    );
    return { ...response.body, status: response.status };
  };
  const inbox = async (root: string) =>
    (await p.call<{ items: Question[] }>('GET', `/v1/questions?conversation=${root}`)).body.items;

  it('of a tree of agents four deep is overrun by one call at most, and asked about once', async () => {
    p = await startParley(tree);
    const { id } = await start({ budget: { usd: 0.0315 } });
    const question = await p.waitForQuestion(id);
    expect(question.fields[0]?.question).toBe('$0.033 spent. Continue with another $0.032?');
    expect((await inbox(id)).map((one) => one.conversationId)).toEqual([id]);
    expect(p.model.requests).toHaveLength(11);
    await p.answer(id, { answer: 'Yes, proceed' });
    const done = await p.waitForStatus(id, 'completed');
    expect(done).toMatchObject({
      questionsAsked: 1,
      usage: { modelCalls: 2, cost: 0.006 },
      budget: { spent: { usd: 0.066, calls: 22, tokens: 24_200 } },
    });
    expect(p.model.requests).toHaveLength(22);
  });

  it('lets calls run side by side while they cannot reach it together', async () => {
    p = await startParley(tree);
    const { id } = await start({ budget: { usd: 100, calls: 22 } });
    await p.waitForStatus(id, 'completed');
    const { requests } = p.model;
    const fastest = requests.filter((request, index) => (requests[index + 1]?.arrivedAt ?? 0) - request.arrivedAt < 50);
    expect(fastest.length).toBeGreaterThan(4);
  });

  it('ends the whole tree after a no, and asks again after a message', async () => {
    p = await startParley(tree);
    const { id } = await start({ budget: { calls: 4 } });
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'No, cancel' });
    const { error } = await p.waitForStatus(id, 'failed');
    expect(error).toMatchObject({ code: 'budget_reached', message: expect.stringContaining('4 model calls spent') });
    for (;;) {
      const { body } = await p.call<{ items: Conversation[] }>(
        'GET',
        `/v1/conversations?agent=${second}&status=running`,
      );
      if (!body.items.some(({ parent }) => parent?.conversationId === id)) break;
    }
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
    await p.waitForQuestion(id, 'question-2');
    expect(p.model.requests).toHaveLength(4);
  });

  it('ends the tree if no one answers before the deadline, while sub-agents wait', async () => {
    p = await startParley({ ...tree, frontMatter: `${tree.frontMatter}\nquestions: { timeout: 1s, notify: [log] }` });
    const { id } = await start({ budget: { calls: 4 } });
    const { error, usage: used } = await p.waitForStatus(id, 'failed');
    expect([error?.code, used.modelCalls]).toEqual(['budget_reached', 1]);
    const { body } = await p.call<{ items: Question[] }>('GET', `/v1/conversations/${id}/questions`);
    expect(body.items).toMatchObject([{ status: 'timed_out', notices: [{ channel: 'log', what: 'asked' }] }]);
  });

  it('is freed by a sub-agent that is terminated during its call', async () => {
    const { hold } = createLatch();
    let held = '';
    p = await startParley({
      ...tree,
      agents: { [second]: '' },
      ownWorker: true,
      script: (request) => {
        if (agentOf(request) !== second)
          return { ...(lastToolResults(request).length > 0 ? replyWithText('led') : twice(second)), usage };
        held ||= JSON.stringify(request.body.messages);
        return { ...replyWithText('done'), usage, ...(JSON.stringify(request.body.messages) === held ? { hold } : {}) };
      },
    });
    const { id } = await start({ budget: { usd: 0.01 } });
    await p.model.waitForRequest(1);
    const { body } = await p.call<{ items: Conversation[] }>('GET', `/v1/conversations?agent=${second}&limit=100`);
    const own = body.items.filter(({ parent }) => parent?.conversationId === id);
    const calling = own.find(({ title }) => held.includes(title));
    await p.client.workflow.getHandle(calling?.id ?? '').terminate();
    expect(await p.waitForStatus(id, 'completed')).toMatchObject({ result: 'led', budget: { spent: { calls: 3 } } });
  });

  it('is freed by a sub-agent that is terminated during its call together with its parent', async () => {
    const { hold } = createLatch();
    // Listed by its name, so no other test has it.
    const digger = `digger-${suffix}`;
    let isHeld = false;
    p = await startParley({
      frontMatter: `subagents: [${second}]`,
      agents: { [second]: `subagents: [${digger}]`, [digger]: '' },
      ownWorker: true,
      script: (request) => {
        const who = agentOf(request);
        if (who === digger && !isHeld) {
          isHeld = true;
          return { ...replyWithText('never'), usage, hold };
        }
        if (who === digger || lastToolResults(request).length > 0) return { ...replyWithText('done'), usage };
        if (who !== second) return { ...twice(second), usage };
        return { ...replyWithToolCalls({ name: 'delegate', input: { agent: digger, task: 'dig' } }), usage };
      },
    });
    const { id } = await start({ budget: { usd: 0.1 } });
    const own = (agent: string) => p.call<{ items: Conversation[] }>('GET', `/v1/conversations?agent=${agent}`);
    for (;;) if ((await own(digger)).body.items.length === 2 && isHeld) break;
    const workflow = (of: string) => p.client.workflow.getHandle(of);
    // Without a worker, neither of the two can settle for the other.
    await p.stopWorker();
    for (const { id: below, parent } of (await own(digger)).body.items) {
      const { raw } = await workflow(below).describe();
      if (!raw.pendingActivities?.length) continue;
      await workflow(parent?.conversationId ?? '').terminate();
      await workflow(below).terminate();
    }
    await p.startWorker();
    expect(await p.waitForStatus(id, 'completed')).toMatchObject({ result: 'done', budget: { spent: { calls: 6 } } });
  });

  it('counts attempts that were cut off, and allows no further one beyond it', async () => {
    p = await startParley({
      ownWorker: true,
      frontMatter: 'budget: { usd: 0.002, onLimit: stop }',
      replies: [{ text: 'never', cutAfter: 4, usage }],
    });
    const { id, budget } = await start({});
    expect(budget).toEqual({ usd: 0.002, spent: { usd: 0, tokens: 0, calls: 0 } });
    // Of the reply that was cut off, one token is known.
    expect(await p.waitForStatus(id, 'failed')).toMatchObject({
      error: { code: 'budget_reached', message: 'The conversation was stopped at its budget: $0.002 spent.' },
      usage: { modelCalls: 1, inputTokens: 1_000 },
    });
    expect(p.model.requests).toHaveLength(1);
  });

  it('counts the call that a fallback model makes, and asks before it', async () => {
    p = await startParley({
      frontMatter: 'fallbackModel: claude-opus-5-5\nbudget: { calls: 1 }',
      replies: [
        { text: 'I', stopReason: 'refusal', usage },
        { text: 'done', usage },
      ],
    });
    const { id } = await start({});
    await p.waitForQuestion(id);
    expect(p.model.requests).toHaveLength(1);
    await p.answer(id, { answer: 'Yes, proceed' });
    // $0.003 and, at the other model's price, $0.006.
    expect((await p.waitForStatus(id, 'completed')).usage).toMatchObject({ modelCalls: 2, cost: 0.009 });
  });

  it('may be narrowed by a start, never widened', async () => {
    p = await startParley({ frontMatter: 'budget: { usd: 2, calls: 10, onLimit: stop }' });
    expect(await start({ budget: { usd: 1, tokens: 500 } })).toMatchObject({
      status: 201,
      budget: { usd: 1, tokens: 500, calls: 10 },
    });
    expect(await start({ budget: { usd: 3, calls: 11, onLimit: 'ask' } })).toMatchObject({
      status: 400,
      errors: ['usd', 'calls', 'onLimit'].map((field) => ({ path: `budget.${field}` })),
    });
    expect(await start({ budget: {} })).toMatchObject({ status: 400, errors: [{ path: 'budget' }] });
  });

  it.each(['model', 'fallbackModel'])('in US dollars needs the price of every %s, of sub-agents too', async (field) => {
    p = await startParley({ frontMatter: `subagents: [${second}]`, agents: { [second]: `${field}: mine` } });
    expect(await start({ budget: { usd: 1 } })).toMatchObject({
      status: 400,
      errors: [{ path: 'budget.usd', message: expect.stringContaining('the price of mine is unknown') }],
    });
    expect(await start({ budget: { tokens: 1 } })).toMatchObject({ status: 201 });
  });
});
