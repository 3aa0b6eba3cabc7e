import { randomBytes } from 'node:crypto';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import {
  locateInboxRows,
  locateQuestionCard,
  readFirstMessage,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

const subAgent = `scout-${randomBytes(4).toString('hex')}`;
const delegate = (task: string) => ({ name: 'delegate', input: { agent: subAgent, task } });

describe('a question of a sub-agent', () => {
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      frontMatter: `subagents: [${subAgent}]`,
      agents: { [subAgent]: '' },
      script: (request) => {
        const results = lastToolResults(request).map(({ text }) => text);
        const task = readFirstMessage(request);
        if (task.startsWith('Find'))
          return results[0] ? replyWithText(`${task}: ${results[0]}`) : replyWithQuestion(`${task}?`, 'X', 'Y');
        if (results.length > 0) return replyWithText(`All done. ${results.join(' ')}`);
        return replyWithToolCalls(...task.split(' ').map((target) => delegate(`Find ${target}`)));
      },
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  it('is in the inbox with its origin, and its answer goes to the sub-agent', async () => {
    const page = await web.openPage('/');
    const id = await web.startConversation('gold');
    const row = locateInboxRows(page).filter({ hasText: 'Find gold?' });
    await row.click();
    expect(await row.textContent()).toContain(`${web.agent} › ${subAgent}`);
    await locateQuestionCard(page).getByText(`${web.agent} › ${subAgent}`).waitFor();
    await locateQuestionCard(page).getByRole('radio', { name: 'X' }).check();
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('status').getByText('Answer sent').waitFor();
    expect((await web.waitForStatus(id, 'completed')).result).toBe(
      'All done. Find gold: {"answers":{"Find gold?":"X"}}',
    );
  });

  it('is on the page of its root conversation, is answered there, and that conversation continues', async () => {
    const id = await web.startConversation('ore iron');
    const page = await web.openPage(`/conversations/${id}`);
    const [ore, iron] = ['Find ore?', 'Find iron?'].map((question) =>
      page.getByRole('region', { name: `Question from ${subAgent}` }).filter({ hasText: question }),
    ) as [CardLocator, CardLocator];
    await ore.getByRole('radio', { name: 'Y' }).check();
    await iron.getByRole('radio', { name: 'X' }).check();
    expect(await ore.getByRole('link', { name: subAgent }).getAttribute('href')).toMatch(/^\/conversations\/./);
    await ore.getByRole('button', { name: 'Send answer' }).click();
    await ore.getByText(`Answered by ${web.ann} on the web`).waitFor();
    expect(await iron.getByRole('radio', { name: 'X' }).isChecked()).toBe(true);
    await iron.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('region', { name: 'Timeline' }).getByText('All done. Find ore').waitFor();
    expect((await web.getConversation(id)).result).toContain('Find iron: {"answers":{"Find iron?":"X"}}');
  });
});

type CardLocator = ReturnType<typeof locateQuestionCard>;
