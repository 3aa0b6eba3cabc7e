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

  /** Streams text, writes a to-do list, uses a tool, asks, and ends. */
  async function startScriptedParley(): Promise<{ write: () => void }> {
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

  const ALL_EVENTS = [
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

  /** Disconnects after each event, and resumes from there. */
  async function watchWithReconnects(id: string, ...urls: string[]): Promise<ConversationEvent[]> {
    const events: ConversationEvent[] = [];
    let after: number | undefined;
    for (let turn = 0; ; turn += 1) {
      const watcher = await watchConversationEvents(urls[turn % urls.length] ?? '', id, after);
      if (watcher.status === 204) return events;
      const event = await watcher.waitForEvent(({ event }) => event !== 'delta');
      watcher.disconnect();
      events.push(event);
      if ('id' in event) after = event.id;
      else return events;
    }
  }

  it('are the same for all, and a client that resumes at any of them misses and repeats none', async () => {
    const { write } = await startScriptedParley();
    const id = await p.startConversation();
    const [first, second] = await Promise.all([watchConversationEvents(p.url, id), watchConversationEvents(p.url, id)]);
    const third = watchWithReconnects(id, p.url);
    await first.waitForEvent(isEventNamed('delta'));
    write();
    const pendingEvent = await first.waitForEvent(isEventNamed('question_pending'));
    expect(pendingEvent.data).toMatchObject({ status: 'pending', outcome: null });
    expect((await p.answer(id, { answer: 'This' })).status).toBe(200);
    await Promise.all([first.closed, second.closed]);

    expect(listEventNames(first.events)).toEqual(ALL_EVENTS);
    expect(listEventNames(second.events)).toEqual(ALL_EVENTS);
    // After the last event it disconnected before `done`: either nothing is left, or only that.
    const reconnectedEvents = listEventNames(await third);
    expect(reconnectedEvents.slice(0, 12)).toEqual(ALL_EVENTS.slice(0, 12));
    expect(reconnectedEvents.slice(12)).toEqual(reconnectedEvents.length > 12 ? ['done'] : []);
    expect(first.events.find(isEventNamed('question_answered'))?.data).toMatchObject({
      status: 'answered',
      outcome: { answers: { q1: 'This' } },
    });
    expect(first.events.at(-1)?.data).toEqual(await p.getConversation(id));
    expect(first.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': expect.stringContaining('no-store'),
      'x-accel-buffering': 'no',
    });

    const numberedEvents = first.events.filter(({ event }) => event !== 'delta' && event !== 'snapshot');
    for (let after = 1; after < 12; after += 1) {
      const resumed = await watchConversationEvents(p.url, id, after);
      await resumed.closed;
      expect(resumed.events).toEqual(numberedEvents.filter((event) => !('id' in event) || event.id > after));
    }
    await waitUntilUnwatched();
  });

  async function waitUntilUnwatched(): Promise<void> {
    while (p.streamHub.counts().connections > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(p.streamHub.counts()).toEqual({ feeds: 0, connections: 0 });
  }

  it('show since when the model has been thinking, then the update it wrote meanwhile and the text in one', async () => {
    const { hold, release } = createLatch();
    const text = createLatch();
    p = await startParley({
      ownWorker: true,
      replies: [
        { thinking: 'I looked behind it.', holdThinking: hold, text: 'It is red.', hold: text.hold, holdAfter: 4 },
      ],
    });
    const id = await p.startConversation();
    const watcher = await watchConversationEvents(p.url, id);
    const thinking = await watcher.waitForEvent(isEventNamed('delta'));
    expect(thinking.data).toEqual({ text: '', thinkingSince: expect.any(String) });
    release();
    const written = (event: ConversationEvent) => event.event === 'delta' && event.data.text.includes('It is');
    expect((await watcher.waitForEvent(written)).data).toEqual({ text: 'I looked behind it.\n\nIt is red.' });
    text.release();
    await watcher.closed;
    const message = watcher.events.filter(isEventNamed('message')).at(-1);
    expect(message?.data.text).toBe('I looked behind it.\n\nIt is red.');
    expect((await p.getConversation(id)).result).toBe('It is red.');
  });

  it('continue from the same place at another API, when one is stopped', async () => {
    const { write } = await startScriptedParley();
    write();
    const id = await p.startConversation();
    const other = await startApi(p.config, createLog('silent'), { taskQueue: p.taskQueue, tools });
    const before = await watchConversationEvents(other.url, id);
    await before.waitForEvent(isEventNamed('question_pending'));
    await other.stop();
    await before.closed;
    const last = before.events.findLast((event) => 'id' in event) as { id: number };
    const after = await watchConversationEvents(p.url, id, last.id);
    expect((await p.answer(id, { answer: 'This' })).status).toBe(200);
    await after.closed;
    expect(listEventNames([...before.events, ...after.events])).toEqual(ALL_EVENTS);
  });

  it('continue over continue-as-new, including those dropped from the timeline', async () => {
    const { tool, lines } = createRecordingTool();
    const text = 'x'.repeat(90_000);
    const toolCallCount = 24;
    p = await startParley({
      tools: [...builtInTools, tool],
      script: (request) => {
        // The model's transcript is kept short, but the timeline is not, and takes the space.
        if (isSummaryModelRequest(request)) return replyWithText('Much was written.');
        if (lastToolResults(request).some((result) => result.text.includes('answers'))) return replyWithText('done');
        if (lines.length >= toolCallCount) return replyWithToolCalls(question);
        return { text, calls: [{ name: 'write_line', input: { line: 'one' } }] };
      },
    });
    const id = await p.startConversation('Write much');
    const { runId } = await p.client.workflow.getHandle(id).describe();
    const watchers = await Promise.all([watchConversationEvents(p.url, id), watchConversationEvents(p.url, id)]);
    const reconnecting = watchWithReconnects(id, p.url);
    await watchers[0].waitForEvent(isEventNamed('question_pending'));
    expect((await p.client.workflow.getHandle(id).describe()).runId).not.toBe(runId);
    expect((await p.answer(id, { answer: 'Yes' })).status).toBe(200);
    const tools = Array.from({ length: 2 * toolCallCount }, (_, n) => `${n + 2} ${n % 2 === 0 ? 'message' : 'tool'}`);
    const rest = ['50 question_pending', '51 status', '52 question_answered', '53 status', '54 message'];
    for (const watcher of watchers) {
      await watcher.closed;
      expect(listEventNames(watcher.events)).toEqual(['1 snapshot', ...tools, ...rest, '55 status', 'done']);
    }
    expectNoGaps(await reconnecting);
  });

  /** Numbers have no gaps, except before a snapshot that replaces removed entries. */
  function expectNoGaps(events: ConversationEvent[]): void {
    const numbers = events.flatMap((event) => ('id' in event ? [event] : []));
    for (const [index, { event, id }] of numbers.entries()) {
      const before = numbers[index - 1]?.id ?? 0;
      if (event === 'snapshot') expect(id).toBeGreaterThan(before);
      else expect(id).toBe(before + 1);
    }
    expect(numbers.at(-1)).toMatchObject({ event: 'status', data: { status: 'completed' } });
  }

  const longText = Array.from({ length: 14 }, (_, n) => `and the ${n}th day came`).join(' ');

  /** The partial texts of each message before it was complete. */
  function partialTexts(watcher: SseWatcher<ConversationEvent>): { texts: string[]; message: string }[] {
    const messages: { texts: string[]; message: string }[] = [];
    let texts: string[] = [];
    for (const event of watcher.events) {
      if (event.event === 'delta') texts.push(event.data.text);
      if (event.event !== 'message') continue;
      messages.push({ texts, message: event.data.text });
      texts = [];
    }
    expect(texts).toEqual([]);
    return messages;
  }

  it('show text while it is written, growing, and none after its message', async () => {
    p = await startParley({
      replies: [
        { text: `First ${longText}`, chunkMs: 100, calls: [{ name: 'write_todos', input: { todos } }] },
        { text: `Second ${longText}`, chunkMs: 100 },
      ],
    });
    const id = await p.startConversation();
    const watcher = await watchConversationEvents(p.url, id);
    await watcher.closed;
    const written = partialTexts(watcher);
    expect(written.map(({ message }) => message)).toEqual([`First ${longText}`, `Second ${longText}`]);
    for (const { texts, message } of written) {
      expect(texts.length).toBeGreaterThan(2);
      expect(texts).toEqual([...new Set(texts)].sort((a, b) => a.length - b.length));
      for (const text of texts) expect(message.startsWith(text)).toBe(true);
    }
  });

  it('show that a text starts again if the model call is repeated', async () => {
    p = await startParley({
      replies: [
        { text: `First ${longText}`, chunkMs: 100, cutAfter: 14 },
        { text: `Second ${longText}`, chunkMs: 100 },
      ],
    });
    const watcher = await watchConversationEvents(p.url, await p.startConversation());
    await watcher.closed;
    const [{ texts, message } = { texts: [], message: '' }] = partialTexts(watcher);
    expect(message).toBe(`Second ${longText}`);
    const restart = texts.indexOf('');
    expect(restart).toBeGreaterThan(0);
    for (const text of texts.slice(0, restart)) expect(text).toMatch(/^First/);
    // Empty while it waits for the next attempt, and while that has written nothing.
    const resumed = texts.findLastIndex((text) => text === '') + 1;
    expect(new Set(texts.slice(restart, resumed))).toEqual(new Set(['']));
    expect(texts.slice(resumed)).not.toEqual([]);
    for (const text of texts.slice(resumed)) expect(text).toMatch(/^Second/);
  });
});
