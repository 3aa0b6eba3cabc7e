import { replyWithQuestion } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRows,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe('a person on a phone', () => {
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      script: createReplyScript({
        Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
        Build: replyWithQuestion('Which tool?', 'Saw', 'Drill'),
      }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  it('goes from the list to a question and back, and returns to the list after answering', async () => {
    const paint = await web.startConversation('Paint');
    const build = await web.startConversation('Build');
    await Promise.all([web.waitForQuestion(paint), web.waitForQuestion(build)]);
    const page = await web.openPage('/', PHONE);
    const [colour, tool] = [
      locateInboxRows(page).getByText('Which colour?'),
      locateInboxRows(page).getByText('Which tool?'),
    ];
    await tool.waitFor();
    expect(await locateQuestionCard(page).count()).toBe(0);

    await colour.tap();
    await locateQuestionCard(page).getByRole('heading', { name: 'Which colour?' }).waitFor();
    expect(await tool.isVisible()).toBe(false);
    await page.goBack();
    await tool.waitFor();
    await page.goForward();
    await locateQuestionCard(page).getByRole('heading', { name: 'Which colour?' }).waitFor();
    await page.getByRole('region', { name: 'Question' }).getByRole('link', { name: 'Inbox' }).tap();
    await tool.tap();

    await locateQuestionCard(page).getByRole('radio', { name: 'Drill' }).tap();
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).tap();
    await page.getByRole('status').getByText('Answer sent').waitFor();
    await colour.waitFor();
    await tool.waitFor({ state: 'detached' });
    expect(await locateQuestionCard(page).count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/');
    await web.waitForStatus(build, 'completed');
    expect(web.toolResultsFor('Build')).toEqual(['{"answers":{"Which tool?":"Drill"}}']);
  });

  it('sees everything within the width of the screen, and the send button', async () => {
    const id = await web.startConversation('Paint');
    await web.waitForQuestion(id);
    const page = await web.openPage(`/conversations/${id}`, PHONE);
    const send = locateQuestionCard(page).getByRole('button', { name: 'Send answer' });
    await send.waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const box = await send.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    expect(box?.height).toBeGreaterThanOrEqual(44);
  });
});
