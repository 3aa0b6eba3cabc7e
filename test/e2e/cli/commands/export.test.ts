import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeFileAtomically } from '#cli/commands/export';
import { ConversationExport } from '#contract/responses';
import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

let parley: TestParley;
let env: Record<string, string>;
let folder: string;
let id: string;
beforeAll(async () => {
  parley = await startParley();
  env = { PARLEY_URL: parley.url };
  // A flag of invisible characters, and control characters.
  id = await parley.startConversation('Fly \u{1f3f4}\u{e0067}\u{e007f} \u001b[31m \u009b31m \u202e');
  await parley.waitForStatus(id, 'completed');
});
afterAll(() => parley.stop());
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-export-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('parley export', () => {
  it('writes the whole document to stdout, without control characters', async () => {
    const { code, out, err } = await runPiped(['export', id], env);
    expect([code, err]).toEqual([0, '']);
    const document = ConversationExport.parse(JSON.parse(out));
    expect(document.conversation.id).toBe(id);
    expect(document.timeline[0]).toMatchObject({ text: expect.stringContaining('\u{e0067}') });
    expect(out).not.toMatch(/(?!\n)[\p{Cf}\p{Cc}]/u);
  });

  it('writes to a file, and overwrites one only with --force', async () => {
    const file = path.join(folder, 'offsite.json');
    const result = await runPiped(['export', id, '--output', file], env);
    expect(result).toEqual({ code: 0, out: `Written to ${file}.\n`, err: '' });
    expect(ConversationExport.parse(JSON.parse(readFileSync(file, 'utf8'))).conversation.id).toBe(id);

    writeFileSync(file, 'mine');
    const refused = await runPiped(['export', id, '--output', file], env);
    expect([refused.code, refused.out, readFileSync(file, 'utf8')]).toEqual([2, '', 'mine']);
    expect(refused.err).toContain('--force');
    const forced = await runPiped(['export', id, '--output', file, '--force', '--json'], env);
    expect(JSON.parse(forced.out)).toEqual({ id, output: file });
    expect(readFileSync(file, 'utf8')).toContain('parley.conversation/1');
    expect(readdirSync(folder)).toEqual(['offsite.json']);
  });

  it('leaves no file behind if there is nothing to write, or nowhere to write it', async () => {
    const file = path.join(folder, 'x.json');
    const missing = await runPiped(['export', 'no-such-thing', '--output', file], env);
    expect([missing.code, missing.out]).toEqual([4, '']);
    const nowhere = await runPiped(['export', id, '--output', path.join(folder, 'no', 'x.json')], env);
    expect([nowhere.code, nowhere.out]).toEqual([1, '']);
    expect(nowhere.err).toContain('the folder does not exist');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not overwrite a file that is created in the meantime', async () => {
    const file = path.join(folder, 'x.json');
    writeFileSync(file, 'mine');
    await expect(writeFileAtomically(file, 'ours', false)).rejects.toMatchObject({ exit: 2 });
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['mine', ['x.json']]);
  });
});
