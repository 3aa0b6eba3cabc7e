import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

const write = (line: string, more = {}) => ({
  name: 'write_line',
  input: { line, ...more },
  id: `call-${line}`,
});
const which = { name: 'ask_user_question', input: { questions: [{ question: 'Which?' }] }, id: 'call-ask' };

describe('tools in one turn', () => {
  const { tool, onceTool, lines } = createRecordingTool();
  let p: TestParley;
  beforeEach(() => void lines.splice(0));
  afterEach(() => p.stop());

  const tools = [...builtInTools, tool, onceTool];

  it.each([undefined, 0])(
    'run in order, those after the question once it is answered, each once (cache of %s)',
    async (maxCachedWorkflows) => {
      p = await startParley({
        tools,
        maxCachedWorkflows,
        replies: [replyWithToolCalls(write('one'), write('two'), which, write('three')), replyWithText('done')],
      });
      const id = await p.startConversation();
      await p.waitForQuestion(id);
      expect(lines).toEqual(['one', 'two']);
      await p.answer(id, { answer: 'That one' });
      await p.waitForStatus(id, 'completed');
      expect(lines).toEqual(['one', 'two', 'three']);
      const results = lastToolResults(await p.model.waitForRequest(1));
      expect(results.map(({ id: call, text }) => [call, text])).toEqual([
        ['call-one', 'wrote one'],
        ['call-two', 'wrote two'],
        ['call-ask', '{"answers":{"Which?":"That one"}}'],
        ['call-three', 'wrote three'],
      ]);
      p.model.expectAllRepliesUsed();
    },
  );

  it('ask one after the other if one turn has two questions', async () => {
    const other = { ...which, id: 'call-ask-2', input: { questions: [{ question: 'And then?' }] } };
    p = await startParley({ tools, replies: [replyWithToolCalls(which, other), replyWithText('done')] });
    const id = await p.startConversation();
    expect((await p.waitForQuestion(id)).fields[0]?.question).toBe('Which?');
    await p.answer(id, { answer: 'A' }, 'question-1');
    const stale = await p.answer<{ code: string }>(id, { answer: 'B' }, 'question-1');
    expect(stale.body.code).toBe('question_answered');
    await p.answer(id, { answer: 'C' }, 'question-2');
    await p.waitForStatus(id, 'completed');
    expect(lastToolResults(await p.model.waitForRequest(1)).map((result) => result.text)).toEqual([
      '{"answers":{"Which?":"A"}}',
      '{"answers":{"And then?":"C"}}',
    ]);
  });

  it('report errors to the model, and the conversation continues', async () => {
    const unknown = { name: 'fly', input: {}, id: 'call-fly' };
    const malformed = { ...which, input: { questions: [] }, id: 'call-bad' };
    p = await startParley({
      tools,
      replies: [
        replyWithToolCalls(write('one', { fail: true }), unknown, malformed, write('two')),
        replyWithText('mended'),
      ],
    });
    const id = await p.startConversation();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('mended');
    const results = lastToolResults(await p.model.waitForRequest(1));
    expect(results.map((result) => result.isError)).toEqual([true, true, true, false]);
    expect(results[0]?.text).toBe('the pen broke at one');
    expect(results[1]?.text).toContain('ask_user_question');
    expect(results[2]?.text).toContain('questions');
    expect(lines).toEqual(['one', 'two']);
  });

  it('store to-dos that show in the conversation and its timeline', async () => {
    const todos = [{ content: 'Paint', status: 'in_progress' }];
    p = await startParley({
      tools,
      replies: [replyWithToolCalls({ name: 'write_todos', input: { todos } }, which), replyWithText('done')],
    });
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    expect((await p.getConversation(id)).todos).toEqual(todos);
    const { body } = await p.call<{ items: object[] }>('GET', `/v1/conversations/${id}/timeline`);
    expect(body.items).toContainEqual(expect.objectContaining({ kind: 'todos', todos }));
  });

  it('do not continue after the conversation is cancelled', async () => {
    p = await startParley({ tools, replies: [replyWithToolCalls(which, write('never'))] });
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.client.workflow.getHandle(id).result();
    expect(lines).toEqual([]);
  });

  it('stop asking at the limit of the turn, with an error', async () => {
    const replies = [
      replyWithToolCalls(which),
      replyWithToolCalls(which),
      replyWithToolCalls(which),
      replyWithText('I give up'),
    ].map((reply, n) =>
      'calls' in reply ? { calls: reply.calls?.map((call) => ({ ...call, id: `call-${n}` })) } : reply,
    );
    p = await startParley({ tools, replies, frontMatter: 'questions: { perTurn: 2 }' });
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'A' }, 'question-1');
    await p.waitForStatus(id, 'waiting_for_input');
    await p.answer(id, { answer: 'B' }, 'question-2');
    expect(await p.waitForStatus(id, 'completed')).toMatchObject({ result: 'I give up', questionsAsked: 2 });
    expect(lastToolResults(await p.model.waitForRequest(3))[0]).toMatchObject({
      isError: true,
      text: expect.stringContaining('limit of 2 calls for one message'),
    });
  });
});
