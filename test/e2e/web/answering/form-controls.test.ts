import { replyWithQuestion } from '#test/support/scripted-model';
import { createReplyScript, locateQuestionCard, startWebFixture, type WebFixture } from '#test/support/web/web-fixture';

const toOptions = (...labels: string[]) => labels.map((label) => ({ label }));
const CITIES = ['Athens', 'Berlin', 'Cairo', 'Delhi', 'Essen', 'Faro', 'Ghent', 'Hanoi', 'Izmir'];

const CHOICE_FIELDS = [
  {
    question: 'Which plan?',
    header: 'Plan',
    options: [
      { label: 'Small', description: 'One machine' },
      { label: 'Large', description: 'Ten machines' },
    ],
  },
  { question: 'Which days?', header: 'Days', multiSelect: true, options: toOptions('Mon', 'Tue', 'Wed') },
  { question: 'Which city?', header: 'City', allowOther: false, options: toOptions(...CITIES) },
  { question: 'Which size?', header: 'Size', schema: { type: 'string', enum: ['S', 'M', 'L'] } },
  {
    question: 'Which extras?',
    header: 'Extras',
    schema: { type: 'array', items: { enum: ['Ice', 'Lime', 'Mint'] }, maxItems: 2 },
  },
  { question: 'Is it urgent?', header: 'Urgent', schema: { type: 'boolean' } },
];
const TEXT_FIELDS = [
  { question: 'What price?', schema: { type: 'number' } },
  { question: 'How many?', schema: { type: 'integer', minimum: 1, maximum: 10 } },
  { question: 'Which day?', schema: { type: 'string', format: 'date' } },
  { question: 'Which moment?', schema: { type: 'string', format: 'date-time' } },
  { question: 'Whose mail?', schema: { type: 'string', format: 'email' } },
  { question: 'Which page?', schema: { type: 'string', format: 'uri' } },
  { question: 'What code?', schema: { type: 'string', maxLength: 8 } },
  { question: 'What story?' },
];

describe('a form', () => {
  let web: WebFixture;
  beforeAll(async () => {
    web = await startWebFixture({
      frontMatter: 'questions: { maxQuestions: 10, maxOptions: 10 }',
      script: createReplyScript({ Choose: replyWithQuestion(CHOICE_FIELDS), Type: replyWithQuestion(TEXT_FIELDS) }),
    });
  });
  afterEach(() => web.closePages());
  afterAll(() => web.stop());

  const openQuestion = async (message: string, path: (id: string) => string) => {
    const id = await web.startConversation(message);
    await web.waitForQuestion(id);
    const page = await web.openPage(path(id), { timezoneId: 'America/New_York' });
    return { id, page, card: locateQuestionCard(page) };
  };

  it('takes every kind of choice; the agent gets labels in the order offered', async () => {
    const { id, page, card } = await openQuestion('Choose', (id) => `/questions/${id}/question-1`);
    const plan = card.getByRole('radiogroup', { name: 'Which plan?' });
    const small = plan.getByRole('radio', { name: 'Small' });
    await small.check();
    expect(await plan.getByText('One machine').isVisible()).toBe(true);
    await plan.getByLabel('Other: your own answer').fill('Middling');
    expect(await small.isChecked()).toBe(false);

    const days = card.getByRole('group', { name: 'Which days?' });
    for (const day of ['Wed', 'Tue', 'Mon', 'Tue']) await days.getByRole('checkbox', { name: day }).click();
    await days.getByRole('checkbox', { name: 'Other' }).check();
    await page.keyboard.type('Holidays');

    await card.getByRole('combobox', { name: 'Which city?' }).selectOption('Cairo');
    await card.getByRole('radiogroup', { name: 'Which size?' }).getByRole('radio', { name: 'M' }).check();
    const extras = card.getByRole('group', { name: 'Which extras?' });
    for (const extra of ['Mint', 'Ice']) await extras.getByRole('checkbox', { name: extra }).check();
    await card.getByRole('radiogroup', { name: 'Is it urgent?' }).getByRole('radio', { name: 'No' }).check();
    await card.getByRole('button', { name: 'Send answer' }).click();

    await web.waitForStatus(id, 'completed');
    expect(web.toolResultsFor('Choose').map((text) => JSON.parse(text).answers)).toEqual([
      {
        'Which plan?': { other: 'Middling' },
        'Which days?': ['Mon', 'Wed', { other: 'Holidays' }],
        'Which city?': 'Cairo',
        'Which size?': 'M',
        'Which extras?': ['Ice', 'Mint'],
        'Is it urgent?': false,
      },
    ]);
  });

  it('takes every kind of text; the agent gets numbers as numbers and times with a zone', async () => {
    const { id, card } = await openQuestion('Type', (id) => `/conversations/${id}`);
    const field = (name: string) => card.getByLabel(name, { exact: true });
    await field('What price?').fill(' 12.50');
    await field('How many?').fill('7');
    expect(await card.getByText('1 to 10').isVisible()).toBe(true);
    await field('Which day?').fill('2027-02-28');
    await field('Which moment?').fill('2027-07-01T09:30');
    await field('Whose mail?').fill('ada@example.org');
    await field('Which page?').fill('https://example.org/a?b=c');
    await field('What code?').fill('AB-12');
    await field('What story?').fill('Once upon\n  a time …');
    await card.getByRole('button', { name: 'Send answer' }).click();

    await card.getByText(`Answered by ${web.ann} on the web`).waitFor();
    await web.waitForStatus(id, 'completed');
    expect(web.toolResultsFor('Type').map((text) => JSON.parse(text).answers)).toEqual([
      {
        'What price?': 12.5,
        'How many?': 7,
        'Which day?': '2027-02-28',
        'Which moment?': '2027-07-01T13:30:00Z',
        'Whose mail?': 'ada@example.org',
        'Which page?': 'https://example.org/a?b=c',
        'What code?': 'AB-12',
        'What story?': 'Once upon\n  a time …',
      },
    ]);
  });
});
