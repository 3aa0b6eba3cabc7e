import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Question } from '#contract/question';
import type { ModelScript, ScriptedReply } from '#models/demo/reply';
import { type AnswerPageFixture, startAnswerPageFixture } from '#test/support/api/answer-page';
import { createRecordingTool } from '#test/support/recording-tool';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { expectAccessibleInLightAndDark } from '#test/support/web/accessibility';
import { type BrowserPages, openBrowserPages } from '#test/support/web/browser';
import { HOSTILE_MARKUP, startHostileParley, submitHostileTexts } from '#test/support/web/hostile-content';
import { readFirstMessage } from '#test/support/web/web-fixture';
import { builtInTools } from '#tools/registry';

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  javaScriptEnabled: false,
};

const replyWithQuestions = (questions: object[], context?: string): ScriptedReply =>
  replyWithToolCalls({ name: 'ask_user_question', input: { questions, context } });

const REPLIES: Record<string, ScriptedReply> = {
  'Set up the shop': replyWithQuestions(
    [
      {
        question: 'Which database should the shop use?',
        header: 'Database',
        options: [
          { label: 'PostgreSQL', description: 'We run it already, with backups every hour' },
          { label: 'SQLite', description: 'Nothing to run, but one writer at a time' },
        ],
      },
      {
        question: 'Which regions do we open in?',
        header: 'Regions',
        options: [{ label: 'Europe' }, { label: 'North America' }, { label: 'Asia' }],
        multiSelect: true,
        default: ['Europe'],
      },
      { question: 'What shall customers read first?', header: 'Welcome' },
      { question: 'How many orders a day?', header: 'Orders', schema: { type: 'integer', minimum: 1 } },
      { question: 'May it send mail?', header: 'Mail', schema: { type: 'boolean' } },
      { question: 'When do we open?', header: 'Opening', schema: { type: 'string', format: 'date' } },
      {
        question: 'When is the first check?',
        header: 'Check',
        schema: { type: 'string', format: 'date-time' },
      },
      { question: 'Who hears of trouble?', schema: { type: 'string', format: 'email' } },
      { question: 'Where is the logo?', schema: { type: 'string', format: 'uri' } },
      { question: 'What is the tax?', schema: { type: 'number', minimum: -1, maximum: 30 } },
      {
        question: 'Which currency?',
        schema: { type: 'string', enum: ['EUR', 'USD', 'GBP', 'JPY', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN'] },
      },
      { question: 'Which cards?', schema: { type: 'array', items: { enum: ['Visa', 'Amex', 'JCB'] } } },
      { question: 'Which colour?', schema: { type: 'string', enum: ['Red', 'Blue'] } },
    ],
    'The choice of **database** decides what the rest costs:\n\n- PostgreSQL is on the [price list](https://example.com/prices)\n- SQLite is `free`\n\n> Both can be changed later.',
  ),
  'Clean up': replyWithToolCalls({
    name: 'write_line',
    input: { line: 'drop\u202e everything\nfrom orders', fail: false },
  }),
  'Pick a name': replyWithQuestions([{ question: 'What shall it be called?' }]),
};

const modelScript: ModelScript = (request) => {
  const [result] = lastToolResults(request);
  return result ? replyWithText(`Heard ${result.text}`) : (REPLIES[readFirstMessage(request)] ?? replyWithText('done'));
};

describe('a person with a link, on a phone and without scripts', () => {
  let fixture: AnswerPageFixture;
  let pages: BrowserPages;
  beforeAll(async () => {
    fixture = await startAnswerPageFixture({
      script: modelScript,
      tools: [...builtInTools, createRecordingTool().tool],
      frontMatter:
        'tools: [{ name: write_line, requiresConfirmation: true }]\nquestions: { maxQuestions: 20, timeout: 3d }',
    });
    pages = await openBrowserPages();
  });
  afterEach(async () => {
    await pages.close();
    expect(pages.errors().splice(0)).toEqual([]);
  });
  afterAll(() => fixture.stop());

  const openLink = (question: Question, person = 'maria') => pages.open(fixture.link(question, person), PHONE);
  const readQuestion = async ({ conversationId, id }: Question) =>
    (await fixture.call<Question>('GET', `/v1/conversations/${conversationId}/questions/${id}`)).body;
  const sendAnswer = (page: Page) => page.getByRole('button', { name: 'Send answer' }).tap();

  it('answers every kind of field, and fixes errors without typing the rest again', async () => {
    const question = await fixture.askQuestion('Set up the shop');
    const page = await openLink(question);
    const group = (name: string) => page.getByRole('group', { name });
    await group('Which database').getByRole('textbox').fill('CockroachDB');
    await page.getByLabel('North America').tap();
    await page.getByLabel('What shall customers read first?').fill('Hello,\nand <b>welcome</b>');
    await page.getByLabel('How many orders a day?').fill('lots');
    await group('May it send mail?').getByLabel('Yes').tap();
    await page.getByLabel('When do we open?').fill('2026-12-01');
    await page.getByLabel('When is the first check?').fill('2026-12-01T06:30');
    await page.getByLabel('Who hears of trouble?').fill('ops@example');
    await page.getByLabel('Where is the logo?').fill('https://example.com/logo.svg');
    await page.getByLabel('What is the tax?').fill('-0.5');
    await page.getByLabel('Which currency?').selectOption('SEK');
    await page.getByLabel('Amex').tap();
    await page.getByLabel('Blue').tap();
    await page.getByLabel('Comment').fill('No hurry');
    await sendAnswer(page);

    const summary = page.getByRole('alert');
    await summary.getByRole('heading', { name: 'Please fix this before sending' }).waitFor();
    expect(await page.title()).toMatch(/^Error: /);
    expect(await summary.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('without selecting it'),
      'Orders: Enter a number, such as 12.5.',
      expect.stringContaining('Must be an email address'),
    ]);
    expect((await readQuestion(question)).status).toBe('pending');
    await summary.getByRole('link', { name: 'Orders' }).tap();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('q4');

    await group('Which database').getByLabel('Other', { exact: true }).tap();
    await page.getByLabel('How many orders a day?').fill('250');
    await page.getByLabel('Who hears of trouble?').fill('ops@example.com');
    await sendAnswer(page);
    await page.getByRole('heading', { name: 'Thanks, answer sent' }).waitFor();
    expect((await readQuestion(question)).outcome).toMatchObject({
      by: 'maria',
      via: 'link',
      comment: 'No hurry',
      answers: {
        q1: { other: 'CockroachDB' },
        q2: ['Europe', 'North America'],
        q3: 'Hello,\nand <b>welcome</b>',
        q4: 250,
        q5: true,
        q6: '2026-12-01',
        q7: '2026-12-01T06:30:00Z',
        q8: 'ops@example.com',
        q9: 'https://example.com/logo.svg',
        q10: -0.5,
        q11: 'SEK',
        q12: ['Amex'],
        q13: 'Blue',
      },
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Thanks, answer sent' }).waitFor();
    expect(await page.getByText('Hello, and <b>welcome</b>').count()).toBe(1);
    await page.goto(fixture.link(question, 'maria'));
    await page.getByRole('heading', { name: 'Answered by maria via link' }).waitFor();
  });

  it('skips with the keyboard alone', async () => {
    const question = await fixture.askQuestion('Pick a name');
    const page = await openLink(question);
    await page.getByLabel('Comment').fill('Ask Lee');
    const decline = page.getByRole('button', { name: 'Skip', exact: true });
    expect(await decline.isVisible()).toBe(false);
    await page.getByLabel('Comment').press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await decline.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Question skipped' }).waitFor();
    expect(await readQuestion(question)).toMatchObject({
      status: 'declined',
      outcome: { by: 'maria', comment: 'Ask Lee' },
    });
  });

  it('is not mistaken for another site if no keys are set, and leaks no referrer', async () => {
    const question = await fixture.askQuestion('Pick a name');
    const page = await openLink(question);
    await page.getByLabel('What shall it be called?').fill('Otter');
    const [submission] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST'),
      sendAnswer(page),
    ]);
    await page.getByRole('heading', { name: 'Thanks, answer sent' }).waitFor();
    expect(await submission.allHeaders()).toMatchObject({ origin: 'null', 'sec-fetch-site': 'same-origin' });
    expect(await submission.headerValue('referer')).toBeNull();
  });

  it('keeps a question open when a scanner runs scripts but clicks nothing', async () => {
    const question = await fixture.askQuestion('Pick a name');
    const before = await fixture.client.workflow.getHandle(question.conversationId).describe();
    const page = await pages.open(`${fixture.link(question, 'maria')}?q1=Otter`, { javaScriptEnabled: true });
    await page.waitForLoadState('networkidle');
    await page.mouse.move(200, 200);
    await page.close({ runBeforeUnload: true });
    const after = await fixture.client.workflow.getHandle(question.conversationId).describe();
    expect(after.historyLength).toBe(before.historyLength);
  });

  describe('meets the accessibility rules with', () => {
    async function expectAccessibleWithoutScroll(page: Page): Promise<void> {
      await expectAccessibleInLightAndDark(page);
      const { contentWidth, viewportWidth } = await page.evaluate(() => ({
        contentWidth: document.documentElement.scrollWidth,
        viewportWidth: document.documentElement.clientWidth,
      }));
      expect(contentWidth).toBe(viewportWidth);
    }
    const openQuestion = async (message: string) => {
      const question = await fixture.askQuestion(message);
      const page = await pages.open(fixture.link(question, 'maria'), { ...PHONE, javaScriptEnabled: true });
      // Wait for the stylesheet, because these tests check the layout.
      await page.waitForLoadState('load');
      return { question, page };
    };

    it('a form, its errors and its result', async () => {
      const { page, question } = await openQuestion('Set up the shop');
      await expectAccessibleWithoutScroll(page);
      await sendAnswer(page);
      await page.getByRole('alert').waitFor();
      await expectAccessibleWithoutScroll(page);
      await page.getByText('Skip this question').tap();
      await expectAccessibleWithoutScroll(page);
      await page.getByRole('button', { name: 'Skip', exact: true }).tap();
      await page.getByRole('heading', { name: 'Question skipped' }).waitFor();
      await expectAccessibleWithoutScroll(page);
      await page.goto(fixture.link(question, 'bob'));
      await expectAccessibleWithoutScroll(page);
    });

    it('a confirmation, and an invalid link', async () => {
      const { page } = await openQuestion('Clean up');
      await expectAccessibleWithoutScroll(page);
      await page.getByText('No, cancel').tap();
      await sendAnswer(page);
      await page.getByRole('heading', { name: 'Thanks, answer sent' }).waitFor();
      await expectAccessibleWithoutScroll(page);
      await page.goto(`${fixture.url}/a/nothing`);
      await expectAccessibleWithoutScroll(page);
    });

    it('touch: every tap target is large', async () => {
      const { page } = await openQuestion('Set up the shop');
      const smallTargets = await page
        .locator(
          'label.choice, .pick, input:not([type=radio], [type=checkbox]), textarea, select, button:visible, summary',
        )
        .evaluateAll((elements) =>
          elements.filter((element) => element.getBoundingClientRect().height < 44).map((element) => element.outerHTML),
        );
      expect(smallTargets).toEqual([]);
    });
  });
});

describe('hostile texts on the link page', () => {
  let parley: Awaited<ReturnType<typeof startHostileParley>>;
  let pages: BrowserPages;
  const observed = { scriptRuns: 0, externalRequests: [] as string[] };
  beforeAll(async () => {
    [parley, pages] = await Promise.all([startHostileParley(), openBrowserPages()]);
  });
  afterEach(() => pages.close());
  afterAll(async () => {
    parley.releaseReply();
    await parley.stop();
  });

  async function openQuestionPage(id: string): Promise<Page> {
    await parley.waitForQuestion(id);
    const links = `/v1/conversations/${id}/questions/latest/links`;
    const { body } = await parley.call<{ url: string }>('POST', links, { person: 'maria' });
    const page = await pages.open('about:blank', { javaScriptEnabled: true });
    await page.context().exposeFunction('canary', () => {
      observed.scriptRuns += 1;
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(parley.url)) observed.externalRequests.push(request.url());
    });
    await page.goto(body.url);
    return page;
  }

  /** Unexpected elements, attributes that run or load something, and links into Parley. */
  const injectedElements = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter(
          (element) =>
            element.matches(
              'script, style, link, img, svg, math, iframe, object, embed, base, meta, video, template, form form',
            ) ||
            element.getAttributeNames().some((name) => /^(on|style$|src|autofocus|formaction|srcdoc)/.test(name)) ||
            (element.matches('[href]') && !/^(https?:\/\/|mailto:|#)/.test(element.getAttribute('href') ?? '')),
        )
        .map((element) => element.outerHTML.slice(0, 200)),
    );

  async function expectText(page: Page): Promise<void> {
    expect({ ...observed, injectedElements: await injectedElements(page) }).toEqual({
      scriptRuns: 0,
      externalRequests: [],
      injectedElements: [],
    });
  }

  it('are shown as text in labels and Markdown, and the chosen label is the one that counts', async () => {
    const id = await submitHostileTexts(parley);
    const page = await openQuestionPage(id);
    await expectText(page);
    const { fields } = await parley.waitForQuestion(id);
    const [first, second] = fields;
    // Labels with a character that HTML cannot represent.
    const labelsWithNul = [first, second].map(
      (field) => field?.options?.find(({ label }) => label.includes('\u0000'))?.label,
    );
    const chosenLabels = [
      labelsWithNul[0] ?? first?.options?.at(-1)?.label,
      labelsWithNul[1] ?? second?.options?.at(-1)?.label,
    ];
    for (const [fieldIndex, field] of [first, second].entries()) {
      const optionIndex = field?.options?.findIndex(({ label }) => label === chosenLabels[fieldIndex]) ?? 0;
      await page.locator(`input[name=${field?.key}]`).nth(optionIndex).check();
    }
    await page.getByLabel('Comment').fill(HOSTILE_MARKUP.join('\n').slice(0, 3_000));
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('heading', { name: 'Thanks, answer sent' }).waitFor();
    await expectText(page);
    const { body } = await parley.call<Question>('GET', `/v1/conversations/${id}/questions/question-3`);
    expect(body.outcome?.answers).toEqual({ q1: chosenLabels[0], q2: chosenLabels[1] });
    expect(labelsWithNul.filter(Boolean)).toHaveLength(1);
  });

  it.each(['describe', 'confirm', 'approve'])('are shown as text in %s', async (message) => {
    const page = await openQuestionPage(await parley.startConversation(`${message}\n${HOSTILE_MARKUP.join(' ')}`));
    await expectText(page);
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('alert').waitFor();
    await expectText(page);
  });
});
