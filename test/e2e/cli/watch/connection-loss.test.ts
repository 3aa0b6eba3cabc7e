import { runOnScreen, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { startTcpProxy, type TcpProxy } from '#test/support/tcp-proxy';
import { readFirstMessage } from '#test/support/web/web-fixture';

let parley: TestParley;
let proxy: TcpProxy;
let latch = createLatch();
beforeAll(async () => {
  parley = await startParley({
    ownWorker: true,
    keys: { ann: ['admin'], writer: ['conversations:write', 'conversations:read'] },
    script: (request) => {
      if (readFirstMessage(request) === 'Slow') return { text: 'There it is.', hold: latch.hold };
      return lastToolResults(request).length > 0
        ? replyWithText('Painted.')
        : replyWithQuestion('Which colour?', 'Red', 'Blue');
    },
  });
  proxy = await startTcpProxy(parley.url);
});
afterAll(async () => {
  await proxy.stop();
  await parley.stop();
});

let screen: TerminalScreen;
afterEach(() => screen.close());
const show = (args: string[], key = 'ann') => {
  screen = runOnScreen(args, { env: { PARLEY_URL: proxy.url, PARLEY_API_KEY: parley.apiKey(key) } });
};

describe('a lost connection', () => {
  it('is reported while following, and so is its return', async () => {
    latch = createLatch();
    show(['start', parley.agent, 'Slow']);
    await screen.waitFor('Thinking');
    proxy.cut();
    await screen.waitFor('Connection lost. Reconnecting…');
    proxy.restore();
    await screen.waitUntilGone('Connection lost');
    latch.release();
    expect(await screen.waitForExit()).toBe(0);
    expect((await screen.textWithScrollback()).split('There it is.')).toHaveLength(2);
    expect(await screen.textWithScrollback()).not.toContain('Connection lost');
  });

  it('does not hide a question while no worker is running', async () => {
    const id = await parley.startConversation('Paint', { id: undefined });
    await parley.waitForQuestion(id);
    await parley.stopWorker();
    show(['watch', id, '--no-input', '--wait']);
    await screen.waitFor('Which colour?');
    await parley.startWorker();
    await parley.answer(id, { answer: 'Red' });
    expect(await screen.waitForExit()).toBe(0);
    expect(await screen.textWithScrollback()).toContain('Painted.');
  });

  it('is not reported if the key may not read the inbox', async () => {
    latch = createLatch();
    latch.release();
    show(['start', parley.agent, 'Slow'], 'writer');
    expect(await screen.waitForExit()).toBe(0);
    expect(await screen.textWithScrollback()).toContain('There it is.');
  });
});
