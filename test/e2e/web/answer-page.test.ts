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

const asks = (questions: object[], context?: string): ScriptedReply =>
  replyWithToolCalls({ name: 'ask_user_question', input: { questions, context } });

const REPLIES: Record<string, ScriptedReply> = {
  'Set up the shop': asks(
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
  'Pick a name': asks([{ question: 'What shall it be called?' }]),
};

const script: ModelScript = (request) => {
  const [result] = lastToolResults(request);
  return result ? replyWithText(`Heard ${result.text}`) : (REPLIES[readFirstMessage(request)] ?? replyWithText('done'));
};

describe('somebody with a link, on a phone and without script', () => {
  let g: AnswerPageFixture;
  let pages: BrowserPages;
  beforeAll(async () => {
    g = await startAnswerPageFixture({
      script,
      tools: [...builtInTools, createRecordingTool().tool],
      policy: 'tools: [{ name: write_line, requiresConfirmation: true }]\nquestions: { maxQuestions: 20, timeout: 3d }',
    });
    pages = await openBrowserPages();
  });
  afterEach(async () => {
    await pages.close();
    expect(pages.faults().splice(0)).toEqual([]);
  });
  afterAll(() => g.stop());

  const visit = (question: Question, person = 'maria') => pages.open(g.link(question, person), PHONE);
  const now = async ({ conversationId, id }: Question) =>
    (await g.call<Question>('GET', `/v1/conversations/${conversationId}/questions/${id}`)).body;
  const sendIt = (page: Page) => page.getByRole('button', { name: 'Send answer' }).tap();

  it('answers every kind of field, and mends what was wrong without typing the rest again', async () => {
    const question = await g.asked('Set up the shop');
    const page = await visit(question);
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
    await sendIt(page);

    const summary = page.getByRole('alert');
    await summary.getByRole('heading', { name: 'Nothing was sent yet' }).waitFor();
    expect(await page.title()).toMatch(/^Error: /);
    expect(await summary.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('did not choose it'),
      'Orders: Write a number in digits, such as 12.5.',
      expect.stringContaining('Must be an e-mail address'),
    ]);
    expect((await now(question)).status).toBe('pending');
    await summary.getByRole('link', { name: 'Orders' }).tap();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('q4');

    await group('Which database').getByLabel('Other', { exact: true }).tap();
    await page.getByLabel('How many orders a day?').fill('250');
    await page.getByLabel('Who hears of trouble?').fill('ops@example.com');
    await sendIt(page);
    await page.getByRole('heading', { name: 'Thank you. Your answer was taken' }).waitFor();
    expect((await now(question)).outcome).toMatchObject({
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
    await page.getByRole('heading', { name: 'Thank you. Your answer was taken' }).waitFor();
    expect(await page.getByText('Hello, and <b>welcome</b>').count()).toBe(1);
    await page.goto(g.link(question, 'maria'));
    await page.getByRole('heading', { name: 'Answered by maria by a link' }).waitFor();
  });

  it('declines with the keyboard alone', async () => {
    const question = await g.asked('Pick a name');
    const page = await visit(question);
    await page.getByLabel('Comment').fill('Ask Lee');
    const decline = page.getByRole('button', { name: 'Decline this question' });
    expect(await decline.isVisible()).toBe(false);
    await page.getByLabel('Comment').press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await decline.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You declined this question' }).waitFor();
    expect(await now(question)).toMatchObject({
      status: 'declined',
      outcome: { by: 'maria', comment: 'Ask Lee' },
    });
  });

  it('is not taken for another site where no keys are set, and tells nobody where the page is', async () => {
    const question = await g.asked('Pick a name');
    const page = await visit(question);
    await page.getByLabel('What shall it be called?').fill('Otter');
    const [sent] = await Promise.all([page.waitForRequest((request) => request.method() === 'POST'), sendIt(page)]);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(await sent.allHeaders()).toMatchObject({ origin: 'null', 'sec-fetch-site': 'same-origin' });
    expect(await sent.headerValue('referer')).toBeNull();
  });

  it('has nothing answered by a scanner that runs script and clicks nothing', async () => {
    const question = await g.asked('Pick a name');
    const before = await g.client.workflow.getHandle(question.conversationId).describe();
    const page = await pages.open(`${g.link(question, 'maria')}?q1=Otter`, { javaScriptEnabled: true });
    await page.waitForLoadState('networkidle');
    await page.mouse.move(200, 200);
    await page.close({ runBeforeUnload: true });
    const after = await g.client.workflow.getHandle(question.conversationId).describe();
    expect(after.historyLength).toBe(before.historyLength);
  });

  describe('is shut out by nothing:', () => {
    async function expectOpenToAll(page: Page): Promise<void> {
      await expectAccessibleInLightAndDark(page);
      const { wide, inside } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        inside: document.documentElement.clientWidth,
      }));
      expect(wide).toBe(inside);
    }
    const opened = async (message: string) => {
      const question = await g.asked(message);
      const page = await pages.open(g.link(question, 'maria'), { ...PHONE, javaScriptEnabled: true });
      // With its style: how it looks is what these are about.
      await page.waitForLoadState('load');
      return { question, page };
    };

    it('a form, its faults and what came of it', async () => {
      const { page, question } = await opened('Set up the shop');
      await expectOpenToAll(page);
      await sendIt(page);
      await page.getByRole('alert').waitFor();
      await expectOpenToAll(page);
      await page.getByText('I won’t answer').tap();
      await expectOpenToAll(page);
      await page.getByRole('button', { name: 'Decline this question' }).tap();
      await page.getByRole('heading', { name: 'You declined' }).waitFor();
      await expectOpenToAll(page);
      await page.goto(g.link(question, 'bob'));
      await expectOpenToAll(page);
    });

    it('a confirmation, and a link that leads nowhere', async () => {
      const { page } = await opened('Clean up');
      await expectOpenToAll(page);
      await page.getByText('No, cancel').tap();
      await sendIt(page);
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      await expectOpenToAll(page);
      await page.goto(`${g.url}/a/nothing`);
      await expectOpenToAll(page);
    });

    it('fingers: everything to tap is large', async () => {
      const { page } = await opened('Set up the shop');
      const small = await page
        .locator(
          'label.choice, .pick, input:not([type=radio], [type=checkbox]), textarea, select, button:visible, summary',
        )
        .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML));
      expect(small).toEqual([]);
    });
  });
});

describe('texts that would be more than text, on the page of a link', () => {
  let p: Awaited<ReturnType<typeof startHostileParley>>;
  let pages: BrowserPages;
  const seen = { ran: 0, away: [] as string[] };
  beforeAll(async () => {
    [p, pages] = await Promise.all([startHostileParley(), openBrowserPages()]);
  });
  afterEach(() => pages.close());
  afterAll(async () => {
    p.letWrite();
    await p.stop();
  });

  async function opened(id: string): Promise<Page> {
    await p.question(id);
    const links = `/v1/conversations/${id}/questions/latest/links`;
    const { body } = await p.call<{ url: string }>('POST', links, { person: 'maria' });
    const page = await pages.open('about:blank', { javaScriptEnabled: true });
    await page.context().exposeFunction('canary', () => {
      seen.ran += 1;
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(p.url)) seen.away.push(request.url());
    });
    await page.goto(body.url);
    return page;
  }

  /** Elements of kinds the page does not have, attributes that run or load, and links that lead into Parley. */
  const intruders = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter(
          (one) =>
            one.matches(
              'script, style, link, img, svg, math, iframe, object, embed, base, meta, video, template, form form',
            ) ||
            one.getAttributeNames().some((name) => /^(on|style$|src|autofocus|formaction|srcdoc)/.test(name)) ||
            (one.matches('[href]') && !/^(https?:\/\/|mailto:|#)/.test(one.getAttribute('href') ?? '')),
        )
        .map((one) => one.outerHTML.slice(0, 200)),
    );

  async function expectText(page: Page): Promise<void> {
    expect({ ...seen, intruders: await intruders(page) }).toEqual({ ran: 0, away: [], intruders: [] });
  }

  it('are read as they are in labels and Markdown, and the label that was chosen is the one that counts', async () => {
    const id = await submitHostileTexts(p);
    const page = await opened(id);
    await expectText(page);
    const { fields } = await p.question(id);
    const [first, second] = fields;
    // With characters that no page can hold as they are.
    const odd = [first, second].map((field) => field?.options?.find(({ label }) => label.includes('\u0000'))?.label);
    const chosen = [odd[0] ?? first?.options?.at(-1)?.label, odd[1] ?? second?.options?.at(-1)?.label];
    for (const [at, field] of [first, second].entries()) {
      const index = field?.options?.findIndex(({ label }) => label === chosen[at]) ?? 0;
      await page.locator(`input[name=${field?.key}]`).nth(index).check();
    }
    await page.getByLabel('Comment').fill(HOSTILE_MARKUP.join('\n').slice(0, 3_000));
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await expectText(page);
    const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-3`);
    expect(body.outcome?.answers).toEqual({ q1: chosen[0], q2: chosen[1] });
    expect(odd.filter(Boolean)).toHaveLength(1);
  });

  it.each(['describe', 'confirm', 'approve'])('are read as they are in what is said to %s', async (word) => {
    const page = await opened(await p.start(`${word}\n${HOSTILE_MARKUP.join(' ')}`));
    await expectText(page);
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('alert').waitFor();
    await expectText(page);
  });
});
