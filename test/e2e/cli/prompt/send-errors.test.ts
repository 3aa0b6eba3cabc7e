import { createPromptFixture, type PromptFixture } from '#test/support/cli/prompt-fixture';
import { runPiped } from '#test/support/cli/run-cli';
import type { TerminalScreen } from '#test/support/cli/terminal-screen';
import { replyWithQuestion } from '#test/support/scripted-model';
import { startTcpProxy, type TcpProxy } from '#test/support/tcp-proxy';

let stage: PromptFixture;
let line: TcpProxy;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await createPromptFixture({
    ownWorker: true,
    keys: {
      ada: ['conversations:write', 'conversations:read', 'questions:answer'],
      bob: ['conversations:read'],
    },
  });
  line = await startTcpProxy(stage.parley.url);
  env = { PARLEY_URL: line.url, PARLEY_API_KEY: stage.parley.key('ada') };
});
afterEach(() => {
  line.mend();
  stage.closeScreens();
});
afterAll(async () => {
  await line.stop();
  await stage.parley.stop();
});

const colour = () => replyWithQuestion({ question: 'Which colour?', header: 'Colour' });

describe('a question on a screen', () => {
  it('gives way when somebody else settles it, says who, and shows what was not sent', async () => {
    const id = await stage.asks(colour());
    const screen = await stage.answering(id, { env });
    screen.type('Reddish');
    await screen.until('Reddish');
    expect((await stage.parley.answer(id, { answer: 'Blue' })).status).toBe(200);
    const shown = await screen.until('Answered by ada over HTTP: Colour Blue');
    expect(shown).toMatch(/What you had entered was not sent:\n +Colour: Reddish/);
    expect(await screen.ended()).toBe(5);
    expect((await stage.outcome(id)).outcome?.answers).toEqual({ q1: 'Blue' });
  });

  it('gives way when the time is up', async () => {
    // Should it be up before the screen is, the same is said.
    const id = await stage.asked(colour(), { question: { timeout: '3s', onTimeout: 'continue' } });
    const screen = stage.onScreen(['answer', id], { env });
    await screen.until('Nobody answered in time');
    expect(await screen.shown()).toContain('Nothing was sent from here.');
    expect(await screen.ended()).toBe(5);
  });

  it('is told how it ended where it was settled before', async () => {
    const id = await stage.asks(colour());
    await stage.parley.answer(id, { answer: 'Blue' });
    const { code, out } = await runPiped(['answer', id], env, 'Red\n');
    expect([code, out]).toEqual([5, expect.stringContaining('Answered by ada over HTTP: Colour Blue')]);
  });

  it('is answered while no worker is up: the answer is kept', async () => {
    const id = await stage.asks(colour());
    const screen = await stage.answering(id, { env });
    await stage.parley.stopWorker();
    try {
      screen.type('Red');
      screen.press('Enter');
      const shown = await screen.until('✓ Answered: Colour Red');
      expect(shown).toContain('It is kept, and acted on as soon as a worker is up.');
      expect(await screen.ended()).toBe(0);
    } finally {
      await stage.parley.startWorker();
    }
    await stage.parley.until(id, 'completed');
    expect((await stage.outcome(id)).outcome).toMatchObject({ answers: { q1: 'Red' }, by: 'ada' });
  });

  it('keeps what was entered while Parley cannot be reached, and sends it then', async () => {
    const id = await stage.asks(colour());
    const screen = await stage.answering(id, { env });
    screen.type('Red');
    line.cut();
    screen.press('Enter');
    await screen.until(/✗ Parley cannot be reached at[\s\S]*Enter tries again/);
    expect(await screen.shown()).toContain('❯ Red');
    line.mend();
    screen.press('Enter');
    await screen.until('✓ Answered: Colour Red');
    expect(await screen.ended()).toBe(0);
  });

  it('counts once what was sent twice because nobody heard the reply', async () => {
    const id = await stage.asks(colour());
    const screen = await stage.answering(id, { env });
    screen.type('Red');
    line.loseReplies();
    screen.press('Enter');
    await screen.until('✗ Parley cannot be reached');
    await stage.parley.until(id, 'completed');
    line.mend();
    screen.press('Enter');
    await screen.until('✓ Answered: Colour Red');
    expect(await screen.ended()).toBe(0);
  });

  it('is refused to a key that may not answer it', async () => {
    const id = await stage.asks(colour(), { visibleTo: ['bob'] });
    const screen = await stage.answering(id, { env: { ...env, PARLEY_API_KEY: stage.parley.key('bob') } });
    screen.type('Red');
    screen.press('Enter');
    await screen.until(/parley: .*questions:answer/);
    expect(await screen.ended()).toBe(5);
    expect((await stage.outcome(id)).status).toBe('pending');
  });

  it('is not even shown to a key that is not good', async () => {
    const id = await stage.asks(colour());
    const { code, err } = await runPiped(['answer', id], { ...env, PARLEY_API_KEY: 'wrong' });
    expect([code, err]).toEqual([5, expect.stringContaining('Set PARLEY_API_KEY')]);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('gives the terminal back on %s', async (signal) => {
    const id = await stage.asks(colour());
    const screen = await stage.answering(id, { env });
    expect(await screen.hasCursor()).toBe(false);
    process.kill(screen.pid(), signal);
    expect(await screen.ended()).toBeGreaterThan(128);
    await expectOwnState(screen);
  });

  it('gives the terminal back when it is answered', async () => {
    const id = await stage.asks(colour());
    const screen = await stage.answering(id, { env });
    screen.press('R', 'Enter');
    expect(await screen.ended()).toBe(0);
    await expectOwnState(screen);
    screen.paste('pasted');
    expect(await screen.until('echoedpasted')).not.toContain('200~');
  });

  async function expectOwnState(screen: TerminalScreen): Promise<void> {
    expect(await screen.hasCursor()).toBe(true);
    screen.type('echoed');
  }
});
