import { MockActivityEnvironment } from '@temporalio/testing';
import { runTool } from '#activities/run-tool';
import type { Question } from '#contract/question';
import { sha256Digest } from '#core/digest';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';
import type { Tool } from '#tools/tool';
import { answerQuestionSignal } from '#workflows/messages';

const write = (line: string, id = `call-${line}`) => ({ name: 'write_line', input: { line }, id });
const YES = { answer: 'Yes, proceed' };

describe('a tool that requires approval', () => {
  const { tool, lines } = createRecordingTool();
  let p: TestParley;
  beforeEach(() => void lines.splice(0));
  afterEach(() => p.stop());
  const begin = async (...replies: Parameters<typeof replyWithToolCalls>[0][][]) => {
    p = await startParley({
      ownWorker: true,
      tools: [...builtInTools, tool],
      frontMatter: 'tools: [{ name: write_line, requiresConfirmation: true }]\nquestions: { timeout: 1d }',
      replies: [...replies.map((calls) => replyWithToolCalls(...calls)), replyWithText('done')],
    });
    return p.startConversation();
  };
  const heard = async (request: number) => lastToolResults(await p.model.waitForRequest(request));

  it('runs once with exactly what was shown, after approval', async () => {
    const id = await begin([write('one')]);
    const question = await p.waitForQuestion(id);
    expect(question).toMatchObject({
      confirms: {
        tool: 'write_line',
        arguments: { line: 'one' },
        digest: sha256Digest({ line: 'one' }),
        destructive: true,
      },
      context: expect.stringContaining('"line": "one"'),
    });
    expect(lines).toEqual([]);
    expect((await p.answer(id, { ...YES, comment: 'Neatly' })).status).toBe(200);
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual(['one']);
    expect((await heard(1))[0]).toMatchObject({
      text: expect.stringMatching(/^wrote one\n\n.*Neatly/),
      isError: false,
    });
  });

  it.each([
    ['a no', (id: string) => p.answer(id, { answer: 'No, cancel' }), /"confirmed":false/],
    [
      'a decline',
      (id: string) => p.call('POST', `/v1/conversations/${id}/questions/latest/decline`),
      /declined to answer.*not run/,
    ],
  ])('does not run after %s, and the model is told', async (_what, settle, said) => {
    const id = await begin([write('one')]);
    await p.waitForQuestion(id);
    await settle(id);
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual([]);
    expect((await heard(1))[0]?.text).toMatch(said);
  });

  it('does not run if nobody answers', async () => {
    p = await startParley({
      ownWorker: true,
      tools: [...builtInTools, tool],
      frontMatter:
        'tools: [{ name: write_line, requiresConfirmation: true }]\nquestions: { timeout: 1s, onTimeout: default }',
      replies: [replyWithToolCalls(write('one')), replyWithText('done')],
    });
    const id = await p.startConversation();
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual([]);
    expect((await heard(1))[0]?.text).toMatch(/timed_out.*neither a yes nor a no.*not run/);
  });

  it('asks again if the model sends other arguments, or the same once more', async () => {
    const id = await begin([write('one')], [write('two')], [write('two', 'call-again')]);
    await p.waitForQuestion(id);
    await p.answer(id, YES, 'question-1');
    const second = await until(id, 'question-2');
    expect(second.confirms?.arguments).toEqual({ line: 'two' });
    expect(lines).toEqual(['one']);
    const stale = await p.answer<{ code: string }>(id, YES, 'question-1');
    expect(stale).toMatchObject({ status: 409, body: { code: 'question_answered' } });
    await p.answer(id, YES, 'question-2');
    await until(id, 'question-3');
    await p.answer(id, { answer: 'No, cancel' }, 'question-3');
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual(['one', 'two']);
  });

  it('cannot be approved any other way: by messages, signals for older questions, or arguments sent along', async () => {
    const id = await begin([write('one')], [write('two')]);
    await p.waitForQuestion(id);
    const handle = p.client.workflow.getHandle(id);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Yes, proceed' });
    await handle.signal(answerQuestionSignal, { answer: { other: 'Yes, proceed' } });
    await handle.signal(answerQuestionSignal, {
      approval: { questionId: 'question-1', digest: sha256Digest({ line: 'one' }) },
    });
    await handle.signal(answerQuestionSignal, { ...YES, questionId: 'question-2' });
    expect((await p.waitForQuestion(id)).id).toBe('question-1');
    await handle.signal(answerQuestionSignal, YES);
    expect((await p.waitForQuestion(id)).id).toBe('question-1');
    const evil = { arguments: { line: 'EVIL' }, input: { line: 'EVIL' } };
    await handle.signal(answerQuestionSignal, { ...YES, questionId: 'question-1', ...evil });
    const { id: next } = await until(id, 'question-2');
    expect(next).toBe('question-2');
    await handle.signal(answerQuestionSignal, { ...YES, questionId: 'question-1' });
    await handle.signal(answerQuestionSignal, { answer: 'No, cancel', questionId: 'question-2' });
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual(['one']);
  });

  it('runs once, as approved, if the approval came twice while no worker was running', async () => {
    const id = await begin([write('one')]);
    await p.waitForQuestion(id);
    await p.stopWorker();
    const yes = () =>
      p.call('POST', `/v1/conversations/${id}/questions/question-1/answer`, YES, {
        'idempotency-key': 'yes',
      });
    expect((await Promise.all([yes(), yes()])).map(({ status }) => status)).toEqual([202, 202]);
    await p.startWorker();
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual(['one']);
  });

  it('is answered from a terminal by the command in the Temporal UI, which works only once', async () => {
    const id = await begin([write('one'), write('two')]);
    await p.waitForQuestion(id);
    const handle = p.client.workflow.getHandle(id);
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    const [, input = ''] = /--input '(.*)'/.exec(currentDetails) ?? [];
    await handle.signal(answerQuestionSignal, JSON.parse(input));
    await until(id, 'question-2');
    await handle.signal(answerQuestionSignal, JSON.parse(input));
    await p.answer(id, { answer: 'No, cancel' }, 'question-2');
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual(['one']);
  });

  it('is reported as possibly run in part if its worker stopped during the run, and does not run again', async () => {
    let isRunning: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      isRunning = resolve;
    });
    const slow: Tool = {
      ...tool,
      name: 'slow_line',
      execution: {
        kind: 'activity',
        runOnce: false,
        execute: (_input, { signal }) => {
          lines.push('begun');
          isRunning();
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      },
    };
    p = await startParley({
      ownWorker: true,
      tools: [...builtInTools, slow],
      frontMatter: 'tools: [{ name: slow_line, requiresConfirmation: true }]',
      replies: [replyWithToolCalls({ name: 'slow_line', input: { line: 'one' } }), replyWithText('done')],
    });
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await p.answer(id, YES, 'question-1');
    await running;
    await p.stopWorker();
    await p.startWorker();
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual(['begun']);
    expect((await heard(1))[0]).toMatchObject({
      isError: true,
      text: expect.stringContaining('may have run in part'),
    });
  });

  async function until(id: string, questionId: string): Promise<Question> {
    for (;;) {
      const question = await p.waitForQuestion(id);
      if (question.id === questionId) return question;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }
});

describe('the worker that runs a tool', () => {
  const { tool, lines } = createRecordingTool();
  const means = {
    tools: [tool],
    mcp: {},
    network: {},
    variables: {},
    verifyGrant: () => false,
  } as unknown as Parameters<typeof runTool>[0];
  const run = (input: unknown, digest?: string) =>
    new MockActivityEnvironment().run(() =>
      runTool(means, { id: 'call-1', name: 'write_line', input, approvedDigest: digest }),
    );

  it('does not run it with arguments that were changed after approval, wherever that happened', async () => {
    const digest = sha256Digest({ line: 'one' });
    expect(await run({ line: 'two' }, digest)).toEqual({ error: expect.stringContaining('differ') });
    expect(await run({ line: 'one', fail: false }, digest)).toHaveProperty('error');
    expect(lines).toEqual([]);
    expect(await run({ line: 'one' }, digest)).toEqual({ result: 'wrote one' });
  });
});
