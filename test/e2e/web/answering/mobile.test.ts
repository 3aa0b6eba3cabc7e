import { replyWithQuestion } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRows,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe('somebody with a phone', () => {
  let w: WebFixture;
  beforeAll(async () => {
    w = await startWebFixture({
      script: createReplyScript({
        Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
        Build: replyWithQuestion('Which tool?', 'Saw', 'Drill'),
      }),
    });
  });
  afterEach(() => w.closePages());
  afterAll(() => w.stop());

  it('goes from the list to a question and back, and is in the list again when it is answered', async () => {
    const paint = await w.start('Paint');
    const build = await w.start('Build');
    await Promise.all([w.question(paint), w.question(build)]);
    const page = await w.visit('/', PHONE);
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
    await page.getByRole('status').getByText('Answer sent.').waitFor();
    await colour.waitFor();
    await tool.waitFor({ state: 'detached' });
    expect(await locateQuestionCard(page).count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/');
    await w.until(build, 'completed');
    expect(w.heard('Build')).toEqual(['{"answers":{"Which tool?":"Drill"}}']);
  });

  it('has everything within the width of the screen, and the button that sends in sight', async () => {
    const id = await w.start('Paint');
    await w.question(id);
    const page = await w.visit(`/conversations/${id}`, PHONE);
    const send = locateQuestionCard(page).getByRole('button', { name: 'Send answer' });
    await send.waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const box = await send.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    expect(box?.height).toBeGreaterThanOrEqual(44);
  });
});
