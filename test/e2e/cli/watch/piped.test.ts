import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/events';
import type { ScriptedReply } from '#models/demo/reply';
import { spawnCli, startInteractiveCli } from '#test/support/cli/interactive-cli';
import { runPiped } from '#test/support/cli/run-cli';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import {
  createLatch,
  replyWithError,
  replyWithQuestion,
  replyWithText,
  replyWithToolCalls,
} from '#test/support/scripted-model';
import { readFirstMessage } from '#test/support/web/web-fixture';
import { builtInTools } from '#tools/registry';

const HOSTILE = 'a\u001b[31mb\u0007\u009b2J\u202ec\r\nd';
let latch = createLatch();
const SCENES: Record<string, (turn: number) => ScriptedReply> = {
  Talk: () => replyWithText('# All good\n\n- **one**\n- two'),
  Ask: (turn) =>
    turn === 0
      ? { ...replyWithQuestion('Which colour?', 'Red', 'Blue'), text: 'Let me ask.' }
      : replyWithText('Painted.'),
  Form: (turn) =>
    turn === 0
      ? replyWithQuestion([{ question: 'Which colour?' }, { question: 'Which size?' }])
      : replyWithQuestion('Pay?', 'Yes', 'No'),
  Fail: () => replyWithError(400, { message: 'no such model' }),
  Slow: () => ({ text: 'At last.', hold: latch.hold }),
  Hostile: (turn) =>
    [
      replyWithToolCalls({ name: 'write_line', input: { line: HOSTILE } }),
      replyWithQuestion({ question: HOSTILE, header: 'x', options: [{ label: HOSTILE }, { label: 'b' }] }),
    ][turn] ?? replyWithText(HOSTILE),
};

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley({
    tools: [...builtInTools, createRecordingTool().tool],
    script: (request) => {
      const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
      return SCENES[readFirstMessage(request)]?.(turn) ?? replyWithText('Heard.');
    },
  });
  env = { PARLEY_URL: parley.url };
});
afterAll(() => parley.stop());

const run = (...words: string[]) => runPiped(['start', parley.agent, ...words], env);
const conversationIdIn = (text: string) => /c-[0-9a-f]{32}/.exec(text)?.[0] ?? '';

describe('a conversation followed on a pipe', () => {
  it('is printed in complete pieces, and exits with 0', async () => {
    const { code, out, err } = await run('Talk');
    expect([code, out]).toEqual([0, 'All good\n\n• one\n• two\n']);
    expect(err).toMatch(/^Started c-\w+\nResume with: parley watch c-\w+\n$/);
  });

  it('exits with 1 if it fails, and says why and how to continue', async () => {
    const { code, out, err } = await run('Fail');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/parley: Failed: .*\n.*parley say c-\w+ "…"\n$/);
  });

  it('exits with 1 if it is cancelled', async () => {
    latch = createLatch();
    const id = await parley.startConversation('Slow');
    const client = startInteractiveCli(['watch', id], env);
    await client.waitForOutput('Slow');
    await parley.call('POST', `/v1/conversations/${id}/cancel`, { reason: 'Too late' });
    latch.release();
    const { code, err } = await client.result;
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('parley: Cancelled: The conversation was cancelled: Too late'),
    ]);
  });

  it('cannot be resumed if it was ended in Temporal', async () => {
    latch = createLatch();
    const id = await parley.startConversation('Slow');
    const client = startInteractiveCli(['watch', id], env);
    await client.waitForOutput('Slow');
    await parley.client.workflow.getHandle(id).terminate();
    const { code, err } = await client.result;
    latch.release();
    const next = `It can't be resumed. Start a new one: parley start ${parley.agent} "…"\n`;
    expect([code, err]).toEqual([1, expect.stringContaining(`terminated in Temporal.\n${next}`)]);
    const shown = await runPiped(['show', id], env);
    expect(shown.out.replace(/\s+/g, ' ')).toContain(`terminated in Temporal. ${next.trim()}`);
    expect((await runPiped(['say', id, 'Go on'], env)).code).toBe(5);
  });

  it('exits with 3 if no one is there to answer', async () => {
    const { code, out, err } = await run('Ask', '--no-input');
    expect([code, out]).toEqual([3, 'Let me ask.\n\n? Which colour?\n  Red · Blue · Other\n']);
    expect(err).toContain(`Answer it with: parley answer ${conversationIdIn(err)}\n`);
    expect((await run('Ask')).code).toBe(3);
  });

  it('waits for others to answer with --wait', async () => {
    const id = await parley.startConversation('Ask');
    await parley.waitForQuestion(id);
    const client = startInteractiveCli(['watch', id, '--no-input', '--wait'], env);
    await client.waitForOutput('Which colour?');
    await parley.answer(id, { answer: 'Red' });
    const { code, out } = await client.result;
    expect(code).toBe(0);
    expect(out).toContain('  Answered over HTTP: Red\n\nPainted.\n');
  });

  it('does not answer the next question with input meant for a closed one', async () => {
    const id = await parley.startConversation('Form');
    const { fields } = await parley.waitForQuestion(id);
    const client = startInteractiveCli(['watch', id], env);
    await client.waitForOutput('Which colour?');
    client.write('Red\n');
    await client.waitForOutput('Which size?');
    await parley.answer(id, { answers: Object.fromEntries(fields.map(({ key }) => [key, 'Blue'])) });
    client.write('Yes\n');
    const { code, out, err } = await client.result;
    expect([code, out]).toEqual([3, expect.not.stringContaining('Pay?')]);
    expect(err).toContain('Stopped reading stdin: the rest may have been meant for that question.');
    expect(err).toContain(`parley watch ${id}\n`);
  });

  it('is one JSON document, however it ends', async () => {
    const done = await run('Talk', '--json');
    expect([done.code, done.err]).toEqual([0, '']);
    expect(JSON.parse(done.out)).toMatchObject({
      status: 'completed',
      result: expect.stringContaining('All good'),
    });
    const waiting = await run('Ask', '--json');
    expect([waiting.code, waiting.err]).toEqual([3, '']);
    expect(JSON.parse(waiting.out)).toMatchObject({
      status: 'waiting_for_input',
      question: { id: 'question-1' },
    });
    const failed = await run('Fail', '--json');
    expect([failed.code, (JSON.parse(failed.out) as Conversation).status]).toEqual([1, 'failed']);
  });

  it('is one line of JSON for each event with --events', async () => {
    const { code, out, err } = await run('Ask', '--events');
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ConversationEvent);
    expect([code, err]).toEqual([3, '']);
    expect(events.filter(({ event }) => event !== 'delta').map(({ event }) => event)).toEqual([
      'message',
      'question_pending',
    ]);
  });

  it('continues when the client is interrupted, which shows how to return', async () => {
    latch = createLatch();
    // Clients of earlier tests disconnect a little after their commands end.
    await eventually(() => expect(parley.streamHub.counts().connections).toBe(0));
    const client = spawnCli(['start', parley.agent, 'Slow'], env);
    await eventually(() => expect(parley.streamHub.counts().connections).toBe(2));
    client.kill('SIGINT');
    const { code, err } = await client.result;
    const id = conversationIdIn(err);
    expect([code, err]).toEqual([
      130,
      expect.stringContaining(`The conversation continues.\nResume with: parley watch ${id}\n`),
    ]);
    latch.release();
    await parley.waitForStatus(id, 'completed');
  });

  it('prints no control characters, wherever they come from', async () => {
    const { out, err, code } = await run('Hostile', '--no-input');
    expect(code).toBe(3);
    const id = conversationIdIn(err);
    await parley.answer(id, { answer: { other: HOSTILE }, comment: HOSTILE });
    const watched = await runPiped(['watch', id, '--from-start'], env);
    const shown = await runPiped(['show', id], env);
    for (const text of [out, err, watched.out, watched.err, shown.out, shown.err]) {
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    }
    expect(shown.out).toContain('a␛[31mb␇');
    const missing = await runPiped(['watch', HOSTILE], env);
    expect(missing.code).toBe(4);
    expect(missing.err).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});
