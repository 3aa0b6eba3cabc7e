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
let held = createLatch();
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
  Slow: () => ({ text: 'At last.', hold: held.hold }),
  Hostile: (turn) =>
    [
      replyWithToolCalls({ name: 'write_line', input: { line: HOSTILE } }),
      replyWithQuestion({ question: HOSTILE, header: 'x', options: [{ label: HOSTILE }, { label: 'b' }] }),
    ][turn] ?? replyWithText(HOSTILE),
};

let stage: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await startParley({
    tools: [...builtInTools, createRecordingTool().tool],
    script: (request) => {
      const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
      return SCENES[readFirstMessage(request)]?.(turn) ?? replyWithText('Heard.');
    },
  });
  env = { PARLEY_URL: stage.url };
});
afterAll(() => stage.stop());

const run = (...words: string[]) => runPiped(['start', stage.agent, ...words], env);
const idIn = (text: string) => /c-[0-9a-f]{32}/.exec(text)?.[0] ?? '';

describe('a conversation on a pipe', () => {
  it('is told in finished pieces, and ends with 0', async () => {
    const { code, out, err } = await run('Talk');
    expect([code, out]).toEqual([0, 'All good\n\n• one\n• two\n']);
    expect(err).toMatch(/^Started c-\w+\nCome back with: parley watch c-\w+\n$/);
  });

  it('ends with 1 where it fails, and says why and how it goes on', async () => {
    const { code, out, err } = await run('Fail');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/parley: Failed: .*\n.*parley say c-\w+ "…"\n$/);
  });

  it('ends with 1 where somebody cancels it', async () => {
    held = createLatch();
    const id = await stage.start('Slow');
    const client = startInteractiveCli(['watch', id], env);
    await client.until('Slow');
    await stage.call('POST', `/v1/conversations/${id}/cancel`, { reason: 'Too late' });
    held.release();
    const { code, err } = await client.ended;
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('parley: Cancelled: The conversation was cancelled: Too late'),
    ]);
  });

  it('is not to be taken up where it was ended in Temporal', async () => {
    held = createLatch();
    const id = await stage.start('Slow');
    const client = startInteractiveCli(['watch', id], env);
    await client.until('Slow');
    await stage.client.workflow.getHandle(id).terminate();
    const { code, err } = await client.ended;
    held.release();
    const next = `It left nothing to go on from. Start a new one: parley start ${stage.agent} "…"\n`;
    expect([code, err]).toEqual([1, expect.stringContaining(`terminated in Temporal.\n${next}`)]);
    const shown = await runPiped(['show', id], env);
    expect(shown.out.replace(/\s+/g, ' ')).toContain(`terminated in Temporal. ${next.trim()}`);
    expect((await runPiped(['say', id, 'Go on'], env)).code).toBe(5);
  });

  it('ends with 3 where nobody is there to answer', async () => {
    const { code, out, err } = await run('Ask', '--no-input');
    expect([code, out]).toEqual([3, 'Let me ask.\n\n? Which colour?\n  Red · Blue · Other\n']);
    expect(err).toContain(`Answer it with: parley answer ${idIn(err)}\n`);
    expect((await run('Ask')).code).toBe(3);
  });

  it('stays until somebody else has answered, where it is to wait', async () => {
    const id = await stage.start('Ask');
    await stage.question(id);
    const client = startInteractiveCli(['watch', id, '--no-input', '--wait'], env);
    await client.until('Which colour?');
    await stage.answer(id, { answer: 'Red' });
    const { code, out } = await client.ended;
    expect(code).toBe(0);
    expect(out).toContain('  Answered over HTTP: Red\n\nPainted.\n');
  });

  it('gives no line to the next question that may have been meant for one that is gone', async () => {
    const id = await stage.start('Form');
    const { fields } = await stage.question(id);
    const client = startInteractiveCli(['watch', id], env);
    await client.until('Which colour?');
    client.write('Red\n');
    await client.until('Which size?');
    await stage.answer(id, { answers: Object.fromEntries(fields.map(({ key }) => [key, 'Blue'])) });
    client.write('Yes\n');
    const { code, out, err } = await client.ended;
    expect([code, out]).toEqual([3, expect.not.stringContaining('Pay?')]);
    expect(err).toContain('Nothing more is read: what comes next may have been meant for that question.');
    expect(err).toContain(`parley watch ${id}\n`);
  });

  it('is one document for a program, whichever way it ends', async () => {
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

  it('is a line of JSON for each event, where they are wanted', async () => {
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

  it('goes on when it is interrupted, and says how to come back', async () => {
    held = createLatch();
    // Those of the tests before leave a little later than their commands end.
    await eventually(() => expect(stage.live.counts().viewers).toBe(0));
    const client = spawnCli(['start', stage.agent, 'Slow'], env);
    await eventually(() => expect(stage.live.counts().viewers).toBe(2));
    client.kill('SIGINT');
    const { code, err } = await client.ended;
    const id = idIn(err);
    expect([code, err]).toEqual([
      130,
      expect.stringContaining(`It goes on without you.\nCome back with: parley watch ${id}\n`),
    ]);
    held.release();
    await stage.until(id, 'completed');
  });

  it('lets no control character through, from wherever it comes', async () => {
    const { out, err, code } = await run('Hostile', '--no-input');
    expect(code).toBe(3);
    const id = idIn(err);
    await stage.answer(id, { answer: { other: HOSTILE }, comment: HOSTILE });
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
