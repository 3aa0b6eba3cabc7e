import { ConversationExport } from '#contract/responses';
import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

let parley: TestParley;
let env: Record<string, string>;
let id: string;
beforeAll(async () => {
  parley = await startParley();
  env = { PARLEY_URL: parley.url };
  // A flag of invisible characters, and control characters.
  id = await parley.startConversation('Fly \u{1f3f4}\u{e0067}\u{e007f} \u001b[31m \u009b31m \u202e');
  await parley.waitForStatus(id, 'completed');
});
afterAll(() => parley.stop());

describe('parley export', () => {
  it('writes the whole document to stdout, without control characters', async () => {
    const { code, out, err } = await runPiped(['export', id], env);
    expect([code, err]).toEqual([0, '']);
    const document = ConversationExport.parse(JSON.parse(out));
    expect(document.conversation.id).toBe(id);
    expect(document.timeline[0]).toMatchObject({ text: expect.stringContaining('\u{e0067}') });
    expect(out).not.toMatch(/(?!\n)[\p{Cf}\p{Cc}]/u);
  });
});
