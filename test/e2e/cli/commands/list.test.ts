import { runPiped } from '#test/support/cli/run-cli';
import { runOnScreen } from '#test/support/cli/terminal-screen';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley();
  env = { PARLEY_URL: parley.url };
});
afterAll(() => parley.stop());

describe('parley list', () => {
  it('shows people a table', async () => {
    const id = await parley.startConversation('Paint the bikeshed');
    await parley.waitForStatus(id, 'completed');
    const screen = runOnScreen(['list', '--agent', parley.agent], { env });
    const shown = await screen.waitFor('Paint the bikeshed');
    expect(shown).toMatch(new RegExp(`Completed +${id} +${parley.agent}`));
    expect(await screen.waitForExit()).toBe(0);
    screen.close();
  });

  it('prints tab-separated lines, or one JSON document', async () => {
    const id = await parley.startConversation('Order paper');
    await parley.waitForStatus(id, 'completed');
    const lines = await runPiped(['list', '--agent', parley.agent, '--search', 'paper'], env);
    expect(lines).toMatchObject({ code: 0, err: '' });
    expect(lines.out.split('\t')).toEqual([id, 'completed', parley.agent, expect.any(String), 'Order paper\n']);
    const document = await runPiped(['list', '--agent', parley.agent, '--search', 'paper', '--json'], env);
    expect(JSON.parse(document.out)).toMatchObject({ items: [{ id, status: 'completed' }], isMore: false });
  });

  it.each([
    [['--limit', '0'], '--limit must be a number from 1 to 10,000, not "0".'],
    [['--status', 'parked'], '--status must be running, waiting, completed, failed or cancelled'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ])('refuses %j and says what is allowed', async (args, message) => {
    const { code, out, err } = await runPiped(['list', ...args], env);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
