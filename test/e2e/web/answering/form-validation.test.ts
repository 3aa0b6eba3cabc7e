import type { Locator } from 'playwright-core';
import { eventually } from '#test/support/eventually';
import { replyWithQuestion } from '#test/support/scripted-model';
import { createReplyScript, locateQuestionCard, startWebFixture, type WebFixture } from '#test/support/web/web-fixture';

describe('a form with errors', () => {
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      frontMatter: 'questions: { maxQuestions: 5 }',
      script: createReplyScript({
        Choose: replyWithQuestion([
          { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] },
          { question: 'Which days?', multiSelect: true, options: [{ label: 'Mon' }, { label: 'Tue' }] },
          { question: 'What name?' },
          { question: 'What price?', schema: { type: 'number' } },
        ]),
        Type: replyWithQuestion([
          { question: 'Which story?' },
          { question: 'How many?', schema: { type: 'integer', minimum: 3 } },
          { question: 'What code?', schema: { type: 'string', pattern: '^[A-Z]{2}$' } },
          { question: 'Whose mail?', schema: { type: 'string', format: 'email' } },
        ]),
      }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  const openQuestion = async (message: string) => {
    const id = await web.startConversation(message);
    await web.waitForQuestion(id);
    const page = await web.openPage(`/questions/${id}/question-1`);
    const card = locateQuestionCard(page);
    await card.waitFor();
    return { id, page, card, send: card.getByRole('button', { name: 'Send answer' }) };
  };
  /** The description that a screen reader adds to the name. */
  const readDescription = (control: Locator) =>
    control.evaluate((node) =>
      (node.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id: string) => node.ownerDocument.getElementById(id)?.textContent),
    );
  const isFocused = (control: Locator) => control.evaluate((node) => node.matches(':focus'));

  it('shows at each field what is missing before anything is sent, and focuses the first', async () => {
    const { id, page, card, send } = await openQuestion('Choose');
    const postedUrls: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && postedUrls.push(request.url())));
    await card.getByLabel('What price?').fill('a lot');
    await send.click();
    const colourGroup = card.getByRole('radiogroup', { name: 'Which colour?' });
    await colourGroup.and(page.locator('[aria-invalid="true"]')).waitFor();
    expect(await readDescription(colourGroup)).toEqual(['Choose one.']);
    const daysGroup = card.getByRole('group', { name: 'Which days?' });
    expect(await readDescription(daysGroup)).toEqual(['Select all that apply.', 'Choose at least one.']);
    const nameInput = card.getByLabel('What name?');
    expect([await nameInput.getAttribute('aria-invalid'), await readDescription(nameInput)]).toEqual([
      'true',
      ['Enter an answer.'],
    ]);
    expect(await readDescription(card.getByLabel('What price?'))).toEqual([
      'A number.',
      'Enter a number, such as 12.5.',
    ]);
    await eventually(async () => expect(await isFocused(card.getByRole('radio', { name: 'Red' }))).toBe(true));
    expect(postedUrls).toEqual([]);

    await card.getByRole('radio', { name: 'Red' }).check();
    await card.getByText('Choose one.').waitFor({ state: 'detached' });
    await card.getByRole('checkbox', { name: 'Tue' }).check();
    await nameInput.fill('Rosa');
    await card.getByLabel('What price?').fill('-3');
    expect(await card.getByRole('alert').count()).toBe(0);
    await send.click();
    await web.waitForStatus(id, 'completed');
    expect(JSON.parse(web.toolResultsFor('Choose')[0] ?? '').answers).toEqual({
      'Which colour?': 'Red',
      'Which days?': ['Tue'],
      'What name?': 'Rosa',
      'What price?': -3,
    });
  });

  it("shows the server's errors at their fields, keeps the rest, and sends the fixed answer", async () => {
    const { id, card, send } = await openQuestion('Type');
    const fields = ['How many?', 'What code?', 'Whose mail?'].map((label) => card.getByLabel(label));
    const [countInput, codeInput, mailInput] = fields as [Locator, Locator, Locator];
    await card.getByLabel('Which story?').fill('A long one');
    await countInput.fill('2');
    await codeInput.fill('ab');
    await mailInput.fill('ada at home');
    await send.click();
    await eventually(async () => expect(await countInput.getAttribute('aria-invalid')).toBe('true'));
    expect(await readDescription(countInput)).toContainEqual(expect.stringMatching(/^Must be a whole number .*3/));
    expect(await readDescription(codeInput)).toContainEqual('Must match the pattern ^[A-Z]{2}$.');
    expect(await readDescription(mailInput)).toContainEqual(expect.stringMatching(/^Must be an email address such as/));
    await eventually(async () => expect(await isFocused(countInput)).toBe(true));
    expect(await card.getByLabel('Which story?').inputValue()).toBe('A long one');
    expect(await card.getByLabel('Which story?').getAttribute('aria-invalid')).toBeNull();

    await countInput.fill('3');
    expect(await isFocused(countInput)).toBe(true);
    await codeInput.fill('AB');
    await mailInput.fill('ada@example.org');
    await send.click();
    await web.waitForStatus(id, 'completed');
    expect(JSON.parse(web.toolResultsFor('Type')[0] ?? '').answers).toEqual({
      'Which story?': 'A long one',
      'How many?': 3,
      'What code?': 'AB',
      'Whose mail?': 'ada@example.org',
    });
  });
});
