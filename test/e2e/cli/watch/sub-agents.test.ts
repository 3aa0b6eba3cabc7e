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

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley({
    frontMatter: `subagents: [${scout}]`,
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
  env = { PARLEY_URL: parley.url, PARLEY_API_KEY: parley.apiKey('ann') };
});
afterAll(() => parley.stop());

const waitForQuestions = (count: number, ...targets: string[]) =>
  eventually(async () => {
    const { body } = await parley.call<{ items: Question[] }>('GET', `/v1/questions?agent=${scout}&limit=100`);
    const items = body.items.filter(({ fields }) => targets.some((what) => fields[0]?.question === `Find ${what}?`));
    if (items.length !== count) throw new Error(`${items.length} wait`);
    return items;
  });

describe('questions of sub-agents', () => {
  let screen: TerminalScreen | undefined;
  afterEach(() => {
    screen?.close();
    screen = undefined;
  });

  it('are shown with the conversation they belong to, and so are answers by others', async () => {
    screen = runOnScreen(['start', parley.agent, 'gold tin', '--no-input', '--wait'], { env });
    for (const what of ['gold', 'tin']) await screen.waitFor(`Find ${what}?`);
    for (const question of await waitForQuestions(2, 'gold', 'tin')) {
      await screen.waitFor(question.fields[0]?.question ?? '');
      await parley.answer(question.conversationId, { answer: 'X' }, question.id);
    }
    expect(await screen.waitForExit()).toBe(0);
    const text = (await screen.textWithScrollback()).replace(/\s+/g, ' ');
    expect(text).toContain(`${parley.agent} › ${scout} asks ? Find gold?`);
    expect(text).toContain(`${parley.agent} › ${scout}: Find tin? Answered by ann over HTTP: X`);
    expect(text).toMatch(/All done\. Find (gold|tin): found/);
  });

  it('exit with 3 if no one is there to answer, and name the conversation to answer in', async () => {
    const { code, err } = await runPiped(['start', parley.agent, 'iron', '--no-input'], env);
    const [question] = await waitForQuestions(1, 'iron');
    expect(code).toBe(3);
    expect(err).toContain(`parley answer ${question?.conversationId}`);
  });

  it('close with their root conversation, which is the one to message', async () => {
    const started = await runPiped(['start', parley.agent, 'zinc', '--detach'], env);
    const [question] = await waitForQuestions(1, 'zinc');
    const id = started.out.trim();
    await parley.call('POST', `/v1/conversations/${id}/cancel`, {});
    const subagentId = question?.conversationId ?? '';
    await parley.waitForStatus(subagentId, 'cancelled');
    const { code, err } = await runPiped(['watch', subagentId], env);
    expect(code).toBe(1);
    expect(err).toContain(`This sub-agent has finished. Message ${parley.agent} instead: parley say ${id} "…"\n`);
  });

  it('are events, too', async () => {
    const { code, out } = await runPiped(['start', parley.agent, 'lead', '--events'], env);
    const last = JSON.parse(out.trim().split('\n').at(-1) ?? '');
    expect(code).toBe(3);
    expect(last).toMatchObject({
      event: 'question_pending',
      data: { agent: scout, origin: [parley.agent, scout] },
    });
  });
});
