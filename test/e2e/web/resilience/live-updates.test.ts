import { eventually } from '#test/support/eventually';
import { createLatch, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRow,
  locateInboxRows,
  locateQuestionCard,
  readFirstMessage,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

const LONG_TEXT = `It begins with one line.\n\n${'Then come more and more of them. '.repeat(12)}And this is the end.`;

describe('a live update', () => {
  const [firstLatch, secondLatch] = [createLatch(), createLatch()];
  /** Held twice, so that the page shows it started, then longer, then complete, on any machine. */
  const heldReply = { ...replyWithText(LONG_TEXT), hold: firstLatch.hold, holdAfter: 6 };
  let web: WebFixture;
  beforeAll(async () => {
    const askScript = createReplyScript({
      Name: replyWithQuestion('What name?'),
      Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
    });
    web = await startWebFixture({
      script: (request, index) => (readFirstMessage(request) === 'Write' ? heldReply : askScript(request, index)),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  it('is a text that grows in place, in the same element until it is complete', async () => {
    const id = await web.startConversation('Write');
    const page = await web.openPage(`/conversations/${id}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const item = timeline.getByRole('listitem').filter({ hasText: 'It begins with one line.' });
    const firstLine = item.getByText('It begins with one line.');
    await firstLine.waitFor();
    expect(await timeline.getByText('And this is the end.').count()).toBe(0);
    for (const element of [item, firstLine]) await element.evaluate((node) => Object.assign(node, { isMarked: true }));
    const readLength = async () => (await item.textContent())?.length ?? 0;
    const initialLength = await readLength();
    Object.assign(heldReply, { hold: secondLatch.hold, holdAfter: 14 });
    firstLatch.release();
    await eventually(async () => expect(await readLength()).toBeGreaterThan(initialLength));
    expect(await timeline.getByText('And this is the end.').count()).toBe(0);
    secondLatch.release();
    await timeline.getByText('Completed').waitFor();
    await timeline.getByText('And this is the end.').waitFor();
    for (const element of [item, firstLine])
      expect(await element.evaluate((node) => (node as { isMarked?: boolean }).isMarked)).toBe(true);
    expect(await timeline.getByText('And this is the end.').count()).toBe(1);
  });

  it('takes neither focus nor text from a form that is being filled in', async () => {
    const id = await web.startConversation('Name', { question: { timeout: '2d' } });
    await web.waitForQuestion(id);
    const page = await web.openPage('/');
    const nameInput = locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
    await nameInput.click();
    await page.keyboard.type('Ro');
    const urgentId = await web.startConversation('Paint', { question: { timeout: '1h' } });
    await locateInboxRow(page, urgentId).waitFor();
    await page.keyboard.type('s');
    const laterId = await web.startConversation('Paint', { question: { timeout: '3d' } });
    await locateInboxRow(page, laterId).waitFor();
    await page.keyboard.type('a');
    expect(await nameInput.inputValue()).toBe('Rosa');
    expect(await locateInboxRows(page).nth(0).textContent()).toContain('Which colour?');

    await web.call('POST', `/v1/conversations/${urgentId}/questions/question-1/decline`);
    await locateInboxRow(page, urgentId).waitFor({ state: 'detached' });
    await page.keyboard.type('lia');
    expect(await nameInput.inputValue()).toBe('Rosalia');
    await eventually(async () => expect(await page.title()).toBe('(2) Inbox · Parley'));
  });
});
