import { randomBytes } from 'node:crypto';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import {
  locateInboxRows,
  locateQuestionCard,
  readFirstMessage,
  startWebFixture,
  type WebFixture,
} from '#test/support/web/web-fixture';

const scout = `scout-${randomBytes(4).toString('hex')}`;
const delegate = (task: string) => ({ name: 'delegate', input: { agent: scout, task } });

describe("a sub-agent's question", () => {
  let w: WebFixture;
  beforeAll(async () => {
    w = await startWebFixture({
      policy: `subagents: [${scout}]`,
      agents: { [scout]: '' },
      script: (request) => {
        const results = lastToolResults(request).map(({ text }) => text);
        const task = readFirstMessage(request);
        if (task.startsWith('Find'))
          return results[0] ? replyWithText(`${task}: ${results[0]}`) : replyWithQuestion(`${task}?`, 'X', 'Y');
        if (results.length > 0) return replyWithText(`All done. ${results.join(' ')}`);
        return replyWithToolCalls(...task.split(' ').map((what) => delegate(`Find ${what}`)));
      },
    });
  });
  afterEach(() => w.closePages());
  afterAll(() => w.stop());

  it('is in the inbox with whom it is for, and its answer goes to the sub-agent', async () => {
    const page = await w.visit('/');
    const id = await w.start('gold');
    const row = locateInboxRows(page).filter({ hasText: 'Find gold?' });
    await row.click();
    expect(await row.textContent()).toContain(`${w.agent} › ${scout}`);
    await locateQuestionCard(page).getByText(`${w.agent} › ${scout}`).waitFor();
    await locateQuestionCard(page).getByRole('radio', { name: 'X' }).check();
    await locateQuestionCard(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('status').getByText('Answer sent.').waitFor();
    expect((await w.until(id, 'completed')).result).toBe('All done. Find gold: {"answers":{"Find gold?":"X"}}');
  });

  it('is on the page of the one it is for, is answered there, and that goes on', async () => {
    const id = await w.start('ore iron');
    const page = await w.visit(`/conversations/${id}`);
    const [ore, iron] = ['Find ore?', 'Find iron?'].map((asked) =>
      page.getByRole('region', { name: `Question of ${scout}` }).filter({ hasText: asked }),
    ) as [Sub, Sub];
    await ore.getByRole('radio', { name: 'Y' }).check();
    await iron.getByRole('radio', { name: 'X' }).check();
    expect(await ore.getByRole('link', { name: scout }).getAttribute('href')).toMatch(/^\/conversations\/./);
    await ore.getByRole('button', { name: 'Send answer' }).click();
    await ore.getByText(`Answered by ${w.ann} in the web app`).waitFor();
    expect(await iron.getByRole('radio', { name: 'X' }).isChecked()).toBe(true);
    await iron.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('region', { name: 'Timeline' }).getByText('All done. Find ore').waitFor();
    expect((await w.conversation(id)).result).toContain('Find iron: {"answers":{"Find iron?":"X"}}');
  });
});

type Sub = ReturnType<typeof locateQuestionCard>;
