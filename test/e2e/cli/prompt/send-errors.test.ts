import { createPromptFixture, type PromptFixture } from '#test/support/cli/prompt-fixture';
import { runPiped } from '#test/support/cli/run-cli';
import type { TerminalScreen } from '#test/support/cli/terminal-screen';
import { replyWithQuestion } from '#test/support/scripted-model';
import { startTcpProxy, type TcpProxy } from '#test/support/tcp-proxy';

let fixture: PromptFixture;
let proxy: TcpProxy;
let env: Record<string, string>;
beforeAll(async () => {
  fixture = await createPromptFixture({
    ownWorker: true,
    keys: {
      ada: ['conversations:write', 'conversations:read', 'questions:answer'],
      bob: ['conversations:read'],
    },
  });
  proxy = await startTcpProxy(fixture.parley.url);
  env = { PARLEY_URL: proxy.url, PARLEY_API_KEY: fixture.parley.apiKey('ada') };
});
afterEach(() => {
  proxy.restore();
  fixture.closeScreens();
});
afterAll(async () => {
  await proxy.stop();
  await fixture.parley.stop();
});

const colour = () => replyWithQuestion({ question: 'Which colour?', header: 'Colour' });

describe('a question prompt', () => {
  it('closes when someone else answers, says who, and shows the unsent draft', async () => {
    const id = await fixture.startAndWaitForQuestion(colour());
    const screen = await fixture.openAnswerPrompt(id, { env });
    screen.type('Reddish');
    await screen.waitFor('Reddish');
    expect((await fixture.parley.answer(id, { answer: 'Blue' })).status).toBe(200);
    const shown = await screen.waitFor('Answered by ada over HTTP: Blue');
    expect(shown).toMatch(/Your unsent draft:\n +Colour: Reddish/);
    expect(await screen.waitForExit()).toBe(5);
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: 'Blue' });
  });

  it('closes at the deadline', async () => {
    // The output is the same if the deadline passes before the prompt appears.
    const id = await fixture.startAsking(colour(), { question: { timeout: '3s', onTimeout: 'continue' } });
    const screen = fixture.openScreen(['answer', id], { env });
    await screen.waitFor('No answer in time');
    expect(await screen.visibleText()).toContain('Nothing was sent from here.');
    expect(await screen.waitForExit()).toBe(5);
  });

  it('shows the outcome if the question was closed before', async () => {
    const id = await fixture.startAndWaitForQuestion(colour());
    await fixture.parley.answer(id, { answer: 'Blue' });
    const { code, out } = await runPiped(['answer', id], env, 'Red\n');
    expect([code, out]).toEqual([5, expect.stringContaining('Answered by ada over HTTP: Blue')]);
  });

  it('is answered while no worker is running: the answer is saved', async () => {
    const id = await fixture.startAndWaitForQuestion(colour());
    const screen = await fixture.openAnswerPrompt(id, { env });
    await fixture.parley.stopWorker();
    try {
      screen.type('Red');
      screen.press('Enter');
      const shown = await screen.waitFor('✓ Answered: Colour Red');
      expect(shown).toMatch(/Saved\. The agent will\s+continue\s+when a worker is\s+running\./);
      expect(await screen.waitForExit()).toBe(0);
    } finally {
      await fixture.parley.startWorker();
    }
    await fixture.parley.waitForStatus(id, 'completed');
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({ answers: { q1: 'Red' }, by: 'ada' });
  });

  it('keeps the draft while Parley is unreachable, and sends it afterwards', async () => {
    const id = await fixture.startAndWaitForQuestion(colour());
    const screen = await fixture.openAnswerPrompt(id, { env });
    screen.type('Red');
    proxy.cut();
    screen.press('Enter');
    await screen.waitFor(/✗ Can't reach Parley at[\s\S]*Your draft is safe/);
    expect(await screen.visibleText()).toContain('❯ Red');
    proxy.restore();
    screen.press('Enter');
    await screen.waitFor('✓ Answered: Colour Red');
    expect(await screen.waitForExit()).toBe(0);
  });

  it('counts once if it is sent twice because the reply was lost', async () => {
    const id = await fixture.startAndWaitForQuestion(colour());
    const screen = await fixture.openAnswerPrompt(id, { env });
    screen.type('Red');
    proxy.loseReplies();
    screen.press('Enter');
    await screen.waitFor("✗ Can't reach Parley");
    await fixture.parley.waitForStatus(id, 'completed');
    proxy.restore();
    screen.press('Enter');
    await screen.waitFor('✓ Answered: Colour Red');
    expect(await screen.waitForExit()).toBe(0);
  });

  it('is refused for a key that may not answer', async () => {
    const id = await fixture.startAndWaitForQuestion(colour(), { visibleTo: ['bob'] });
    const screen = await fixture.openAnswerPrompt(id, {
      env: { ...env, PARLEY_API_KEY: fixture.parley.apiKey('bob') },
    });
    screen.type('Red');
    screen.press('Enter');
    await screen.waitFor(/parley: .*questions:answer/);
    expect(await screen.waitForExit()).toBe(5);
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it('is not shown for an invalid key', async () => {
    const id = await fixture.startAndWaitForQuestion(colour());
    const { code, err } = await runPiped(['answer', id], { ...env, PARLEY_API_KEY: 'wrong' });
    expect([code, err]).toEqual([5, expect.stringContaining('Set PARLEY_API_KEY')]);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('restores the terminal on %s', async (signal) => {
    const id = await fixture.startAndWaitForQuestion(colour());
    const screen = await fixture.openAnswerPrompt(id, { env });
    expect(await screen.isCursorVisible()).toBe(false);
    process.kill(screen.pid(), signal);
    expect(await screen.waitForExit()).toBeGreaterThan(128);
    await expectOwnState(screen);
  });

  it('restores the terminal once it is answered', async () => {
    const id = await fixture.startAndWaitForQuestion(colour());
    const screen = await fixture.openAnswerPrompt(id, { env });
    screen.press('R', 'Enter');
    expect(await screen.waitForExit()).toBe(0);
    await expectOwnState(screen);
    screen.paste('pasted');
    expect(await screen.waitFor('echoedpasted')).not.toContain('200~');
  });

  async function expectOwnState(screen: TerminalScreen): Promise<void> {
    expect(await screen.isCursorVisible()).toBe(true);
    screen.type('echoed');
  }
});
