import type { Locator } from 'playwright-core';
import { eventually } from '#test/support/eventually';
import { replyWithQuestion } from '#test/support/scripted-model';
import { createReplyScript, locateQuestionCard, startWebFixture, type WebFixture } from '#test/support/web/web-fixture';

describe('a form that is filled in wrongly', () => {
  let w: WebFixture;
  beforeAll(async () => {
    w = await startWebFixture({
      policy: 'questions: { maxQuestions: 5 }',
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
  afterEach(() => w.closePages());
  afterAll(() => w.stop());

  const opened = async (message: string) => {
    const id = await w.start(message);
    await w.question(id);
    const page = await w.visit(`/questions/${id}/question-1`);
    const card = locateQuestionCard(page);
    await card.waitFor();
    return { id, page, card, send: card.getByRole('button', { name: 'Send answer' }) };
  };
  /** What a screen reader says of it after its name. */
  const described = (control: Locator) =>
    control.evaluate((node) =>
      (node.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id: string) => node.ownerDocument.getElementById(id)?.textContent),
    );
  const isFocused = (control: Locator) => control.evaluate((node) => node.matches(':focus'));

  it('says at each field what is missing, before anything is sent, and leads to the first', async () => {
    const { id, page, card, send } = await opened('Choose');
    const posts: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && posts.push(request.url())));
    await card.getByLabel('What price?').fill('a lot');
    await send.click();
    const colour = card.getByRole('radiogroup', { name: 'Which colour?' });
    await colour.and(page.locator('[aria-invalid="true"]')).waitFor();
    expect(await described(colour)).toEqual(['Choose one.']);
    const days = card.getByRole('group', { name: 'Which days?' });
    expect(await described(days)).toEqual(['Choose any number', 'Choose at least one.']);
    const name = card.getByLabel('What name?');
    expect([await name.getAttribute('aria-invalid'), await described(name)]).toEqual(['true', ['Write an answer.']]);
    expect(await described(card.getByLabel('What price?'))).toEqual(['Write a number in digits, such as 12.5.']);
    await eventually(async () => expect(await isFocused(card.getByRole('radio', { name: 'Red' }))).toBe(true));
    expect(posts).toEqual([]);

    await card.getByRole('radio', { name: 'Red' }).check();
    await card.getByText('Choose one.').waitFor({ state: 'detached' });
    await card.getByRole('checkbox', { name: 'Tue' }).check();
    await name.fill('Rosa');
    await card.getByLabel('What price?').fill('-3');
    expect(await card.getByRole('alert').count()).toBe(0);
    await send.click();
    await w.until(id, 'completed');
    expect(JSON.parse(w.heard('Choose')[0] ?? '').answers).toEqual({
      'Which colour?': 'Red',
      'Which days?': ['Tue'],
      'What name?': 'Rosa',
      'What price?': -3,
    });
  });

  it('says at each field what the server found, keeps the rest, and sends what is mended', async () => {
    const { id, card, send } = await opened('Type');
    const fields = ['How many?', 'What code?', 'Whose mail?'].map((label) => card.getByLabel(label));
    const [many, code, mail] = fields as [Locator, Locator, Locator];
    await card.getByLabel('Which story?').fill('A long one');
    await many.fill('2');
    await code.fill('ab');
    await mail.fill('ada at home');
    await send.click();
    await eventually(async () => expect(await many.getAttribute('aria-invalid')).toBe('true'));
    expect(await described(many)).toContainEqual(expect.stringMatching(/^Must be a whole number .*3/));
    expect(await described(code)).toContainEqual('Must match the pattern ^[A-Z]{2}$.');
    expect(await described(mail)).toContainEqual(expect.stringMatching(/^Must be an e-mail address such as/));
    await eventually(async () => expect(await isFocused(many)).toBe(true));
    expect(await card.getByLabel('Which story?').inputValue()).toBe('A long one');
    expect(await card.getByLabel('Which story?').getAttribute('aria-invalid')).toBeNull();

    await many.fill('3');
    expect(await isFocused(many)).toBe(true);
    await code.fill('AB');
    await mail.fill('ada@example.org');
    await send.click();
    await w.until(id, 'completed');
    expect(JSON.parse(w.heard('Type')[0] ?? '').answers).toEqual({
      'Which story?': 'A long one',
      'How many?': 3,
      'What code?': 'AB',
      'Whose mail?': 'ada@example.org',
    });
  });
});
