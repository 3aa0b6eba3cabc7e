import { type Cuttable, cuttable } from '#test/support/cuttable';
import { type Parley, parley } from '#test/support/parley';
import { ask, lastToolResults, latch, say } from '#test/support/scripted-model';
import { onScreen, type Screen } from '#test/support/terminal';
import { firstMessage } from '#test/support/web';

let stage: Parley;
let cable: Cuttable;
let held = latch();
beforeAll(async () => {
  stage = await parley({
    ownWorker: true,
    keys: { ann: ['admin'], writer: ['conversations:write', 'conversations:read'] },
    script: (request) => {
      if (firstMessage(request) === 'Slow') return { text: 'There it is.', hold: held.hold };
      return lastToolResults(request).length > 0 ? say('Painted.') : ask('Which colour?', 'Red', 'Blue');
    },
  });
  cable = await cuttable(stage.url);
});
afterAll(async () => {
  await cable.stop();
  await stage.stop();
});

let screen: Screen;
afterEach(() => screen.close());
const show = (words: string[], key = 'ann') => {
  screen = onScreen(words, { env: { PARLEY_URL: cable.url, PARLEY_API_KEY: stage.key(key) } });
};

describe('trouble while one looks on', () => {
  it('is said where the line is lost, and is over when it is back', async () => {
    held = latch();
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
    held = latch();
    held.release();
    show(['start', stage.agent, 'Slow'], 'writer');
    expect(await screen.ended()).toBe(0);
    expect(await screen.all()).toContain('There it is.');
  });
});
