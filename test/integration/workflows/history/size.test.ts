import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import {
  isSummaryModelRequest,
  lastToolResults,
  replyWithQuestion,
  replyWithText,
  replyWithToolCalls,
} from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

/** Each event and byte costs everyone who replays, stores or reads a conversation. */
describe('the history of a conversation', () => {
  let p: TestParley;
  afterEach(() => p.stop());

  async function eventsOf(id: string) {
    const { events } = await p.client.workflow.getHandle(id).fetchHistory();
    return events ?? [];
  }
  const bytes = (event: object) => JSON.stringify(event).length;

  it('has at most 20 events for a question and its answer', async () => {
    const rounds = 6;
    const replies = Array.from({ length: rounds }, (_, n) =>
      replyWithToolCalls({
        name: 'ask_user_question',
        input: { questions: [{ question: `Question ${n}?` }] },
        id: `call-${n}`,
      }),
    );
    p = await startParley({ replies: [...replies, replyWithText('done')] });
    const id = await p.startConversation();
    const counts: number[] = [];
    for (let n = 1; n <= rounds; n += 1) {
      await p.waitForQuestion(id, `question-${n}`);
      counts.push((await eventsOf(id)).length);
      expect((await p.answer(id, { answer: 'So' }, `question-${n}`)).status).toBe(200);
    }
    await p.waitForStatus(id, 'completed');
    const perTurn = counts.slice(1).map((count, n) => count - (counts[n] ?? 0));
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(20);
  });

  it('grows by as many bytes at the hundredth model call as at the tenth', async () => {
    const { tool } = createRecordingTool();
    const line = 'x'.repeat(2_048);
    const calls = 100;
    let done = 0;
    let summaries = 0;
    p = await startParley({
      tools: [...builtInTools, tool],
      script: (request) => {
        // The number of messages means nothing here, since a summary replaces old ones.
        if (isSummaryModelRequest(request)) {
          summaries += 1;
          return replyWithText('Lines were written.');
        }
        done += 1;
        return done === calls
          ? replyWithText('done')
          : { text: line, calls: [{ name: 'write_line', input: { line } }] };
      },
    });
    const id = await p.startConversation(line);
    await p.client.workflow.getHandle(id).result();
    const { usage } = await p.getConversation(id);
    expect(usage.modelCalls - summaries).toBe(calls);
    const perCall: number[] = [];
    for (const event of await eventsOf(id)) {
      if (event.activityTaskScheduledEventAttributes?.activityType?.name === 'callModel') perCall.push(0);
      if (perCall.length > 0) perCall[perCall.length - 1] = (perCall.at(-1) ?? 0) + bytes(event);
    }
    expect(perCall).toHaveLength(calls);
    const around = (n: number) => perCall.slice(n - 5, n + 4).reduce((sum, size) => sum + size, 0) / 9;
    expect(around(95) / around(10)).toBeLessThan(1.2);
  });

  it('continues as new when the state passes its limit, and still finishes with all messages', async () => {
    const story = 'é'.repeat(50_000);
    p = await startParley({
      script: (request) => {
        const [text] = (request.body.messages.at(-1)?.content ?? []) as { text?: string }[];
        return replyWithText(`${text?.text?.slice(0, 4)} heard ${story}`);
      },
    });
    const id = await p.startConversation(`0000${story}`);
    const first = await p.client.workflow.getHandle(id).describe();
    await p.waitForStatus(id, 'completed');
    for (let n = 1; n <= 9; n += 1) {
      const text = `${String(n).padStart(4, '0')}${story}`;
      expect((await p.call('POST', `/v1/conversations/${id}/messages`, { text })).status).toBe(202);
      expect((await p.waitForStatus(id, 'completed')).result).toContain(`${String(n).padStart(4, '0')} heard`);
    }
    const handle = p.client.workflow.getHandle(id);
    const state = await handle.result();
    expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThanOrEqual(1_900_000);
    expect((await handle.describe()).runId).not.toBe(first.runId);
    const { body } = await p.call<{ items: { id: number }[]; truncated?: boolean }>(
      'GET',
      `/v1/conversations/${id}/timeline`,
    );
    expect(body.truncated).toBe(true);
    expect(body.items.at(-1)?.id).toBeGreaterThan(9 * 3);
  });

  it('continues as new while a question is open, under a flood of invalid signals, and accepts the answer', async () => {
    p = await startParley({
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
    });
    const id = await p.startConversation();
    const question = await p.waitForQuestion(id);
    const handle = p.client.workflow.getHandle(id);
    const first = await handle.describe();
    // Temporal suggests continue-as-new at 4,096 events; an endless flood would let no task complete.
    for (let sent = 0; sent < 4_500; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, () => handle.signal('answerQuestion', null)));
    }
    while ((await handle.describe()).runId === first.runId) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await p.waitForQuestion(id)).toEqual(question);
    expect((await p.answer(id, { answer: 'A' }, question.id)).status).toBe(200);
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
  });

  it('is not blocked by unreadable signals, nor by endless nesting', async () => {
    p = await startParley({
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
    });
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    const data = (text: string) => new TextEncoder().encode(text);
    const payloads = [
      { metadata: { encoding: data('foo/bar') }, data: data('abc') },
      { metadata: { encoding: data('json/plain') }, data: data('{"answers": ') },
      {
        metadata: { encoding: data('json/plain') },
        data: data(`{"answers":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
      },
    ];
    for (const payload of payloads) {
      for (const signalName of ['answerQuestion', 'addMessage']) {
        const workflowExecution = { workflowId: id };
        const { namespace } = p.client.options;
        await p.client.workflowService.signalWorkflowExecution({
          namespace,
          workflowExecution,
          signalName,
          input: { payloads: [payload] },
        });
      }
    }
    expect((await p.answer(id, { answer: 'A' })).status).toBe(200);
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
  });

  it('continues as new in one long turn, and loses nothing', async () => {
    const { tool, lines } = createRecordingTool();
    const line = 'x'.repeat(1_000);
    // The model's transcript is kept short by summaries; the timeline is not.
    const text = 'y'.repeat(150_000);
    const many = 44;
    p = await startParley({
      tools: [...builtInTools, tool],
      script: (request) => {
        const heard = lastToolResults(request);
        if (heard.some((result) => result.text.includes('answers'))) return replyWithText('done');
        const calls = Array.from({ length: 4 }, () => ({ name: 'write_line', input: { line } }));
        if (lines.length < many) return { text, calls };
        return replyWithQuestion('Enough?', 'Yes', 'No');
      },
    });
    const id = await p.startConversation('Write much');
    await p.waitForQuestion(id);
    const { runId } = await p.client.workflow.getHandle(id).describe();
    const history = await p.client.workflow.getHandle(id, runId).fetchHistory();
    expect(history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toBeTruthy();
    expect((await p.answer(id, { answer: 'Yes' })).status).toBe(200);
    expect(await p.waitForStatus(id, 'completed')).toMatchObject({ result: 'done', questionsAsked: 1 });
    expect(lines).toHaveLength(many);
  });
});
