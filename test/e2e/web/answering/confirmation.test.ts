import { createRecordingTool } from '#test/support/recording-tool';
import { replyWithToolCalls } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRow,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';
import { builtInTools } from '#tools/registry';

/** Turns around what follows on the screen, and a joint nobody sees. */
const HIDDEN = 'invoice\u202egnp.exe\u200b';

describe('an action that somebody has to confirm', () => {
  const { tool, lines } = createRecordingTool();
  const write = (line: string) => replyWithToolCalls({ name: 'write_line', input: { line } });
  let w: WebFixture;
  beforeAll(async () => {
    w = await startWebFixture({
      tools: [...builtInTools, tool],
      policy: 'tools: [{ name: write_line, requiresConfirmation: true }]',
      script: createReplyScript({
        Do: write(HIDDEN),
        Dont: write('never'),
        Say: replyWithToolCalls({
          name: 'confirm_action',
          input: { action: 'Tell Tom', arguments: { to: 'Tom' } },
        }),
      }),
    });
  });
  afterEach(() => w.closePages());
  afterAll(() => w.stop());

  const opened = async (message: string) => {
    const id = await w.start(message);
    await w.question(id);
    const page = await w.visit(`/questions/${id}/question-1`);
    await locateQuestionCard(page).waitFor();
    return { id, page, card: locateQuestionCard(page) };
  };

  it('shows the tool and exactly its arguments, looks grave, and runs only after the yes', async () => {
    const { id, page, card } = await opened('Do');
    await page.getByRole('article', { name: `${w.agent} asks you to confirm` }).waitFor();
    expect(await card.getByText('Runs write_line with exactly these arguments:').isVisible()).toBe(true);
    expect(await card.locator('pre').textContent()).toBe('{\n  "line": "invoice\\u202egnp.exe\\u200b"\n}');
    expect(await card.getAttribute('data-grave')).toBe('true');
    expect(await locateInboxRow(page, id).textContent()).toContain('Confirm');

    expect(await card.getByRole('radio', { checked: true }).count()).toBe(0);
    await card.getByRole('radio', { name: 'No, cancel' }).check();
    await card.getByRole('button', { name: 'No, cancel' }).waitFor();
    await card.getByRole('radio', { name: 'Yes, proceed' }).check();
    expect(lines).toEqual([]);
    await card.getByRole('button', { name: 'Yes, proceed' }).click();
    await w.until(id, 'completed');
    expect(lines).toEqual([HIDDEN]);
    expect(w.heard('Do')).toEqual([`wrote ${HIDDEN}`]);
  });

  it('does not run on a no', async () => {
    const { id, card } = await opened('Dont');
    await card.getByRole('radio', { name: 'No, cancel' }).check();
    await card.getByRole('button', { name: 'No, cancel' }).click();
    await w.until(id, 'completed');
    expect(lines).not.toContain('never');
    expect(w.heard('Dont')).toEqual([expect.stringContaining('"confirmed":false')]);
  });

  it('shows the arguments of what an agent asks by itself, and does not look graver than it is', async () => {
    const { id, card } = await opened('Say');
    expect(await card.locator('pre').allTextContents()).toEqual(['{\n  "to": "Tom"\n}']);
    expect(await card.getAttribute('data-grave')).toBeNull();
    await card.getByRole('radio', { name: 'Yes, proceed' }).check();
    await card.getByRole('button', { name: 'Yes, proceed' }).click();
    await w.until(id, 'completed');
    expect(w.heard('Say')).toEqual(['{"confirmed":true}']);
  });
});
