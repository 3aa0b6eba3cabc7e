import fc from 'fast-check';
import { renderAnswerPage } from '#api/pages/answer/page';
import { blankForm, type FormErrors, readSubmittedForm } from '#api/pages/answer/parse-form';
import { questionPage } from '#api/pages/answer/question-page';
import { exampleQuestion as example } from '#contract/operations/examples';
import type { Question, QuestionField } from '#contract/question';
import { unescapeHtml, visibleTextOf } from '#test/support/api/answer-page';

const NOW = Date.parse('2026-11-16T09:30:05.000Z');
const TIME = {
  key: 'q1',
  header: 'When',
  question: 'When?',
  multiSelect: false,
  allowOther: false,
  required: true,
};

function renderPage(overrides: Partial<Question>, query = '', errors: FormErrors = {}): string {
  const question = { ...example, ...overrides };
  const holder = {
    token: '',
    person: 'maria',
    answeredBy: 'maria',
    caller: { name: 'maria', scopes: [] },
    title: 'Offsite',
    question,
  };
  return renderAnswerPage(
    '',
    questionPage(holder, blankForm(question.fields, new URLSearchParams(query)), errors, NOW),
  );
}
const visibleText = (overrides: Partial<Question>) =>
  visibleTextOf({ text: renderPage(overrides), status: 200, headers: new Headers() });
const renderWithField = (overrides: Partial<QuestionField>) => renderPage({ fields: [{ ...TIME, ...overrides }] });

describe('the question on the answer page', () => {
  it('shows its origin, root first', () => {
    expect(visibleText({ origin: ['planner', 'researcher'] })).toContain(
      'planner › researcher (AI agent) needs your answer',
    );
  });

  it.each<[Partial<Question>, string]>([
    [{}, 'Answer within 2 days , by Wed, 18 Nov 2026, 09:30 UTC . After that, the agent continues without an answer.'],
    [{ onTimeout: 'default' }, 'After that, the agent uses the default.'],
    [{ onTimeout: 'fail' }, 'After that, the conversation fails.'],
    [{ expiresAt: '2026-11-16T09:31:00.000Z' }, 'Answer within 55 seconds'],
    [{ expiresAt: '2026-11-16T11:00:05.000Z' }, 'Answer within 90 minutes'],
    [{ expiresAt: '2026-11-16T14:30:05.000Z' }, 'Answer within 5 hours'],
    [{ expiresAt: null }, 'No deadline.'],
  ])('shows its deadline: %j', (overrides, expected) => {
    expect(visibleText(overrides)).toContain(expected);
  });

  it('shows the context as Markdown, without images, HTML or referrers', () => {
    const page = renderPage({
      context:
        '# Why\n\n**Bold** <b>x</b> [a](https://a.example "t") [b](/v1/session) [c](javascript:x) ![d](https://d.example/e.png)',
    });
    expect(page).toContain('<h2>Why</h2>');
    expect(page).toContain('<strong>Bold</strong> &lt;b&gt;x&lt;/b&gt;');
    expect(page).toContain('<a href="https://a.example" title="t" rel="noopener noreferrer nofollow">a</a>');
    expect(page).not.toMatch(/<img|href="(\/v1|javascript)/);
  });

  it.each<[string, Partial<QuestionField>, RegExp]>([
    [
      'a long list to choose from',
      { schema: { type: 'string', enum: [...'abcdefghi'] } },
      /<select id="q1" name="q1">\n<option value="">Choose one<\/option>\n<option value="a">a</,
    ],
    [
      'a short one',
      { schema: { type: 'string', enum: ['a', 'b'] } },
      /<input type="radio" name="q1" value="a" id="q1">/,
    ],
    [
      'a list with several choices',
      { schema: { type: 'array', items: { enum: ['a'] } } },
      /<input type="checkbox" name="q1" value="a" id="q1">/,
    ],
    ['a whole number of at least zero', { schema: { type: 'integer', minimum: 0 } }, /inputmode="numeric"/],
    ['a number that may be negative', { schema: { type: 'number' } }, /inputmode="text"/],
    [
      'a date',
      { schema: { type: 'string', format: 'date' }, default: '2026-11-16' },
      /type="date" [^>]*value="2026-11-16"/,
    ],
    [
      'a date and time',
      { schema: { type: 'string', format: 'date-time' }, default: '2026-11-16T11:30:00+02:00' },
      /In UTC \(now 09:30\)\.[\s\S]*type="datetime-local" step="1" [^>]*value="2026-11-16T09:30"/,
    ],
    ['an email address', { schema: { type: 'string', format: 'email' } }, /type="email"/],
    ['a web address', { schema: { type: 'string', format: 'uri' } }, /type="url"/],
    [
      'a short text',
      { schema: { type: 'string', maxLength: 20 } },
      /Text of at most 20 characters\.[\s\S]*<input id="q1" name="q1" aria-describedby="q1-hint" type="text"/,
    ],
    ['free text', { default: '\nHi' }, /<textarea id="q1" name="q1" rows="4" dir="auto">\n\nHi<\/textarea>/],
    ['yes or no', { schema: { type: 'boolean' }, default: false }, /value="No" checked/],
  ])('has a suitable control for %s', (_what, field, expected) => {
    expect(renderWithField(field)).toMatch(expected);
  });

  it('shows the label of a field if the agent set one, and no generated one', () => {
    expect(renderWithField({ header: 'Place' })).toContain('<span class="header" dir="auto">Place</span>');
    expect(renderWithField({ header: 'Question 1' })).not.toContain('class="header"');
  });

  it('keeps input exactly as it was typed', () => {
    const fields: QuestionField[] = [TIME, { ...TIME, key: 'q2', schema: { type: 'number' } }];
    const controlValue = (text: string, name: string) => {
      const tag = new RegExp(
        `<(?:textarea|input)[^>]* name="${name}"[^>]*?(?: value="([^"]*)">|>\n?([^<]*)</textarea>)`,
      );
      const [, value, inside] = tag.exec(text) ?? [];
      return unescapeHtml(value ?? inside ?? '');
    };
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (one, other) => {
        const form = readSubmittedForm(fields, new URLSearchParams({ q1: one, q2: other, comment: one }));
        const question = { ...example, fields };
        const holder = {
          token: '',
          person: 'm',
          answeredBy: 'm',
          caller: { name: 'm', scopes: [] },
          title: one,
          question,
        };
        const text = renderAnswerPage('', questionPage(holder, form, { q1: other }, NOW));
        expect([
          controlValue(text, 'q1').trimStart(),
          controlValue(text, 'q2'),
          controlValue(text, 'comment').trimStart(),
        ]).toEqual([form.fields.q1?.text.trimStart(), form.fields.q2?.text, form.comment.trimStart()]);
      }),
    );
  });
});
