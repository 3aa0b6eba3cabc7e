import { randomBytes } from 'node:crypto';
import { ask, lastToolResults, say, use } from '#test/support/scripted-model';
import { cardOf, firstMessage, rowsOf, type Web, web } from '#test/support/web';

const scout = `scout-${randomBytes(4).toString('hex')}`;
const delegate = (task: string) => ({ name: 'delegate', input: { agent: scout, task } });

describe("a sub-agent's question", () => {
  let w: Web;
  beforeAll(async () => {
    w = await web({
      policy: `subagents: [${scout}]`,
      agents: { [scout]: '' },
      script: (request) => {
        const results = lastToolResults(request).map(({ text }) => text);
        const task = firstMessage(request);
        if (task.startsWith('Find'))
          return results[0] ? say(`${task}: ${results[0]}`) : ask(`${task}?`, 'X', 'Y');
        if (results.length > 0) return say(`All done. ${results.join(' ')}`);
        return use(...task.split(' ').map((what) => delegate(`Find ${what}`)));
      },
    });
  });
  afterEach(() => w.closePages());
  afterAll(() => w.stop());

  it('is in the inbox with whom it is for, and its answer goes to the sub-agent', async () => {
    const page = await w.visit('/');
    const id = await w.start('gold');
    const row = rowsOf(page).filter({ hasText: 'Find gold?' });
    await row.click();
    expect(await row.textContent()).toContain(`${w.agent} › ${scout}`);
    await cardOf(page).getByText(`${w.agent} › ${scout}`).waitFor();
    await cardOf(page).getByRole('radio', { name: 'X' }).check();
    await cardOf(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('status').getByText('Answer sent.').waitFor();
    expect((await w.until(id, 'completed')).result).toBe(
      'All done. Find gold: {"answers":{"Find gold?":"X"}}',
    );
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

type Sub = ReturnType<typeof cardOf>;
