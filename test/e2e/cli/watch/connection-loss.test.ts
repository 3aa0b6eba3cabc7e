import { runOnScreen, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { startTcpProxy, type TcpProxy } from '#test/support/tcp-proxy';
import { readFirstMessage } from '#test/support/web/web-fixture';

let stage: TestParley;
let cable: TcpProxy;
let held = createLatch();
beforeAll(async () => {
  stage = await startParley({
    ownWorker: true,
    keys: { ann: ['admin'], writer: ['conversations:write', 'conversations:read'] },
    script: (request) => {
      if (readFirstMessage(request) === 'Slow') return { text: 'There it is.', hold: held.hold };
      return lastToolResults(request).length > 0
        ? replyWithText('Painted.')
        : replyWithQuestion('Which colour?', 'Red', 'Blue');
    },
  });
  cable = await startTcpProxy(stage.url);
});
afterAll(async () => {
  await cable.stop();
  await stage.stop();
});

let screen: TerminalScreen;
afterEach(() => screen.close());
const show = (words: string[], key = 'ann') => {
  screen = runOnScreen(words, { env: { PARLEY_URL: cable.url, PARLEY_API_KEY: stage.key(key) } });
};

describe('trouble while one looks on', () => {
  it('is said where the line is lost, and is over when it is back', async () => {
    held = createLatch();
    show(['start', stage.agent, 'Slow']);
    await screen.until('Thinking');
    cable.cut();
    await screen.until('Connection lost, trying again …');
    cable.mend();
    await screen.untilGone('Connection lost');
    held.release();
    expect(await screen.ended()).toBe(0);
    expect((await screen.all()).split('There it is.')).toHaveLength(2);
    expect(await screen.all()).not.toContain('Connection lost');
  });

  it('does not hide a question while there is no worker', async () => {
    const id = await stage.start('Paint', { id: undefined });
    await stage.question(id);
    await stage.stopWorker();
    show(['watch', id, '--no-input', '--wait']);
    await screen.until('Which colour?');
    await stage.startWorker();
    await stage.answer(id, { answer: 'Red' });
    expect(await screen.ended()).toBe(0);
    expect(await screen.all()).toContain('Painted.');
  });

  it('is not that a key may not see the inbox', async () => {
    held = createLatch();
    held.release();
    show(['start', stage.agent, 'Slow'], 'writer');
    expect(await screen.ended()).toBe(0);
    expect(await screen.all()).toContain('There it is.');
  });
});
