import { startApi } from '#api/main';
import type { ConversationEvent } from '#contract/events';
import { createLog } from '#infra/log';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import {
  createLatch,
  isSummaryModelRequest,
  lastToolResults,
  replyWithText,
  replyWithToolCalls,
} from '#test/support/scripted-model';
import { isEventNamed, listEventNames, type SseWatcher, watchConversationEvents } from '#test/support/sse-client';
import { builtInTools } from '#tools/registry';

const todos = [{ content: 'Ask', status: 'in_progress' }];
const question = { name: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } };

describe('the events of a conversation', () => {
  let p: TestParley;
  afterEach(() => p.stop());

  const tools = [...builtInTools, createRecordingTool().tool];

  /** Thinks aloud, keeps a list, uses a tool, asks, and is done. */
  async function busy(): Promise<{ write: () => void }> {
    const { hold, release } = createLatch();
    p = await startParley({
      tools,
      replies: [
        {
          text: 'Let me see what there is to do here',
          calls: [{ name: 'write_todos', input: { todos } }],
          chunkMs: 300,
          hold,
          holdAfter: 5,
        },
        replyWithToolCalls(
          { name: 'write_line', input: { line: 'one' } },
          { name: 'write_line', input: { line: 'two', fail: true } },
        ),
        { text: 'I have to ask', calls: [question] },
        replyWithText('Done'),
      ],
    });
    return { write: release };
  }

  const WHOLE = [
    '1 snapshot',
    '2 message',
    '3 todos',
    '4 tool',
    '5 tool',
    '6 message',
    '7 question_pending',
    '8 status',
    '9 question_answered',
    '10 status',
    '11 message',
    '12 status',
    'done',
  ];

  /** Hangs up after each event, and comes back from there. */
  async function hangUpAtEach(id: string, ...urls: string[]): Promise<ConversationEvent[]> {
    const seen: ConversationEvent[] = [];
    let after: number | undefined;
    for (let turn = 0; ; turn += 1) {
      const one = await watchConversationEvents(urls[turn % urls.length] ?? '', id, after);
      if (one.status === 204) return seen;
      const event = await one.until(({ event }) => event !== 'delta');
      one.leave();
      seen.push(event);
      if ('id' in event) after = event.id;
      else return seen;
    }
  }

  it('reach everybody alike, and who comes back at any of them misses none and sees none twice', async () => {
    const { write } = await busy();
    const id = await p.start();
    const [first, second] = await Promise.all([watchConversationEvents(p.url, id), watchConversationEvents(p.url, id)]);
    const third = hangUpAtEach(id, p.url);
    await first.until(isEventNamed('delta'));
    write();
    const asked = await first.until(isEventNamed('question_pending'));
    expect(asked.data).toMatchObject({ status: 'pending', outcome: null });
    expect((await p.answer(id, { answer: 'This' })).status).toBe(200);
    await Promise.all([first.ended, second.ended]);

    expect(listEventNames(first.events)).toEqual(WHOLE);
    expect(listEventNames(second.events)).toEqual(WHOLE);
    // At the last event it hung up before it was told that it is done: then nothing is left, or just that.
    const thirds = listEventNames(await third);
    expect(thirds.slice(0, 12)).toEqual(WHOLE.slice(0, 12));
    expect(thirds.slice(12)).toEqual(thirds.length > 12 ? ['done'] : []);
    expect(first.events.find(isEventNamed('question_answered'))?.data).toMatchObject({
      status: 'answered',
      outcome: { answers: { q1: 'This' } },
    });
    expect(first.events.at(-1)?.data).toEqual(await p.conversation(id));
    expect(first.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': expect.stringContaining('no-store'),
      'x-accel-buffering': 'no',
    });

    const live = first.events.filter(({ event }) => event !== 'delta' && event !== 'snapshot');
    for (let after = 1; after < 12; after += 1) {
      const resumed = await watchConversationEvents(p.url, id, after);
      await resumed.ended;
      expect(resumed.events).toEqual(live.filter((one) => !('id' in one) || one.id > after));
    }
    await untilNobodyWatches();
  });

  async function untilNobodyWatches(): Promise<void> {
    while (p.live.counts().viewers > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(p.live.counts()).toEqual({ tails: 0, viewers: 0 });
  }

  it('go on from the same place at another API, when one is stopped', async () => {
    const { write } = await busy();
    write();
    const id = await p.start();
    const other = await startApi(p.config, createLog('silent'), { taskQueue: p.taskQueue, tools });
    const before = await watchConversationEvents(other.url, id);
    await before.until(isEventNamed('question_pending'));
    await other.stop();
    await before.ended;
    const last = before.events.findLast((event) => 'id' in event) as { id: number };
    const after = await watchConversationEvents(p.url, id, last.id);
    expect((await p.answer(id, { answer: 'This' })).status).toBe(200);
    await after.ended;
    expect(listEventNames([...before.events, ...after.events])).toEqual(WHOLE);
  });

  it('go on over a roll-over, also those that it drops from the timeline', async () => {
    const { tool, lines } = createRecordingTool();
    const text = 'x'.repeat(90_000);
    const many = 24;
    p = await startParley({
      tools: [...builtInTools, tool],
      script: (request) => {
        // What the model reads is kept short; what people read is not, and takes the room.
        if (isSummaryModelRequest(request)) return replyWithText('Much was written.');
        if (lastToolResults(request).some((result) => result.text.includes('answers'))) return replyWithText('done');
        if (lines.length >= many) return replyWithToolCalls(question);
        return { text, calls: [{ name: 'write_line', input: { line: 'one' } }] };
      },
    });
    const id = await p.start('Write much');
    const { runId } = await p.client.workflow.getHandle(id).describe();
    const watchers = await Promise.all([watchConversationEvents(p.url, id), watchConversationEvents(p.url, id)]);
    const patched = hangUpAtEach(id, p.url);
    await watchers[0].until(isEventNamed('question_pending'));
    expect((await p.client.workflow.getHandle(id).describe()).runId).not.toBe(runId);
    expect((await p.answer(id, { answer: 'Yes' })).status).toBe(200);
    const tools = Array.from({ length: 2 * many }, (_, n) => `${n + 2} ${n % 2 === 0 ? 'message' : 'tool'}`);
    const rest = ['50 question_pending', '51 status', '52 question_answered', '53 status', '54 message'];
    for (const watcher of watchers) {
      await watcher.ended;
      expect(listEventNames(watcher.events)).toEqual(['1 snapshot', ...tools, ...rest, '55 status', 'done']);
    }
    expectUnbroken(await patched);
  });

  /** Without a gap, but where it begins again with a snapshot, since what came before is kept no more. */
  function expectUnbroken(events: ConversationEvent[]): void {
    const numbers = events.flatMap((event) => ('id' in event ? [event] : []));
    for (const [index, { event, id }] of numbers.entries()) {
      const before = numbers[index - 1]?.id ?? 0;
      if (event === 'snapshot') expect(id).toBeGreaterThan(before);
      else expect(id).toBe(before + 1);
    }
    expect(numbers.at(-1)).toMatchObject({ event: 'status', data: { status: 'completed' } });
  }

  const story = Array.from({ length: 14 }, (_, n) => `and the ${n}th day came`).join(' ');

  /** What was shown of each message before it came. */
  function drafts(watcher: SseWatcher<ConversationEvent>): { texts: string[]; message: string }[] {
    const all: { texts: string[]; message: string }[] = [];
    let texts: string[] = [];
    for (const one of watcher.events) {
      if (one.event === 'delta') texts.push(one.data.text);
      if (one.event !== 'message') continue;
      all.push({ texts, message: one.data.text });
      texts = [];
    }
    expect(texts).toEqual([]);
    return all;
  }

  it('show text while it is written, more and more of it, and none after its message', async () => {
    p = await startParley({
      replies: [
        { text: `First ${story}`, chunkMs: 100, calls: [{ name: 'write_todos', input: { todos } }] },
        { text: `Second ${story}`, chunkMs: 100 },
      ],
    });
    const id = await p.start();
    const watcher = await watchConversationEvents(p.url, id);
    await watcher.ended;
    const written = drafts(watcher);
    expect(written.map(({ message }) => message)).toEqual([`First ${story}`, `Second ${story}`]);
    for (const { texts, message } of written) {
      expect(texts.length).toBeGreaterThan(2);
      expect(texts).toEqual([...new Set(texts)].sort((a, b) => a.length - b.length));
      for (const text of texts) expect(message.startsWith(text)).toBe(true);
    }
  });

  it('show that a text is begun again when the model has to be asked again', async () => {
    p = await startParley({
      replies: [
        { text: `First ${story}`, chunkMs: 100, cutAfter: 14 },
        { text: `Second ${story}`, chunkMs: 100 },
      ],
    });
    const watcher = await watchConversationEvents(p.url, await p.start());
    await watcher.ended;
    const [{ texts, message } = { texts: [], message: '' }] = drafts(watcher);
    expect(message).toBe(`Second ${story}`);
    const again = texts.indexOf('');
    expect(again).toBeGreaterThan(0);
    for (const text of texts.slice(0, again)) expect(text).toMatch(/^First/);
    expect(texts.slice(again + 1)).not.toEqual([]);
    for (const text of texts.slice(again + 1)) expect(text).toMatch(/^Second/);
  });
});
