import { renderAnswerPage } from '#api/pages/answer/page';
import type { Question } from '#contract/question';
import { html } from '#infra/html';
import {
  type AnswerPageFixture,
  listChosenValues,
  openAnswerPage,
  startAnswerPageFixture,
  visibleTextOf,
} from '#test/support/api/answer-page';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

describe('the answer page', () => {
  let fixture: AnswerPageFixture;
  let question: Question;
  let url: string;
  beforeAll(async () => {
    fixture = await startAnswerPageFixture({
      keys: {
        ann: ['conversations:write', 'conversations:read'],
        maria: ['questions:answer'],
        boss: ['admin'],
      },
      frontMatter: 'questions: { assignees: [maria, lee@example.com], timeout: 3d }',
      script: (request) =>
        lastToolResults(request).length > 0
          ? replyWithText('done')
          : replyWithQuestion([
              {
                question: 'Which database?',
                header: 'Database',
                options: [{ label: 'PostgreSQL', description: 'We run it already' }, { label: 'SQLite' }],
              },
              {
                question: 'Which regions?',
                options: [{ label: 'EU' }, { label: 'US' }, { label: 'Asia' }],
                multiSelect: true,
                default: ['EU'],
              },
            ]),
    });
    question = await fixture.askQuestion('Set up the shop');
    url = fixture.link(question, 'maria');
  });
  afterAll(() => fixture.stop());

  it('shows who asks, what, in which conversation, and until when', async () => {
    const page = await openAnswerPage(url);
    expect(page.status).toBe(200);
    const visibleText = visibleTextOf(page);
    for (const part of [
      `${fixture.agent} (AI agent) needs your answer`,
      'Set up the shop',
      'Database Which database?',
      'PostgreSQL We run it already',
      'Select all that apply.',
      'Send answer',
      'Skip this question',
      'Answer within 3 days',
      'After that, the agent continues without an answer.',
      'This link is for maria .',
    ])
      expect(visibleText).toContain(part);
    expect(page.text).toContain(`<time datetime="${question.expiresAt}">`);
    expect(page.text).toMatch(/<title>Which database\? \(and 1 more\) · Parley<\/title>/);
    expect(listChosenValues(page, 'q1')).toEqual([]);
    expect(listChosenValues(page, 'q2')).toEqual(['EU']);
  });

  it('preselects what an email link chose, and sends nothing by itself', async () => {
    const page = await openAnswerPage(`${url}?q1=PostgreSQL&q2=Asia&q2=US&comment=Soon&q9=x&__proto__=y`);
    expect([listChosenValues(page, 'q1'), listChosenValues(page, 'q2')]).toEqual([['PostgreSQL'], ['US', 'Asia']]);
    expect(page.text).toContain('>Soon</textarea>');
    const otherPage = await openAnswerPage(`${url}?q1=&q1.other=MySQL`);
    expect(listChosenValues(otherPage, 'q1')).toEqual(['']);
    expect(otherPage.text).toContain('value="MySQL"');
    expect((await fixture.getConversation(question.conversationId)).question?.status).toBe('pending');
  });

  it('changes nothing when opened, however often and by whatever client', async () => {
    const before = await fixture.client.workflow.getHandle(question.conversationId).describe();
    await Promise.all([
      ...Array.from({ length: 20 }, () => openAnswerPage(url)),
      openAnswerPage(url, { method: 'HEAD' }),
      openAnswerPage(url, { headers: { 'user-agent': 'Barracuda Sentinel', purpose: 'prefetch' } }),
      openAnswerPage(`${url}?send=decline`),
    ]);
    const after = await fixture.client.workflow.getHandle(question.conversationId).describe();
    expect(after.historyLength).toBe(before.historyLength);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const [head, get] = [await openAnswerPage(url, { method: 'HEAD' }), await openAnswerPage(url)];
    expect([head.status, head.text]).toEqual([200, '']);
    const sharedHeaders = ['content-type', 'content-security-policy', 'cache-control', 'referrer-policy'];
    for (const name of sharedHeaders) expect(head.headers.get(name)).toBe(get.headers.get(name));
  });

  it('is not cached, sends no referrer, cannot be framed, and runs no scripts', async () => {
    for (const page of [await openAnswerPage(url), await openAnswerPage(`${fixture.url}/a/nothing`)]) {
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'x-frame-options': 'SAMEORIGIN',
        'x-content-type-options': 'nosniff',
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      });
      expect(page.text).not.toMatch(/<script|<style|\son\w+=|\sstyle=|javascript:/i);
    }
  });

  it('has its own stylesheet, which can be cached for a while', async () => {
    const style = await openAnswerPage(`${fixture.url}/a/style.css`);
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(style.text).toContain('prefers-color-scheme: dark');
    expect(style.headers.get('cache-control')).toBe('public, max-age=300');
  });

  it('accepts only GET and POST', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const page = await openAnswerPage(url, { method });
      expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
      expect(visibleTextOf(page)).toContain('Open the link');
    }
  });

  it('finds its stylesheet if Parley is served below a path', () => {
    const page = renderAnswerPage('/parley', { status: 200, title: 'A & B', body: html`<p>Hello</p>` });
    expect(page).toContain('<link rel="stylesheet" href="/parley/a/style.css">');
    expect(page).toContain('<title>A &amp; B · Parley</title>');
  });
});
