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

/** A right-to-left override and a zero-width space. */
const HIDDEN_CHARACTERS = 'invoice\u202egnp.exe\u200b';

describe('an action that needs approval', () => {
  const { tool, lines } = createRecordingTool();
  const callWriteLine = (line: string) => replyWithToolCalls({ name: 'write_line', input: { line } });
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      tools: [...builtInTools, tool],
      frontMatter: 'tools: [{ name: write_line, requiresConfirmation: true }]',
      script: createReplyScript({
        Do: callWriteLine(HIDDEN_CHARACTERS),
        Dont: callWriteLine('never'),
        Say: replyWithToolCalls({
          name: 'confirm_action',
          input: { action: 'Tell Tom', arguments: { to: 'Tom' } },
        }),
      }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  const openQuestion = async (message: string) => {
    const id = await web.startConversation(message);
    await web.waitForQuestion(id);
    const page = await web.openPage(`/questions/${id}/question-1`);
    await locateQuestionCard(page).waitFor();
    return { id, page, card: locateQuestionCard(page) };
  };

  it('shows the tool and its exact arguments as dangerous, and runs only after approval', async () => {
    const { id, page, card } = await openQuestion('Do');
    await page.getByRole('article', { name: `${web.agent} needs your approval` }).waitFor();
    expect(await card.getByText('Runs write_line with exactly these arguments:').isVisible()).toBe(true);
    expect(await card.locator('pre').textContent()).toBe('{\n  "line": "invoice\\u202egnp.exe\\u200b"\n}');
    expect(await card.getAttribute('data-destructive')).toBe('true');
    expect(await locateInboxRow(page, id).textContent()).toContain('Approval');

    expect(await card.getByRole('radio', { checked: true }).count()).toBe(0);
    await card.getByRole('radio', { name: 'No, cancel' }).check();
    await card.getByRole('button', { name: 'Reject' }).waitFor();
    await card.getByRole('radio', { name: 'Yes, proceed' }).check();
    expect(lines).toEqual([]);
    await card.getByRole('button', { name: 'Approve' }).click();
    await web.waitForStatus(id, 'completed');
    expect(lines).toEqual([HIDDEN_CHARACTERS]);
    expect(web.toolResultsFor('Do')).toEqual([`wrote ${HIDDEN_CHARACTERS}`]);
  });

  it('does not run if it is rejected', async () => {
    const { id, card } = await openQuestion('Dont');
    await card.getByRole('radio', { name: 'No, cancel' }).check();
    await card.getByRole('button', { name: 'Reject' }).click();
    await web.waitForStatus(id, 'completed');
    expect(lines).not.toContain('never');
    expect(web.toolResultsFor('Dont')).toEqual([expect.stringContaining('"confirmed":false')]);
  });

  it("shows the arguments of an agent's own question, and looks no more dangerous than it is", async () => {
    const { id, card } = await openQuestion('Say');
    expect(await card.locator('pre').allTextContents()).toEqual(['{\n  "to": "Tom"\n}']);
    expect(await card.getAttribute('data-destructive')).toBeNull();
    await card.getByRole('radio', { name: 'Yes, proceed' }).check();
    await card.getByRole('button', { name: 'Approve' }).click();
    await web.waitForStatus(id, 'completed');
    expect(web.toolResultsFor('Say')).toEqual(['{"confirmed":true}']);
  });
});
