import type { Page } from 'playwright-core';
import { eventually } from '#test/support/eventually';
import { replyWithQuestion } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRows,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

describe('a person who uses only a keyboard', () => {
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      script: createReplyScript({
        Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
        Build: replyWithQuestion({
          question: 'Which tools?',
          multiSelect: true,
          options: [{ label: 'Saw' }, { label: 'Drill' }, { label: 'Glue' }],
        }),
        Name: replyWithQuestion('What name?'),
        Cook: replyWithQuestion('Which dish?', 'Soup', 'Stew'),
        Serve: replyWithQuestion('Which plates?', 'Deep', 'Flat'),
      }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  /** The accessible name of the focused element. */
  const readFocusedName = (page: Page) =>
    page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent');
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const waitForQuestion = (page: Page, question: string) =>
    locateQuestionCard(page).getByRole('heading', { name: question }).waitFor();
  const idByMessage: Record<string, string> = {};
  const startConversations = async (...messages: string[]) => {
    for (const message of messages) {
      idByMessage[message] = await web.startConversation(message);
      await web.waitForQuestion(idByMessage[message]);
    }
  };

  it('moves through the inbox, chooses, comments and sends', async () => {
    await startConversations('Paint', 'Build');
    const page = await web.openPage(`/questions/${idByMessage.Paint}/question-1`);
    await eventually(async () => expect(await locateInboxRows(page).count()).toBe(2));
    await waitForQuestion(page, 'Which colour?');
    await press(page, 'j');
    await waitForQuestion(page, 'Which tools?');
    await press(page, 'j', 'k');
    await waitForQuestion(page, 'Which colour?');
    await press(page, '2');
    expect(await readFocusedName(page)).toBe('Blue2');
    await press(page, 'Escape', 'Space');
    expect(await readFocusedName(page)).toContain('Blue');
    await press(page, 'ArrowUp', 'Enter');
    await waitForQuestion(page, 'Which tools?');
    await eventually(async () => expect(await locateInboxRows(page).count()).toBe(1));
    expect(await readFocusedName(page)).toBe('Question');

    await press(page, '3', '1', '2', 'Space', 'c');
    expect(await readFocusedName(page)).toBe('Comment for the agent');
    await page.keyboard.type('Sharp ones');
    await press(page, 'Control+Enter');
    await page.getByRole('heading', { name: "You're all caught up" }).waitFor();
    await web.waitForStatus(idByMessage.Build ?? '', 'completed');
    expect(web.toolResultsFor('Paint')).toEqual(['{"answers":{"Which colour?":"Red"}}']);
    expect(web.toolResultsFor('Build')).toEqual(['{"answers":{"Which tools?":["Saw","Glue"]},"comment":"Sharp ones"}']);
  });

  it('skips in a dialog, with a reason', async () => {
    await startConversations('Name');
    const page = await web.openPage(`/questions/${idByMessage.Name}/question-1`);
    await waitForQuestion(page, 'What name?');
    const dialog = page.getByRole('dialog', { name: 'Skip this question?' });
    await press(page, 'd');
    await dialog.waitFor();
    await press(page, 'Escape');
    await dialog.waitFor({ state: 'detached' });
    // Pressed right after the other, while the dialog may still be closing.
    await press(page, 'd', 'Escape', 'd');
    await dialog.waitFor();
    await press(page, 'Tab');
    expect(await readFocusedName(page)).toBe('Reason (optional)');
    await page.keyboard.type('Not mine to say');
    await press(page, 'Tab', 'Enter');
    await page.getByRole('status').getByText('Question skipped').waitFor();
    await web.waitForStatus(idByMessage.Name ?? '', 'completed');
    expect(web.toolResultsFor('Name')).toEqual([expect.stringContaining('Not mine to say')]);
  });

  it('finds the help, filters the inbox and opens the conversation', async () => {
    await startConversations('Cook', 'Serve');
    const page = await web.openPage(`/questions/${idByMessage.Cook}/question-1`);
    await waitForQuestion(page, 'Which dish?');
    await press(page, '?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Focus answer; send').waitFor();
    await press(page, 'j', 'Escape');
    await help.waitFor({ state: 'detached' });
    await waitForQuestion(page, 'Which dish?');

    await press(page, '/');
    await page.keyboard.type('plates');
    await press(page, 'Escape');
    await locateInboxRows(page).getByText('Which plates?').waitFor();
    await eventually(async () => {
      await press(page, 'j');
      expect(await locateInboxRows(page).count()).toBe(1);
    });
    await waitForQuestion(page, 'Which plates?');
    expect(new URL(page.url()).search).toBe('?search=plates');
    await press(page, 'o');
    await page.waitForURL(`**/conversations/${idByMessage.Serve}`);
    await page.getByRole('heading', { level: 1, name: 'Serve' }).waitFor();
  });
});
