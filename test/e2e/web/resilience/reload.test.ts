import { createLatch, replyWithQuestion } from '#test/support/scripted-model';
import {
  createReplyScript,
  locateInboxRows,
  locateQuestionCard,
  readFirstMessage,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

describe('a page that is reloaded', () => {
  const thinkingLatch = createLatch();
  const partialLatch = createLatch();
  const finalLatch = createLatch();
  let web: WebFixture;
  beforeAll(async () => {
    const askScript = createReplyScript({
      Name: replyWithQuestion('What name?'),
      Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
    });
    web = await startWebFixture({
      script: async (request, index) => {
        const reply = await askScript(request, index);
        if (readFirstMessage(request) !== 'Name') return reply;
        if (index > 0) return { ...reply, hold: finalLatch.hold };
        const text = 'I would like to know something of you.';
        return { ...reply, text, holdThinking: thinkingLatch.hold, hold: partialLatch.hold, holdAfter: 5 };
      },
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  it('shows at every stage what it showed before, and the draft', async () => {
    const id = await web.startConversation('Name');
    const page = await web.openPage(`/conversations/${id}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const nameInput = locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
    const checkBeforeAndAfterReload = async (check: () => Promise<unknown>) => {
      await check();
      await page.reload();
      await check();
    };
    await checkBeforeAndAfterReload(() => timeline.getByText('has been thinking for').waitFor());

    thinkingLatch.release();
    await checkBeforeAndAfterReload(() => timeline.getByText('I would like to').waitFor());

    partialLatch.release();
    await nameInput.fill('Rosa');
    await page.getByText('Add a comment').click();
    await locateQuestionCard(page).getByLabel('Comment for the agent').fill('Or Rosalia');
    await checkBeforeAndAfterReload(async () => {
      await nameInput.waitFor();
      expect(await nameInput.inputValue()).toBe('Rosa');
      expect(await locateQuestionCard(page).getByLabel('Comment for the agent').inputValue()).toBe('Or Rosalia');
    });
    expect(await timeline.getByText('I would like to know something of you.').count()).toBe(1);

    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await checkBeforeAndAfterReload(() =>
      locateQuestionCard(page).getByText(`Answered by ${web.ann} on the web`).waitFor(),
    );
    await timeline.getByText('is working…').waitFor();
    expect(await locateQuestionCard(page).getByText('unsent draft').count()).toBe(0);

    finalLatch.release();
    await checkBeforeAndAfterReload(() => timeline.getByText('Heard {"answers":{"What name?":"Rosa"}').waitFor());
    await timeline.getByText('Completed').waitFor();
    expect(await timeline.getByText('is working…').count()).toBe(0);
  });

  it('has an address that can be a link, and back and forward lead where they should', async () => {
    const id = await web.startConversation('Paint');
    await web.waitForQuestion(id);
    const page = await web.openPage(`/questions/${id}/question-1`);
    await locateQuestionCard(page).getByRole('radio', { name: 'Blue' }).check();
    await page.getByRole('link', { name: 'Open conversation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Paint' }).waitFor();
    expect(await locateQuestionCard(page).getByRole('radio', { name: 'Blue' }).isChecked()).toBe(true);
    await page.getByRole('link', { name: 'Parley home' }).click();
    await locateInboxRows(page).filter({ hasText: 'Paint' }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Paint' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/questions/${id}/question-1`);
    await page.goForward();
    await page.getByRole('heading', { level: 1, name: 'Paint' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Paint' }).waitFor();

    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await web.waitForStatus(id, 'completed');
    await page.goto(`${web.url}/questions/${id}/question-1`);
    await locateQuestionCard(page).getByText(`Answered by ${web.ann} on the web`).waitFor();
  });

  it('says so if its address does not exist', async () => {
    const page = await web.openPage('/conversations/no-such-thing');
    await page.getByRole('alert').getByText('Conversation not found').waitFor();
    await page.goto(`${web.url}/questions/no-such-thing/question-1`);
    await page.getByRole('alert').getByText("Couldn't load question").waitFor();
  });
});
