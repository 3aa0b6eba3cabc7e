import { randomBytes } from 'node:crypto';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { WITHOUT_ENCRYPTION } from '#test/support/parley/encryption';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

const scout = `scout-${randomBytes(4).toString('hex')}`;
const digger = `digger-${randomBytes(4).toString('hex')}`;
const delegate = (agent: string, task: string) => ({
  name: 'delegate',
  input: { agent, task },
  id: `call-${task}`,
});

/** Which agent calls the model, and its first message. */
function roleOf({ body }: ModelRequest): { who: string; task: string } {
  const who = /You are ([\w-]+)\./.exec(JSON.stringify(body.system))?.[1] ?? '';
  const [first] = body.messages;
  const [block] = (first?.content ?? []) as { text: string }[];
  return { who, task: block?.text ?? '' };
}

/** For results that a memo shortens. */
let padding = '';

const heard = (request: ModelRequest) => lastToolResults(request);
/** Returns the results of its calls, as JSON. */
const tell = (request: ModelRequest): ScriptedReply =>
  replyWithText(JSON.stringify(heard(request).map(({ id, text, isError }) => [id, isError ? `ERROR ${text}` : text])));

/** A scout asks, and returns the answer; a digger ends at once; any other agent leads. */
const play =
  (lead: (request: ModelRequest) => ScriptedReply) =>
  (request: ModelRequest): ScriptedReply => {
    const { who, task } = roleOf(request);
    if (who === digger) return replyWithText(`dug ${task}`);
    if (who !== scout) return heard(request).length > 0 ? tell(request) : lead(request);
    const [result] = heard(request);
    return result ? replyWithText(`${task}: ${result.text}${padding}`) : replyWithQuestion(`Which ${task}?`, 'X', 'Y');
  };

const three = () => replyWithToolCalls(delegate(scout, 'A'), delegate(digger, 'B'), delegate(scout, 'C'));

describe('a parent with three sub-agents, two of which ask at once', () => {
  let p: TestParley;
  afterEach(() => p.stop());
  const begin = async (settings = {}) => {
    p = await startParley({
      ownWorker: true,
      frontMatter: `subagents: [${scout}, ${digger}]`,
      agents: { [scout]: 'questions: { assignees: [sam] }', [digger]: '' },
      script: play(three),
      ...settings,
    });
    return p.startConversation('Lead', { metadata: { ticket: 7 } });
  };
  const inbox = async (): Promise<Question[]> => {
    const { body } = await p.call<{ items: Question[] }>('GET', `/v1/questions?agent=${scout}&limit=100`);
    return body.items.filter(({ origin }) => origin[0] === p.agent);
  };
  const both = async (): Promise<Question[]> => {
    for (;;) {
      const questions = await inbox();
      if (questions.length === 2) return questions;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  };
  const of = (questions: Question[], task: string) =>
    questions.find(({ fields }) => fields[0]?.question === `Which ${task}?`) as Question;
  const settle = (question: Question, answer: string) => p.answer(question.conversationId, { answer }, question.id);

  it.each([undefined, 0])(
    'has both in the inbox with their origin, and completes, answered in the other order (cache of %s)',
    async (maxCachedWorkflows) => {
      const id = await begin({ maxCachedWorkflows });
      const questions = await both();
      for (const question of questions) {
        expect(question).toMatchObject({ agent: scout, origin: [p.agent, scout] });
        const sub = await p.getConversation(question.conversationId);
        expect(sub).toMatchObject({
          agent: scout,
          status: 'waiting_for_input',
          parent: { conversationId: id, agent: p.agent },
          metadata: { ticket: 7 },
          links: { self: `${p.url}/v1/conversations/${sub.id}` },
        });
      }
      expect(await p.getConversation(id)).toMatchObject({ status: 'running', parent: null, question: null });
      const own = await p.call<{ items: Question[] }>('GET', `/v1/questions?conversation=${id}`);
      const ids = (of: Question[]) => of.map(({ conversationId }) => conversationId).sort();
      expect(ids(own.body.items)).toEqual(ids(questions));
      const begun = await p.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${id}/timeline`);
      const told = JSON.stringify(begun.body.items.filter(({ kind }) => kind === 'notice'));
      for (const { conversationId } of questions) expect(told).toContain(conversationId);
      expect((await settle(of(questions, 'C'), 'Y')).status).toBe(200);
      expect((await settle(of(questions, 'A'), 'X')).status).toBe(200);
      const done = await p.waitForStatus(id, 'completed');
      expect(JSON.parse(done.result ?? '')).toEqual([
        ['call-A', 'A: {"answers":{"Which A?":"X"}}'],
        ['call-B', 'dug B'],
        ['call-C', 'C: {"answers":{"Which C?":"Y"}}'],
      ]);
      expect(await inbox()).toEqual([]);
      const { body } = await p.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${id}/timeline`);
      expect(body.items.filter((entry) => entry.kind === 'tool')).toHaveLength(3);
    },
  );

  it('ends them all when it is cancelled, and the inbox is empty', async () => {
    const id = await begin();
    const questions = await both();
    await p.call('POST', `/v1/conversations/${id}/cancel`, { reason: 'Never mind' });
    await p.client.workflow.getHandle(id).result();
    for (const { conversationId } of questions) await p.waitForStatus(conversationId, 'cancelled');
    const listed = await p.call<{ items: Conversation[] }>('GET', `/v1/conversations?status=running&agent=${scout}`);
    expect(listed.body.items).toEqual([]);
    while ((await inbox()).length > 0) await new Promise((resolve) => setTimeout(resolve, 15));
    const late = await settle(of(questions, 'A'), 'X');
    expect(late).toMatchObject({ status: 409, body: { code: 'question_cancelled' } });
  });

  it('ends them when it is terminated in Temporal', async () => {
    const id = await begin();
    const questions = await both();
    await p.client.workflow.getHandle(id).terminate();
    for (const { conversationId } of questions) await p.waitForStatus(conversationId, 'cancelled');
  });

  it('gets errors that one was cancelled and another terminated', async () => {
    const id = await begin();
    const questions = await both();
    const [a, c] = [of(questions, 'A'), of(questions, 'C')];
    await p.call('POST', `/v1/conversations/${a.conversationId}/cancel`, { reason: 'Not this one' });
    await p.client.workflow.getHandle(c.conversationId).terminate();
    const results = JSON.parse((await p.waitForStatus(id, 'completed')).result ?? '');
    expect(results[0][1]).toMatch(/^ERROR .*cancelled.*Not this one/);
    expect(results[1][1]).toBe('dug B');
    expect(results[2][1]).toMatch(/^ERROR .*ended unexpectedly/);
  });

  it('accepts a message and a cancel while they ask, and shows the message at once', async () => {
    const id = await begin();
    await both();
    const said = await p.call(
      'POST',
      `/v1/conversations/${id}/messages`,
      { text: 'Hurry' },
      { 'idempotency-key': 'a' },
    );
    expect(said.status).toBe(202);
    const again = await p.call(
      'POST',
      `/v1/conversations/${id}/messages`,
      { text: 'Hurry' },
      { 'idempotency-key': 'a' },
    );
    expect(again.status).toBe(202);
    const memo = (await p.client.workflow.getHandle(id).describe()).memo as { queuedBytes: number };
    expect(memo.queuedBytes).toBeGreaterThanOrEqual(5);
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.waitForStatus(id, 'cancelled');
  });

  it('continues where it was when its worker stops and another takes over', async () => {
    const id = await begin();
    const questions = await both();
    await p.stopWorker();
    expect((await settle(of(questions, 'A'), 'X')).status).toBe(202);
    await p.startWorker();
    await settle(of(questions, 'C'), 'Y');
    expect((await p.waitForStatus(id, 'completed')).result).toContain('Which C?');
  });

  it('shows in the Temporal UI which ones it waits for', async () => {
    const id = await begin();
    const questions = await both();
    const metadata = await p.client.workflow
      .getHandle(id)
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    for (const { conversationId } of questions) expect(metadata.currentDetails).toContain(conversationId);
  });

  it("lets the same people answer, and those the sub-agent's file names", async () => {
    const keys = {
      boss: ['conversations:write', 'conversations:read', 'questions:answer'] as const,
      sam: ['questions:answer'] as const,
      eve: ['questions:answer', 'conversations:read'] as const,
    };
    const id = await begin({ keys });
    const [a, c] = [of(await both(), 'A'), of(await both(), 'C')];
    const route = ({ conversationId, id: qid }: Question) =>
      `/v1/conversations/${conversationId}/questions/${qid}/answer`;
    expect((await p.callAs('eve')('POST', route(a), { answer: 'X' })).status).toBe(404);
    expect((await p.callAs('sam')('POST', route(a), { answer: 'X' })).status).toBe(200);
    expect((await p.callAs('boss')('POST', route(c), { answer: 'X' })).status).toBe(200);
    await p.waitForStatus(id, 'completed');
  });

  it("leaves a finished sub-agent's conversation readable, but not resumable", async () => {
    padding = ' '.repeat(10) + 'x'.repeat(3_000);
    const id = await begin();
    const questions = await both();
    await settle(of(questions, 'A'), 'X');
    await settle(of(questions, 'C'), 'Y');
    await p.waitForStatus(id, 'completed');
    const sub = of(questions, 'A').conversationId;
    expect(await p.getConversation(sub)).toMatchObject({
      status: 'completed',
      result: expect.stringContaining('A:'),
    });
    const timeline = await p.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${sub}/timeline`);
    expect(timeline.body.items.map(({ kind }) => kind)).toContain('question');
    const exported = await p.call<{ transcript: object[] }>('GET', `/v1/conversations/${sub}/export`);
    expect(exported.status).toBe(200);
    expect(exported.body.transcript.length).toBeGreaterThan(2);
    const events = await fetch(`${p.url}/v1/conversations/${sub}/events`, {
      headers: { 'last-event-id': '0' },
    });
    expect(await events.text()).toMatch(/event: question_answered[\s\S]*event: done/);
    const whole = await p.getConversation(sub);
    expect(whole.result?.length).toBeGreaterThan(3_000);
    const done = await fetch(`${p.url}/v1/conversations/${sub}/events`).then((response) => response.text());
    expect(JSON.parse(/event: done\ndata: (.*)/.exec(done)?.[1] ?? '')).toEqual(whole);
    const more = await p.call('POST', `/v1/conversations/${sub}/messages`, { text: 'And?' });
    padding = '';
    expect(more).toMatchObject({
      status: 409,
      body: { code: 'conversation_finished', detail: expect.stringContaining(id) },
    });
  });
});

describe('a sub-agent', () => {
  let p: TestParley;
  afterEach(() => p.stop());

  it('that may not ask gets a tool error instead, and continues', async () => {
    const mute = `mute-${randomBytes(4).toString('hex')}`;
    p = await startParley({
      ownWorker: true,
      frontMatter: `subagents: [${mute}]`,
      agents: { [mute]: 'canAsk: false' },
      script: (request) => {
        const [result] = heard(request);
        if (roleOf(request).who === mute) {
          const calls = [
            { name: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } },
            { name: 'confirm_action', input: { action: 'Do it' } },
          ];
          return result ? tell(request) : replyWithToolCalls(...calls);
        }
        return result ? replyWithText(result.text) : replyWithToolCalls(delegate(mute, 'A'));
      },
    });
    const id = await p.startConversation();
    const { result } = await p.waitForStatus(id, 'completed');
    expect(JSON.parse(result ?? '').map(([, text]: string[]) => text)).toEqual([
      expect.stringMatching(/^ERROR .*may not ask.*canAsk: false/),
      expect.stringMatching(/^ERROR .*may not ask/),
    ]);
    const offered = (request: ModelRequest | undefined) =>
      request?.body.tools?.map((tool) => 'name' in tool && tool.name);
    expect(offered(p.model.requests.find((request) => roleOf(request).who === mute))).toEqual(['write_todos']);
    expect(offered(p.model.requests[0])).toContain('delegate');
  });

  it('that fails is an error for its parent, which continues', async () => {
    p = await startParley({
      ownWorker: true,
      frontMatter: `subagents: [${digger}]`,
      agents: { [digger]: '' },
      script: (request) => {
        if (roleOf(request).who === digger) return { error: { status: 400, message: 'no such model' } };
        return heard(request).length > 0 ? tell(request) : replyWithToolCalls(delegate(digger, 'A'));
      },
    });
    const id = await p.startConversation();
    expect((await p.waitForStatus(id, 'completed')).result).toMatch(/ERROR .*failed.*no such model/);
  });

  it('may delegate in turn up to the limit, and then gets an error', async () => {
    const other = `other-${randomBytes(4).toString('hex')}`;
    p = await startParley({
      ownWorker: true,
      frontMatter: `subagents: [${digger}]`,
      agents: { [digger]: `subagents: [${other}]`, [other]: `subagents: [${digger}]` },
      script: (request) => {
        const [result] = heard(request);
        const next = roleOf(request).who === digger ? other : digger;
        return result ? replyWithText(`<${result.text}>`) : replyWithToolCalls(delegate(next, 'deeper'));
      },
    });
    const id = await p.startConversation();
    const { result } = await p.waitForStatus(id, 'completed');
    expect(result).toMatch(/^<<<<Not delegated: at most 4 levels of agents/);
    const deepest = p.model.requests.map((request) => roleOf(request).who);
    expect(new Set(deepest)).toEqual(new Set([p.agent, digger, other]));
  });

  it('is pinned with its parent: editing its file does not change a running conversation', async () => {
    p = await startParley({
      ownWorker: true,
      frontMatter: `subagents: [${scout}]`,
      agents: { [scout]: '' },
      script: play(() => replyWithToolCalls(delegate(scout, 'A'))),
      env: WITHOUT_ENCRYPTION,
    });
    const id = await p.startConversation();
    const { args } = { args: (await p.client.workflow.getHandle(id).fetchHistory()).events?.[0] };
    const input = args?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    const state = JSON.parse(Buffer.from(input as Uint8Array).toString('utf8'));
    expect(state.subagentDefinitions[scout]).toMatchObject({ name: scout, prompt: `You are ${scout}.` });
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.waitForStatus(id, 'cancelled');
  });
});
