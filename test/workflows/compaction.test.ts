import type { Conversation } from '../../src/contract/conversation';
import { SUMMARY_REQUEST } from '../../src/core/summary-request';
import type { ModelRequest, Reply } from '../../src/model/rehearsal';
import { builtIn } from '../../src/tools/registry';
import { diary } from '../helpers/diary';
import { type Parley, parley } from '../helpers/parley';
import { ask, fail, latch, say } from '../helpers/scripted-model';

const WINDOW = 12_000;
const POLICY = `contextWindow: ${WINDOW}\nmaxTokens: 2000`;
const PAGE = 'A line that the agent says on its way. '.repeat(100);
const REFUSED = { code: 'context_full' };

const textOf = ({ body }: ModelRequest) => JSON.stringify(body.messages);
const isSummary = (request: ModelRequest) => textOf(request).includes(SUMMARY_REQUEST.slice(0, 60));
const isCompacted = (request: ModelRequest) => textOf(request).includes('<past_summary>');

/** A model that goes on for so many steps: with long texts, or by a tool that gives back long texts. */
function goesOn(
  steps: number,
  how: 'says' | 'reads',
  more: (request: ModelRequest) => Reply | undefined = () => undefined,
) {
  let step = 0;
  return (request: ModelRequest): Reply => {
    const reply = more(request);
    if (reply) return reply;
    if (isSummary(request)) return say(`SUMMARY after ${step} steps`);
    step += 1;
    if (step > steps) return say('done');
    const line = how === 'reads' ? PAGE : `line ${step}`;
    return {
      ...(how === 'says' ? { text: `Step ${step}. ${PAGE}` } : {}),
      calls: [
        { name: 'write_line', input: { line: how === 'reads' ? `${step}` : line }, id: `call-${step}` },
      ],
    };
  };
}

describe('a conversation that passes the window of its model', () => {
  const { tool } = diary();
  const long = { ...tool, running: { as: 'activity' as const, once: false, use: async () => PAGE } };
  let p: Parley;
  afterEach(() => p.stop());

  const summaries = () => p.model.requests.filter(isSummary);

  it('goes on, twice, and still reads word for word what was answered at the very start', async () => {
    let isAsked = false;
    p = await parley({
      tools: [...builtIn, tool],
      policy: POLICY,
      window: WINDOW,
      script: goesOn(25, 'says', () => {
        if (isAsked) return undefined;
        isAsked = true;
        return ask('Which colour?', 'Red', 'Blue');
      }),
    });
    const id = await p.start('Paint the shed with care');
    await p.question(id);
    await p.answer(id, { answer: 'Blue', comment: 'as the sea, "please"' });
    const done = await p.until(id, 'completed');
    expect(done.result).toBe('done');
    expect(summaries().length).toBeGreaterThanOrEqual(2);
    expect(done.usage.modelCalls).toBe(p.model.requests.length);
    const last = p.model.requests.at(-1) as ModelRequest;
    const [head] = last.body.messages as { content: { text: string }[] }[];
    const told = head?.content.map(({ text }) => text) ?? [];
    expect(told[0]).toContain('the earlier part of this conversation was summarised');
    expect(told[1]).toMatch(/^<past_summary>SUMMARY after \d+ steps<\/past_summary>$/);
    expect(told[2]).toBe('<past_message>Paint the shed with care</past_message>');
    expect(told[3]).toContain('{"answers":{"Which colour?":"Blue"},"comment":"as the sea, \\"please\\""}');
    // The second summary was written from the first, and the person's timeline has everything.
    expect(textOf(summaries()[1] as ModelRequest)).toContain('SUMMARY after');
    const { body } = await p.call<{ items: { kind: string }[] }>('GET', `/v1/conversations/${id}/timeline`);
    expect(body.items.filter(({ kind }) => kind === 'tool')).toHaveLength(25);
    const exported = await p.call<{ transcript: unknown[] }>('GET', `/v1/conversations/${id}/export`);
    expect(JSON.stringify(exported.body.transcript)).toContain('SUMMARY after');
    // Taken up again, it knows.
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And the door?' });
    while (!textOf(p.model.requests.at(-1) as ModelRequest).includes('And the door?'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await p.until(id, 'completed');
    expect(textOf(p.model.requests.at(-1) as ModelRequest)).toContain('as the sea');
  });

  it('takes old results of tools out first, many at once, and then needs no summary', async () => {
    const window = 30_000;
    p = await parley({
      tools: [...builtIn, long],
      policy: `contextWindow: ${window}\nmaxTokens: 2000`,
      window,
      script: goesOn(40, 'reads'),
    });
    const id = await p.start();
    await p.until(id, 'completed');
    expect(summaries()).toHaveLength(0);
    const last = textOf(p.model.requests.at(-1) as ModelRequest);
    expect(last).toContain('[This result of write_line (3900 characters) was taken out to make room');
    expect(last).toContain(PAGE);
    // Seldom: each time the prefix changes that the model has cached.
    const read = p.model.requests.map((request) =>
      textOf(request).replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
    );
    const changes = read.filter(
      (text, at) => at > 0 && !text.startsWith((read[at - 1] as string).slice(0, -3)),
    );
    expect(changes.length).toBeGreaterThanOrEqual(1);
    expect(changes.length).toBeLessThanOrEqual(4);
  });

  it('makes room when the API itself says that it is too long, and goes on', async () => {
    // The agent's file says nothing: the Models API tells, and where it is too late, the refusal.
    p = await parley({ tools: [...builtIn, tool], window: WINDOW, script: goesOn(15, 'says') });
    const id = await p.start();
    const done = await p.until(id, 'completed');
    expect(done.result).toBe('done');
    expect(summaries().length).toBeGreaterThanOrEqual(1);
  });

  it('learns the window from a refusal where nothing else tells', async () => {
    const limit = (request: ModelRequest) => {
      const tokens = Math.ceil(textOf(request).length / 4);
      return tokens > 9_000
        ? fail(400, { message: `prompt is too long: ${tokens} tokens > 9000 maximum` })
        : undefined;
    };
    p = await parley({ tools: [...builtIn, tool], script: goesOn(25, 'says', limit) });
    const id = await p.start();
    expect((await p.until(id, 'completed')).result).toBe('done');
    expect(summaries().length).toBeGreaterThanOrEqual(2);
    // After the first refusal it makes room in time: it is not refused again.
    const refused = p.model.requests.filter((request) => limit(request) !== undefined);
    expect(refused).toHaveLength(1);
  });

  it('fails readably, and not in circles, where nothing is ever short enough; and can be taken up', async () => {
    let isFull = true;
    p = await parley({
      policy: POLICY,
      script: () =>
        isFull ? fail(400, { message: 'prompt is too long: 300000 tokens > 200000 maximum' }) : say('well'),
    });
    const id = await p.start('Hello');
    expect(await p.until(id, 'failed')).toMatchObject({ error: REFUSED });
    expect(p.model.requests.length).toBeLessThanOrEqual(3);
    isFull = false;
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Again' });
    expect((await p.until(id, 'completed')).result).toBe('well');
  });

  it.each<[string, Reply, number]>([
    ['is refused', fail(400, { message: 'no summary for you' }), 1],
    ['is empty', { content: [], stopReason: 'end_turn' }, 1],
    ['is declined', { text: 'I cannot.', stopReason: 'refusal' }, 1],
  ])('goes on without a summary that %s, with what people said', async (_how, reply, times) => {
    let failed = 0;
    const more = (request: ModelRequest) => {
      if (!isSummary(request) || failed >= times) return undefined;
      failed += 1;
      return reply;
    };
    p = await parley({
      tools: [...builtIn, tool],
      policy: POLICY,
      window: WINDOW,
      script: goesOn(9, 'says', more),
    });
    const id = await p.start('Remember the milk');
    expect((await p.until(id, 'completed')).result).toBe('done');
    expect(failed).toBe(times);
    const after = p.model.requests[
      p.model.requests.indexOf(summaries()[0] as ModelRequest) + 1
    ] as ModelRequest;
    expect(textOf(after)).toContain('there is no summary');
    expect(textOf(after)).toContain('<past_message>Remember the milk</past_message>');
  });

  it('survives a worker that is stopped in the middle, hears what was said meanwhile, and ends when cancelled', async () => {
    const { hold } = latch();
    let held = 0;
    const more = (request: ModelRequest): Reply | undefined => {
      if (!isSummary(request)) return undefined;
      held += 1;
      return held === 2 ? undefined : { text: 'never heard', hold };
    };
    p = await parley({
      tools: [...builtIn, tool],
      policy: POLICY,
      window: WINDOW,
      script: goesOn(9, 'says', more),
    });
    const held1 = async (count: number) => {
      while (held < count) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const id = await p.start('Paint');
    await held1(1);
    const sent = await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Mind the cat.' });
    expect(sent.status).toBe(202);
    await p.stopWorker();
    await p.startWorker();
    const done = await p.until(id, 'completed');
    expect(done.result).toBe('done');
    expect(summaries()).toHaveLength(2);
    const heard = p.model.requests.find((request) => isCompacted(request)) as ModelRequest;
    expect(heard.body.messages.at(-1)?.content).toContainEqual(
      expect.objectContaining({ text: 'Mind the cat.' }),
    );
    // Once more, and cancelled while the summary is written.
    const texts = Array.from({ length: 3 }, () => 'a word '.repeat(2_000));
    for (const text of texts) await p.call('POST', `/v1/conversations/${id}/messages`, { text });
    await held1(3);
    const cancelled = await p.call<Conversation>('POST', `/v1/conversations/${id}/cancel`);
    expect(cancelled.body.status).toBe('cancelled');
    await p.client.workflow.getHandle(id).result();
  });
});
