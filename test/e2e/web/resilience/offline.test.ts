import type { Page } from 'playwright-core';
import { replyWithQuestion } from '#test/support/scripted-model';
import { startTcpProxy, type TcpProxy } from '#test/support/tcp-proxy';
import {
  createReplyScript,
  createSignedInState,
  locateInboxRows,
  locateQuestionCard,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

describe('a person who goes offline', () => {
  let web: WebFixture;
  let proxy: TcpProxy;
  beforeAll(async () => {
    web = await startWebFixture({
      script: createReplyScript({
        Name: replyWithQuestion('What name?'),
        Again: replyWithQuestion('What name now?'),
        Once: replyWithQuestion('Which word?'),
        Paint: replyWithQuestion('Which colour?', 'Red', 'Blue'),
      }),
    });
    proxy = await startTcpProxy(web.url);
  });
  afterEach(() => proxy.restore());
  afterAll(async () => {
    await proxy.stop();
    await web.stop();
  });

  const visit = async (path: string) =>
    web.pages.open(proxy.url + path, { storageState: await createSignedInState(web, web.ann) });
  const banner = (page: Page) => page.getByRole('status').getByText("You're offline");
  const sendButton = (page: Page) => locateQuestionCard(page).getByRole('button', { name: 'Send answer' });

  it('sees it, loses nothing, and continues where they were when back online', async () => {
    const id = await web.startConversation('Name');
    await web.waitForQuestion(id);
    const page = await visit(`/questions/${id}/question-1`);
    const nameInput = locateQuestionCard(page).getByRole('textbox', { name: 'What name?' });
    await nameInput.fill('Ro');
    await locateInboxRows(page).getByText('What name?').waitFor();

    proxy.cut();
    await banner(page).waitFor();
    await nameInput.pressSequentially('sa');
    await sendButton(page).click();
    await locateQuestionCard(page).getByRole('alert').getByText("It's saved here").waitFor();
    expect(await nameInput.inputValue()).toBe('Rosa');
    const newConversationId = await web.startConversation('Paint');
    await web.waitForQuestion(newConversationId);

    proxy.restore();
    await banner(page).waitFor({ state: 'detached' });
    await locateInboxRows(page).getByText('Which colour?').waitFor();
    expect(await nameInput.inputValue()).toBe('Rosa');
    await sendButton(page).click();
    await page.getByRole('status').getByText('Answer sent').waitFor();
    await web.waitForStatus(id, 'completed');
    expect(web.toolResultsFor('Name')).toEqual(['{"answers":{"What name?":"Rosa"}}']);
  });

  it('sees no error and sends nothing twice if only the replies were lost', async () => {
    const id = await web.startConversation('Again');
    await web.waitForQuestion(id);
    const page = await visit(`/conversations/${id}`);
    await locateQuestionCard(page).getByRole('textbox', { name: 'What name now?' }).fill('Rosa');
    proxy.loseReplies();
    await sendButton(page).click();
    await web.waitForStatus(id, 'completed');
    await locateQuestionCard(page).getByRole('alert').getByText('It only counts once').waitFor();
    proxy.restore();
    await locateQuestionCard(page).getByText(`Answered by ${web.ann} on the web`).waitFor();
    expect(await locateQuestionCard(page).getByText('unsent draft').count()).toBe(0);
    await page.getByText('Heard {"answers":{"What name now?":"Rosa"}}').first().waitFor();
    expect(web.toolResultsFor('Again')).toHaveLength(1);
  });

  it('sends again after a reload, and the repeat is recognized', async () => {
    const id = await web.startConversation('Once');
    await web.waitForQuestion(id);
    const page = await visit('/new');
    await page.route(/\/events(\?|$)/, (route) => route.abort());
    await page.goto(`${proxy.url}/questions/${id}/question-1`);
    await locateQuestionCard(page).getByRole('textbox', { name: 'Which word?' }).fill('Rosebud');
    // The page keeps seeing the question as pending, because it receives no updates.
    const pendingQuestion = await web.call('GET', `/v1/conversations/${id}/questions/question-1`);
    await page.route(`**/v1/conversations/${id}/questions/question-1`, (route) =>
      route.fulfill({ json: pendingQuestion.body }),
    );
    proxy.loseReplies();
    await sendButton(page).click();
    await web.waitForStatus(id, 'completed');
    await locateQuestionCard(page).getByRole('alert').getByText('It only counts once').waitFor();
    proxy.restore();
    await page.reload();
    await sendButton(page).click();
    await page.getByRole('status').getByText('Answer sent').waitFor();
    expect(web.toolResultsFor('Once')).toEqual(['{"answers":{"Which word?":"Rosebud"}}']);
  });
});
