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

const TEXT = `It begins with one line.\n\n${'Then come more and more of them. '.repeat(12)}And this is the end.`;

describe('what comes while somebody looks on', () => {
  const [first, second] = [createLatch(), createLatch()];
  /** Held back twice: somebody sees it begun, then longer, then whole, however quick the machine is. */
  const written = { ...replyWithText(TEXT), hold: first.hold, holdAfter: 6 };
  let w: WebFixture;
  beforeAll(async () => {
    const asks = createReplyScript({
      Name: replyWithQuestion('What name?'),
      Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
    });
    w = await startWebFixture({
      script: (request, index) => (readFirstMessage(request) === 'Write' ? written : asks(request, index)),
    });
  });
  afterEach(() => w.closePages());
  afterAll(() => w.stop());

  it('is a text that grows in its place, and stays the same element when it is complete', async () => {
    const id = await w.start('Write');
    const page = await w.visit(`/conversations/${id}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const item = timeline.getByRole('listitem').filter({ hasText: 'It begins with one line.' });
    const line = item.getByText('It begins with one line.');
    await line.waitFor();
    expect(await timeline.getByText('And this is the end.').count()).toBe(0);
    for (const one of [item, line]) await one.evaluate((node) => Object.assign(node, { isMarked: true }));
    const length = async () => (await item.textContent())?.length ?? 0;
    const begun = await length();
    Object.assign(written, { hold: second.hold, holdAfter: 14 });
    first.release();
    await eventually(async () => expect(await length()).toBeGreaterThan(begun));
    expect(await timeline.getByText('And this is the end.').count()).toBe(0);
    second.release();
    await timeline.getByText('Completed').waitFor();
    await timeline.getByText('And this is the end.').waitFor();
    for (const one of [item, line])
      expect(await one.evaluate((node) => (node as { isMarked?: boolean }).isMarked)).toBe(true);
    expect(await timeline.getByText('And this is the end.').count()).toBe(1);
  });

  it('takes neither the focus nor the text from a form that is being filled in', async () => {
    const id = await w.start('Name', { question: { timeout: '2d' } });
    await w.question(id);
    const page = await w.visit('/');
    const box = locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
    await box.click();
    await page.keyboard.type('Ro');
    const soon = await w.start('Paint', { question: { timeout: '1h' } });
    await locateInboxRow(page, soon).waitFor();
    await page.keyboard.type('s');
    const later = await w.start('Paint', { question: { timeout: '3d' } });
    await locateInboxRow(page, later).waitFor();
    await page.keyboard.type('a');
    expect(await box.inputValue()).toBe('Rosa');
    expect(await locateInboxRows(page).nth(0).textContent()).toContain('Which colour?');

    await w.call('POST', `/v1/conversations/${soon}/questions/question-1/decline`);
    await locateInboxRow(page, soon).waitFor({ state: 'detached' });
    await page.keyboard.type('lia');
    expect(await box.inputValue()).toBe('Rosalia');
    await eventually(async () => expect(await page.title()).toBe('(2) Inbox · Parley'));
  });
});
