import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelScript } from '#models/demo/reply';
import { SUMMARY_PROMPT } from '#models/prompts/summary';
import { type RunningProcess, startNodeProcess } from '#test/support/child-process';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool as inMemory } from '#test/support/recording-tool';
import { replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

const writeLineCall = (line: string) => ({ name: 'write_line', input: { line }, id: `call-${line}` });
const questionCall = { name: 'ask_user_question', input: { questions: [{ question: 'Which?' }] }, id: 'call-ask' };

describe('a worker that is killed', () => {
  // The tools of the worker's process, as the API knows them.
  const tools = [...builtInTools, inMemory().tool];
  let p: TestParley;
  let folder: string;
  let worker: RunningProcess;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-crash-'));
    writeFileSync(path.join(folder, 'diary'), '');
  });
  afterEach(async () => {
    worker.child.kill('SIGKILL');
    await p.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function startWorker(): Promise<void> {
    worker = startNodeProcess('test/support/recording-tool-worker.js', {
      DIARY: path.join(folder, 'diary'),
      TASK_QUEUE: p.taskQueue,
      TEMPORAL_ADDRESS: process.env.PARLEY_TEST_ADDRESS,
      ANTHROPIC_API_KEY: 'test',
      ANTHROPIC_BASE_URL: p.model.url,
    });
    await worker.waitForOutput(/running/);
  }

  async function kill(): Promise<void> {
    worker.child.kill('SIGKILL');
    expect(await worker.exited).toBe('SIGKILL');
  }

  const diary = () => readFileSync(path.join(folder, 'diary'), 'utf8').split('\n').filter(Boolean);

  it('during a model call repeats the call; no tool runs twice or is lost', async () => {
    const hangingReply = { text: 'never heard', hold: new Promise(() => undefined) };
    p = await startParley({
      startsWorker: false,
      tools,
      replies: [
        replyWithToolCalls(writeLineCall('one')),
        hangingReply,
        replyWithToolCalls(writeLineCall('two')),
        replyWithText('done'),
      ],
    });
    await startWorker();
    const id = await p.startConversation();
    await p.model.waitForRequest(1);
    await kill();
    await startWorker();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    expect(diary()).toEqual(['one', 'two']);
    p.model.expectAllRepliesUsed();
  });

  it('while older turns are summarized repeats the summary; no tool runs twice or is lost', async () => {
    let summaries = 0;
    let step = 0;
    const script: ModelScript = ({ body }) => {
      if (JSON.stringify(body.messages.at(-1)).includes(SUMMARY_PROMPT.slice(0, 60))) {
        summaries += 1;
        return {
          text: 'Some were written.',
          ...(summaries === 1 ? { hold: new Promise(() => undefined) } : {}),
        };
      }
      step += 1;
      return step > 9 ? replyWithText('done') : { text: 'a line '.repeat(600), calls: [writeLineCall(String(step))] };
    };
    const frontMatter = 'contextWindow: 12000\nmaxTokens: 2000';
    p = await startParley({ startsWorker: false, tools, frontMatter, script });
    await startWorker();
    const id = await p.startConversation();
    while (summaries === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await kill();
    await startWorker();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    expect(summaries).toBe(2);
    expect(diary()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  it('while a question is open keeps the answer; no tool runs twice or is lost', async () => {
    p = await startParley({
      startsWorker: false,
      tools,
      replies: [replyWithToolCalls(writeLineCall('one'), questionCall, writeLineCall('two')), replyWithText('done')],
    });
    await startWorker();
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await kill();
    expect((await p.answer(id, { answer: 'That' })).status).toBe(202);
    await startWorker();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    expect(diary()).toEqual(['one', 'two']);
    p.model.expectAllRepliesUsed();
  });
});
