import type { Question } from '#contract/question';
import {
  type AnswerPageFields,
  type AnswerPageFixture,
  listChosenValues,
  openAnswerPage,
  sendAnswerForm,
  startAnswerPageFixture,
  visibleTextOf,
} from '#test/support/api/answer-page';
import { createRecordingTool } from '#test/support/recording-tool';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { readFirstMessage } from '#test/support/web/web-fixture';
import { builtInTools } from '#tools/registry';

const QUESTIONS = [
  { question: 'One?', options: [{ label: 'A' }, { label: 'B' }], allowOther: true },
  { question: 'Many?', options: [{ label: 'C' }, { label: 'D' }], multiSelect: true },
  { question: 'Text?' },
  { question: 'Number?', schema: { type: 'number' } },
  { question: 'Whole?', schema: { type: 'integer', minimum: 1, maximum: 9 } },
  { question: 'Flag?', schema: { type: 'boolean' } },
  { question: 'Day?', schema: { type: 'string', format: 'date' } },
  { question: 'Moment?', schema: { type: 'string', format: 'date-time' } },
  { question: 'Mail?', schema: { type: 'string', format: 'email' } },
  { question: 'Web?', schema: { type: 'string', format: 'uri' } },
  { question: 'Enum?', schema: { type: 'string', enum: ['x', 'y'] } },
  { question: 'List?', schema: { type: 'array', items: { enum: ['v', 'w'] } } },
];
const VALID_FORM: AnswerPageFields = {
  q1: '',
  'q1.other': 'Neither',
  q2: ['D', 'C'],
  q3: 'Two\nlines',
  q4: '-2.5',
  q5: '7',
  q6: 'No',
  q7: '2026-11-16',
  q8: '2026-11-16T09:30',
  q9: 'ada@example.org',
  q10: 'https://example.org/x',
  q11: 'y',
  q12: ['v'],
};
const whichQuestion = { question: 'Which?', options: [{ label: 'A', description: 'Easy' }, { label: 'B' }] };

const { tool, lines } = createRecordingTool();

describe('a person with an answer link', () => {
  let fixture: AnswerPageFixture;
  beforeAll(async () => {
    fixture = await startAnswerPageFixture({
      tools: [...builtInTools, tool],
      keys: {
        ann: ['conversations:write', 'conversations:read', 'questions:answer'],
        maria: ['questions:answer'],
      },
      frontMatter:
        'tools: [{ name: write_line, requiresConfirmation: true }]\nquestions: { maxQuestions: 20, assignees: [maria, lee@example.com] }',
      script: (request) => {
        const [result] = lastToolResults(request);
        if (result) return replyWithText(`Heard ${result.text}`);
        const message = readFirstMessage(request);
        if (message === 'confirm') return replyWithToolCalls({ name: 'write_line', input: { line: 'x\u202ey' } });
        const questions = message === 'form' ? QUESTIONS : [whichQuestion];
        return replyWithToolCalls({ name: 'ask_user_question', input: { questions } });
      },
    });
  });
  afterAll(() => fixture.stop());

  const readQuestion = async ({ conversationId, id }: Question) =>
    (await fixture.call<Question>('GET', `/v1/conversations/${conversationId}/questions/${id}`)).body;

  it('answers every kind of field', async () => {
    const question = await fixture.askQuestion('form');
    const page = await sendAnswerForm(fixture.link(question, 'maria'), {
      ...VALID_FORM,
      comment: ' Good luck ',
      send: 'answer',
    });
    expect(page.status).toBe(200);
    expect(visibleTextOf(page)).toContain('Thanks, answer sent');
    expect(visibleTextOf(page)).toContain('Text? Two lines');
    expect(await readQuestion(question)).toMatchObject({
      status: 'answered',
      outcome: {
        by: 'maria',
        via: 'link',
        comment: 'Good luck',
        answers: {
          q1: { other: 'Neither' },
          q2: ['C', 'D'],
          q3: 'Two\nlines',
          q4: -2.5,
          q5: 7,
          q6: false,
          q7: '2026-11-16',
          q8: '2026-11-16T09:30:00Z',
          q9: 'ada@example.org',
          q10: 'https://example.org/x',
          q11: 'y',
          q12: ['v'],
        },
      },
    });
    expect((await fixture.waitForStatus(question.conversationId, 'completed')).result).toContain('Neither');
  });

  it('sees each error at its field, with all input kept', async () => {
    const question = await fixture.askQuestion('form');
    const invalid = { ...VALID_FORM, q1: 'A', q2: [], q4: 'few', q5: '70', q9: 'ada', comment: 'Why?', send: 'answer' };
    const page = await sendAnswerForm(fixture.link(question, 'maria'), invalid);
    expect(page.status).toBe(400);
    const visibleText = visibleTextOf(page);
    expect(visibleText).toContain('Please fix this before sending');
    expect(page.text).toMatch(/<title>Error: /);
    for (const [key, error] of Object.entries({
      q1: 'without selecting it',
      q2: 'Choose at least one.',
      q4: 'Enter a number',
      q5: 'Must be a whole number from 1 to 9.',
      q9: 'Must be an email address',
    })) {
      expect(page.text).toMatch(new RegExp(`<li><a href="#${key}">`));
      expect(page.text).toMatch(new RegExp(`id="${key}-error">.*${error}`));
      expect(page.text).toMatch(new RegExp(`aria-describedby="${key}-error`));
    }
    for (const submittedValue of [
      'value="Neither"',
      '>Two\nlines</textarea>',
      'value="few"',
      'value="70"',
      'value="ada"',
      '>Why?</textarea>',
    ])
      expect(page.text).toContain(submittedValue);
    expect([listChosenValues(page, 'q1'), listChosenValues(page, 'q6'), listChosenValues(page, 'q12')]).toEqual([
      ['A'],
      ['No'],
      ['v'],
    ]);
    expect((await readQuestion(question)).status).toBe('pending');
  });

  it('skips, with or without a reason', async () => {
    const [first, second] = [await fixture.askQuestion('Hello'), await fixture.askQuestion('Hello')];
    const page = await sendAnswerForm(fixture.link(first, 'maria'), { comment: 'Not mine', send: 'decline' });
    expect([page.status, visibleTextOf(page)]).toEqual([200, expect.stringContaining('Question skipped')]);
    expect(visibleTextOf(page)).toContain('Reason Not mine');
    expect(await readQuestion(first)).toMatchObject({
      status: 'declined',
      outcome: { by: 'maria', via: 'link', comment: 'Not mine' },
    });
    expect((await sendAnswerForm(fixture.link(second, 'maria'), { q1: 'A', send: 'decline' })).status).toBe(200);
    expect((await readQuestion(second)).outcome).not.toHaveProperty('comment');
  });

  it('sees the same after a reload, or if the form is sent twice at once', async () => {
    const question = await fixture.askQuestion('Hello');
    const url = fixture.link(question, 'maria');
    const form = { q1: 'A', comment: 'Once', send: 'answer' };
    const [first, concurrent] = await Promise.all([sendAnswerForm(url, form), sendAnswerForm(url, form)]);
    const again = await sendAnswerForm(url, form);
    expect([first.status, concurrent.status, again.status]).toEqual([200, 200, 200]);
    expect(visibleTextOf(again)).toBe(visibleTextOf(first));
    await fixture.waitForStatus(question.conversationId, 'completed');
    expect(visibleTextOf(await sendAnswerForm(url, form))).toBe(visibleTextOf(first));
  });

  it('cannot answer again differently: a link accepts one answer', async () => {
    const question = await fixture.askQuestion('Hello');
    const url = fixture.link(question, 'maria');
    await sendAnswerForm(url, { q1: 'A' });
    for (const form of [{ q1: 'B' }, { send: 'decline' }, { q1: 'nonsense' }, {}] as AnswerPageFields[]) {
      const page = await sendAnswerForm(url, form);
      expect(page.status).toBe(409);
      expect(visibleTextOf(page)).toContain("Answered by maria via link Too late: your answer wasn't used.");
      expect(visibleTextOf(page)).toContain('Which? A');
    }
    expect((await readQuestion(question)).outcome?.answers).toEqual({ q1: 'A' });
  });

  it('sees who answered, how and when, if someone else was faster', async () => {
    const question = await fixture.askQuestion('Hello');
    const [maria, lee] = [fixture.link(question, 'maria'), fixture.link(question, 'lee@example.com')];
    expect(visibleTextOf(await openAnswerPage(lee))).toContain('Send answer');
    await sendAnswerForm(maria, { q1: 'B', comment: 'Sure' });
    const resolved = await readQuestion(question);
    for (const page of [await sendAnswerForm(lee, { q1: 'A' }), await openAnswerPage(lee)]) {
      expect(visibleTextOf(page)).toContain('Answered by maria via link');
      expect(visibleTextOf(page)).toContain('Which? B Comment Sure');
      expect(page.text).toContain(`<time datetime="${resolved.outcome?.at}">`);
      expect(page.text).not.toContain('<form');
    }
    expect((await openAnswerPage(lee)).status).toBe(200);
  });

  it('sees that it was answered elsewhere', async () => {
    const question = await fixture.askQuestion('Hello');
    await fixture.answer(question.conversationId, { answer: 'A' });
    const page = await sendAnswerForm(fixture.link(question, 'maria'), { q1: 'B' });
    expect([page.status, visibleTextOf(page)]).toEqual([409, expect.stringContaining('Answered by ann over HTTP')]);
  });

  it('sees exactly what an approval would run, and approves it', async () => {
    const question = await fixture.askQuestion('confirm');
    const url = fixture.link(question, 'maria');
    const page = await openAnswerPage(`${url}?q1=Yes%2C+proceed`);
    expect(visibleTextOf(page)).toContain('needs your approval');
    expect(visibleTextOf(page)).toContain('Runs write_line with exactly these arguments: { "line": "x\\u202ey" }');
    expect(page.text).toContain('class="card grave"');
    expect([listChosenValues(page, 'q1'), lines]).toEqual([['Yes, proceed'], []]);
    await sendAnswerForm(url, { q1: 'Yes, proceed' });
    await fixture.waitForStatus(question.conversationId, 'completed');
    expect(lines).toEqual(['x\u202ey']);
  });

  it('cannot send more than the limit, or anything but a form', async () => {
    const question = await fixture.askQuestion('Hello');
    const url = fixture.link(question, 'maria');
    const longPage = await sendAnswerForm(url, { q1: '', 'q1.other': 'я'.repeat(18_000) });
    expect([longPage.status, visibleTextOf(longPage)]).toEqual([400, expect.stringContaining('32 KB max')]);
    const hugePage = await sendAnswerForm(url, { q1: '', 'q1.other': 'x'.repeat(200_000) });
    expect([hugePage.status, visibleTextOf(hugePage)]).toEqual([413, expect.stringContaining('Answer too long')]);
    const json = await openAnswerPage(url, {
      method: 'POST',
      body: '{"q1":"A"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([json.status, visibleTextOf(json)]).toEqual([415, expect.stringContaining('Invalid request')]);
    expect((await openAnswerPage(url, { method: 'POST' })).status).toBe(415);
    const malformed = await openAnswerPage(url, {
      method: 'POST',
      body: '%E0%A4%A&q1&=&&q1=%zz&__proto__=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(malformed.status).toBe(400);
    expect((await readQuestion(question)).status).toBe('pending');
  });
});
