import { randomBytes } from 'node:crypto';
import type { Question } from '#contract/question';
import { runPiped } from '#test/support/cli/run-cli';
import { runOnScreen, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { readFirstMessage } from '#test/support/web/web-fixture';

const scout = `scout-${randomBytes(4).toString('hex')}`;
const delegate = (task: string) => ({ name: 'delegate', input: { agent: scout, task } });

let stage: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await startParley({
    policy: `subagents: [${scout}]`,
    agents: { [scout]: '' },
    keys: { ann: ['admin'], writer: ['conversations:write', 'conversations:read'] },
    script: (request) => {
      const results = lastToolResults(request).map(({ text }) => text);
      const task = readFirstMessage(request);
      if (task.startsWith('Find'))
        return results[0] ? replyWithText(`${task}: found`) : replyWithQuestion(`${task}?`, 'X', 'Y');
      return results.length > 0
        ? replyWithText(`All done. ${results.join(' ')}`)
        : replyWithToolCalls(...task.split(' ').map((what) => delegate(`Find ${what}`)));
    },
  });
  env = { PARLEY_URL: stage.url, PARLEY_API_KEY: stage.key('ann') };
});
afterAll(() => stage.stop());

const waiting = (count: number, ...of: string[]) =>
  eventually(async () => {
    const { body } = await stage.call<{ items: Question[] }>('GET', `/v1/questions?agent=${scout}&limit=100`);
    const items = body.items.filter(({ fields }) => of.some((what) => fields[0]?.question === `Find ${what}?`));
    if (items.length !== count) throw new Error(`${items.length} wait`);
    return items;
  });

describe("sub-agents' questions", () => {
  let screen: TerminalScreen | undefined;
  afterEach(() => {
    screen?.close();
    screen = undefined;
  });

  it('are shown with whom they are for, and what others answer is told', async () => {
    screen = runOnScreen(['start', stage.agent, 'gold tin', '--no-input', '--wait'], { env });
    for (const what of ['gold', 'tin']) await screen.until(`Find ${what}?`);
    for (const one of await waiting(2, 'gold', 'tin')) {
      await screen.until(one.fields[0]?.question ?? '');
      await stage.answer(one.conversationId, { answer: 'X' }, one.id);
    }
    expect(await screen.ended()).toBe(0);
    const words = (await screen.all()).replace(/\s+/g, ' ');
    expect(words).toContain(`${stage.agent} › ${scout} asks ? Find gold?`);
    expect(words).toContain(`${stage.agent} › ${scout}: Find tin? Answered by ann over HTTP: X`);
    expect(words).toMatch(/All done\. Find (gold|tin): found/);
  });

  it('end with 3 where nobody is there, and name the conversation to answer in', async () => {
    const { code, err } = await runPiped(['start', stage.agent, 'iron', '--no-input'], env);
    const [one] = await waiting(1, 'iron');
    expect(code).toBe(3);
    expect(err).toContain(`parley answer ${one?.conversationId}`);
  });

  it('are gone with the conversation they are for, and it is that one that is written to', async () => {
    const started = await runPiped(['start', stage.agent, 'zinc', '--detach'], env);
    const [one] = await waiting(1, 'zinc');
    const id = started.out.trim();
    await stage.call('POST', `/v1/conversations/${id}/cancel`, {});
    const sub = one?.conversationId ?? '';
    await stage.until(sub, 'cancelled');
    const { code, err } = await runPiped(['watch', sub], env);
    expect(code).toBe(1);
    expect(err).toContain(`It worked for ${stage.agent}. Write there instead: parley say ${id} "…"\n`);
  });

  it('are events, too', async () => {
    const { code, out } = await runPiped(['start', stage.agent, 'lead', '--events'], env);
    const last = JSON.parse(out.trim().split('\n').at(-1) ?? '');
    expect(code).toBe(3);
    expect(last).toMatchObject({
      event: 'question_pending',
      data: { agent: scout, origin: [stage.agent, scout] },
    });
  });
});
