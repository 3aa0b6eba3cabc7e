import type { Conversation } from '#contract/conversation';
import { countInputTokens, type ModelRequest, type ScriptedReply } from '#models/demo/reply';
import { SUMMARY_PROMPT } from '#models/prompts/summary';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { createLatch, replyWithError, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

const WINDOW = 12_000;
const TOOLS = 'tools: [write_todos, write_line, read_page]';
/** Its replies are short; a summary has its own limit. */
const SMALL = `contextWindow: ${WINDOW}\nmaxTokens: 300\n${TOOLS}`;
/** The maximum summary of such an agent: a tenth of its window without the reply, and room to think. */
const SUMMARY_TOKENS = (WINDOW - 300) / 10 + 16_000;
const WIDE = 30_000;
const PAGE = 'A line that the agent says on its way. '.repeat(100);
const REFUSED = { code: 'context_full' };

/** Without cache points, which move. */
const textOf = ({ body }: ModelRequest) => JSON.stringify(body.messages).replace(/,"cache_control":\{[^}]*\}/g, '');
const isSummary = (request: ModelRequest) => textOf(request).includes(SUMMARY_PROMPT.slice(0, 60));
const isCompacted = (request: ModelRequest) => textOf(request).includes('<past_summary>');

/** A model that takes this many steps, with long texts or a tool with long results. */
function goesOn(
  steps: number,
  how: 'says' | 'reads',
  more: (request: ModelRequest) => ScriptedReply | undefined = () => undefined,
) {
  let step = 0;
  return (request: ModelRequest): ScriptedReply => {
    const reply = more(request);
    if (reply) return reply;
    if (isSummary(request)) return replyWithText(`SUMMARY after ${step} steps`);
    step += 1;
    if (step > steps) return replyWithText('done');
    const name = how === 'reads' ? 'read_page' : 'write_line';
    return {
      ...(how === 'says' ? { text: `Step ${step}. ${PAGE}` } : {}),
      calls: [{ name, input: { line: `line ${step}` }, id: `call-${step}` }],
    };
  };
}

async function reached(wanted: () => boolean): Promise<void> {
  while (!wanted()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("a conversation that exceeds the model's context window", () => {
  const { tool } = createRecordingTool();
  const execution = { kind: 'activity' as const, runOnce: false, execute: async () => PAGE };
  const tools = [...builtInTools, tool, { ...tool, name: 'read_page', execution }];
  let p: TestParley;
  let play: (request: ModelRequest) => ScriptedReply;
  let before = 0;
  beforeAll(async () => {
    const agents = { small: SMALL, wide: `contextWindow: ${WIDE}\nmaxTokens: 2000\n${TOOLS}`, told: TOOLS };
    p = await startParley({
      ownWorker: true,
      tools,
      agents,
      contextWindow: WIDE,
      script: (request) => play(request),
    });
  });
  beforeEach(() => {
    before = p.model.requests.length;
  });
  afterAll(() => p.stop());

  const requests = () => p.model.requests.slice(before);
  const summaries = () => requests().filter(isSummary);
  const lastRead = () => textOf(requests().at(-1) as ModelRequest);

  it('continues, twice, and still has the very first answers verbatim', async () => {
    let isAsked = false;
    play = goesOn(18, 'says', () => {
      if (isAsked) return undefined;
      isAsked = true;
      return replyWithQuestion('Which colour?', 'Red', 'Blue');
    });
    const id = await p.startConversation('Paint the shed with care', { agent: 'small' });
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'Blue', comment: 'as the sea, "please"' });
    const done = await p.waitForStatus(id, 'completed');
    expect(done.result).toBe('done');
    expect(summaries().length).toBeGreaterThanOrEqual(2);
    expect(done.usage.modelCalls).toBe(requests().length);
    const [head] = (requests().at(-1) as ModelRequest).body.messages as { content: { text: string }[] }[];
    const told = head?.content.map(({ text }) => text) ?? [];
    expect(told[0]).toContain('the earlier part of this conversation was summarised');
    expect(told[1]).toMatch(/^<past_summary>SUMMARY after \d+ steps<\/past_summary>$/);
    expect(told[2]).toBe('<past_message>Paint the shed with care</past_message>');
    expect(told[3]).toContain('{"answers":{"Which colour?":"Blue"},"comment":"as the sea, \\"please\\""}');
    // The second summary was written from the first, and the timeline has everything.
    expect(textOf(summaries()[1] as ModelRequest)).toContain('SUMMARY after');
    const { body } = await p.call<{ items: { kind: string }[] }>('GET', `/v1/conversations/${id}/timeline`);
    expect(body.items.filter(({ kind }) => kind === 'tool')).toHaveLength(18);
    const exported = await p.call<{ transcript: unknown[] }>('GET', `/v1/conversations/${id}/export`);
    expect(JSON.stringify(exported.body.transcript)).toContain('SUMMARY after');
    // Resumed, it still knows.
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And the door?' });
    await reached(() => lastRead().includes('And the door?'));
    await p.waitForStatus(id, 'completed');
    expect(lastRead()).toContain('as the sea');
  });

  it('removes old tool results first, many at once, and then needs no summary', async () => {
    play = goesOn(28, 'reads');
    const id = await p.startConversation('Read', { agent: 'wide' });
    await p.waitForStatus(id, 'completed');
    expect(summaries()).toHaveLength(0);
    const last = lastRead();
    expect(last).toContain('[This result of read_page (3900 characters) was removed to save space');
    expect(last).toContain(PAGE);
    // Rarely, because each time the cached prefix changes.
    const read = requests().map(textOf);
    const changes = read.filter((text, at) => at > 0 && !text.startsWith((read[at - 1] as string).slice(0, -3)));
    expect(changes.length).toBeGreaterThanOrEqual(1);
    expect(changes.length).toBeLessThanOrEqual(4);
  });

  it('makes room when the API itself says that it is too long, and continues', async () => {
    // The agent's file has no window: the Models API reports it, else the error.
    play = goesOn(18, 'says');
    const id = await p.startConversation('Paint', { agent: 'told' });
    const done = await p.waitForStatus(id, 'completed');
    expect(done.result).toBe('done');
    expect(summaries().length).toBeGreaterThanOrEqual(1);
  });

  it('fails with a clear error, and not in a loop, if nothing is ever short enough; and can be resumed', async () => {
    let isFull = true;
    play = () =>
      isFull
        ? replyWithError(400, { message: 'prompt is too long: 300000 tokens > 200000 maximum' })
        : replyWithText('well');
    const id = await p.startConversation('Hello', { agent: 'small' });
    expect(await p.waitForStatus(id, 'failed')).toMatchObject({ error: REFUSED });
    expect(requests().length).toBeLessThanOrEqual(3);
    isFull = false;
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Again' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('well');
  });

  const CALL = { calls: [{ name: 'write_line', input: { line: 'all.txt' } }] };

  it('requests a summary without tools and up to its maximum length, and again if the reply is none', async () => {
    const written: ScriptedReply[] = [
      { text: 'Let me check the file first.', ...CALL },
      CALL,
      replyWithText('We PAINTED a lot.'),
    ];
    play = goesOn(9, 'says', (request) => (isSummary(request) ? written.shift() : undefined));
    const id = await p.startConversation('Paint', { agent: 'small' });
    const done = await p.waitForStatus(id, 'completed');
    expect(written).toEqual([]);
    for (const { body } of summaries()) {
      expect(body).toMatchObject({
        tool_choice: { type: 'none' },
        max_tokens: SUMMARY_TOKENS,
        output_config: { effort: 'low' },
      });
      expect(body.tools).toEqual(requests()[0]?.body.tools);
    }
    expect(requests().filter(({ body }) => body.tool_choice)).toEqual(summaries());
    const told = requests().filter(isCompacted)[0] as ModelRequest;
    expect(textOf(told)).toContain('<past_summary>We PAINTED a lot.</past_summary>');
    expect(textOf(told)).not.toContain('check the file');
    // Everything that was read for it counts.
    const read = requests().reduce((tokens, { body }) => tokens + countInputTokens(body), 0);
    expect(done.usage.inputTokens).toBe(read);
  });

  const TOO_LONG = replyWithError(400, { message: `prompt is too long: ${WINDOW} tokens > 9000 maximum` });

  it.each<[string, ScriptedReply, number]>([
    ['is empty', { content: [], stopReason: 'end_turn' }, 3],
    ['is declined', { text: 'I cannot.', stopReason: 'refusal' }, 3],
    ['is a call', { text: 'Let me check the file first.', ...CALL }, 3],
    ['is cut off at once', { text: 'So far', stopReason: 'max_tokens' }, 3],
    ['is rejected as too long, and half of it too', TOO_LONG, 2],
  ])('continues without a summary that %s, with what people said', async (_how, reply, times) => {
    let failed = 0;
    play = goesOn(9, 'says', (request) => {
      if (!isSummary(request) || failed >= times) return undefined;
      failed += 1;
      return reply;
    });
    const id = await p.startConversation('Remember the milk', { agent: 'small' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    expect(failed).toBe(times);
    const after = requests()[requests().indexOf(summaries()[times - 1] as ModelRequest) + 1] as ModelRequest;
    expect(isSummary(after)).toBe(false);
    expect(textOf(after)).toContain('No summary');
    expect(textOf(after)).toContain('<past_message>Remember the milk</past_message>');
  });

  it.each([
    [400, 'Your credit balance is too low to access the API.'],
    [404, 'model: retired'],
  ])('drops nothing if the summary is rejected (%i): it fails, and resumes in full', async (status, message) => {
    let isRefused = true;
    const more = (request: ModelRequest) =>
      isRefused && isSummary(request) ? replyWithError(status, { message }) : undefined;
    play = goesOn(9, 'says', more);
    const id = await p.startConversation('Remember the milk', { agent: 'small' });
    const failed = await p.waitForStatus(id, 'failed');
    expect(failed.error).toMatchObject({
      code: 'model_rejected',
      message: expect.stringContaining(message),
    });
    expect(summaries()).toHaveLength(1);
    expect(lastRead()).toContain(`Step 1. ${PAGE}`);
    isRefused = false;
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Paid. Go on.' });
    await reached(() => summaries().length > 1);
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    const [, again] = summaries() as [ModelRequest, ModelRequest];
    expect(textOf(again)).toContain('Remember the milk');
    expect(textOf(again)).toContain(`Step 1. ${PAGE}`);
    expect(lastRead()).toContain('SUMMARY after');
  });

  it('survives a worker that stops midway, includes new messages, and ends when cancelled', async () => {
    const { hold } = createLatch();
    let held = 0;
    const more = (request: ModelRequest): ScriptedReply | undefined => {
      if (!isSummary(request)) return undefined;
      held += 1;
      return held === 2 ? undefined : { text: 'never heard', hold };
    };
    play = goesOn(9, 'says', more);
    const id = await p.startConversation('Paint', { agent: 'small' });
    await reached(() => held >= 1);
    const sent = await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Mind the cat.' });
    expect(sent.status).toBe(202);
    await p.stopWorker();
    await p.startWorker();
    const done = await p.waitForStatus(id, 'completed');
    expect(done.result).toBe('done');
    expect(summaries()).toHaveLength(2);
    const heard = requests().find((request) => isCompacted(request)) as ModelRequest;
    expect(heard.body.messages.at(-1)?.content).toContainEqual(expect.objectContaining({ text: 'Mind the cat.' }));
    // Once more, cancelled while the summary is written.
    const texts = Array.from({ length: 3 }, () => 'a word '.repeat(2_000));
    for (const text of texts) await p.call('POST', `/v1/conversations/${id}/messages`, { text });
    await reached(() => held >= 3);
    const cancelled = await p.call<Conversation>('POST', `/v1/conversations/${id}/cancel`);
    expect(cancelled.body.status).toBe('cancelled');
    await p.client.workflow.getHandle(id).result();
  });
});

describe('a conversation whose model reports no context window', () => {
  it('learns the window from an error', async () => {
    const limit = (request: ModelRequest) => {
      const tokens = Math.ceil(textOf(request).length / 4);
      return tokens > 9_000
        ? replyWithError(400, { message: `prompt is too long: ${tokens} tokens > 9000 maximum` })
        : undefined;
    };
    const p = await startParley({
      ownWorker: true,
      tools: [...builtInTools, createRecordingTool().tool],
      script: goesOn(14, 'says', limit),
    });
    const id = await p.startConversation();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    expect(p.model.requests.filter(isSummary).length).toBeGreaterThanOrEqual(2);
    // After the first error it makes room in time: there is no second.
    const refused = p.model.requests.filter((request) => limit(request) !== undefined);
    expect(refused).toHaveLength(1);
    await p.stop();
  });
});
