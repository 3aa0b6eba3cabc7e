import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithQuestion } from '#test/support/scripted-model';

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley({ ownWorker: true, script: () => replyWithQuestion('Which?', 'A', 'B') });
  env = { PARLEY_URL: parley.url };
});
afterAll(() => parley.stop());

async function startWaiting(): Promise<string> {
  const id = await parley.startConversation();
  await parley.waitForQuestion(id);
  return id;
}

describe('parley cancel', () => {
  it('cancels a conversation once, with a reason', async () => {
    const id = await startWaiting();
    const result = await runPiped(['cancel', id, '--reason', 'Too late'], env);
    expect(result).toEqual({ code: 0, out: 'Cancelled.\n', err: '' });
    expect(await parley.getConversation(id)).toMatchObject({
      status: 'cancelled',
      error: { message: expect.stringContaining('Too late') },
    });
    const again = await runPiped(['cancel', id, '--json'], env);
    expect([again.code, again.out, JSON.parse(again.err).code]).toEqual([5, '', 'conversation_finished']);
  });

  it('prints the conversation as JSON', async () => {
    const id = await startWaiting();
    const { code, out } = await runPiped(['cancel', id, '--json'], env);
    expect([code, JSON.parse(out)]).toMatchObject([0, { id, status: 'cancelled' }]);
  });

  it('says that the request is saved while no worker is running', async () => {
    const id = await startWaiting();
    await parley.stopWorker();
    try {
      const { code, out } = await runPiped(['cancel', id], env);
      expect([code, out]).toEqual([0, 'Saved. The conversation will stop when a worker is running.\n']);
    } finally {
      await parley.startWorker();
    }
    await parley.waitForStatus(id, 'cancelled');
  });
});
