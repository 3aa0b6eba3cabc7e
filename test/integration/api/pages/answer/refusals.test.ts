import { randomBytes } from 'node:crypto';
import { createAnswerLinkToken } from '#channels/answer-link-token';
import type { Question } from '#contract/question';
import {
  ANSWER_PAGE_SECRET,
  type AnswerPageFixture,
  openAnswerPage,
  sendAnswerForm,
  startAnswerPageFixture,
  visibleTextOf,
} from '#test/support/api/answer-page';
import { replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { createSignedInState, readFirstMessage } from '#test/support/web/web-fixture';
import { addMessageSignal } from '#workflows/messages';

const QUESTION_TEXT = 'Something that only those who may answer shall read';
const ANSWER = { q1: 'A' };

describe('an answer link', () => {
  let fixture: AnswerPageFixture;
  let question: Question;
  beforeAll(async () => {
    fixture = await startAnswerPageFixture({
      keys: {
        ann: ['conversations:write', 'conversations:read', 'questions:answer'],
        maria: ['questions:answer'],
        bob: ['questions:answer'],
      },
      frontMatter: 'questions: { assignees: [maria] }',
      script: (request) => {
        const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
        if (turn > (readFirstMessage(request) === 'thrice' ? 2 : 0)) return replyWithText('done');
        const ownQuestion = { question: QUESTION_TEXT, options: [{ label: 'A' }, { label: 'B' }], allowOther: false };
        const policy = readFirstMessage(request) === 'brief' ? { timeout: '1s' } : {};
        return replyWithToolCalls({
          name: 'ask_user_question',
          input: { questions: [{ ...ownQuestion, default: 'B' }], ...policy },
        });
      },
    });
    question = await fixture.askQuestion('Hello');
  });
  afterAll(() => fixture.stop());

  const readQuestion = async ({ conversationId, id }: Question) =>
    (await fixture.call<Question>('GET', `/v1/conversations/${conversationId}/questions/${id}`)).body;

  /** Opens and answers the link: it is rejected with this text, reveals nothing, and has no effect. */
  async function expectRefused(url: string, status: number, text: string, target = question): Promise<void> {
    const before = await readQuestion(target);
    for (const page of [
      await openAnswerPage(url),
      await sendAnswerForm(url, ANSWER),
      await sendAnswerForm(url, { send: 'decline' }),
    ]) {
      expect([page.status, visibleTextOf(page)]).toEqual([status, expect.stringContaining(text)]);
      expect(page.text).not.toContain(QUESTION_TEXT);
      expect(page.text).not.toContain(target.conversationId);
      expect(page.headers.get('cache-control')).toBe('no-store');
    }
    expect(await readQuestion(target)).toEqual(before);
  }

  const token = () => new URL(fixture.link(question, 'maria')).pathname.slice('/a/'.length);
  const [dotIndex, truncate] = [(text: string) => text.indexOf('.'), (text: string) => text.slice(0, -4)];
  const flipCharacter = (text: string, index: number) =>
    text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1);
  const partsOf = (url: string) => new URL(url).pathname.slice(3).split('.') as [string, string];
  /** The payload of one link with the signature of another. */
  const withOtherSignature = (overrides: Parameters<AnswerPageFixture['link']>[2], person = 'maria') =>
    `${partsOf(fixture.link(question, person, overrides))[0]}.${partsOf(fixture.link(question, 'maria'))[1]}`;

  it.each<[string, () => string | Promise<string>]>([
    ['for another question', () => withOtherSignature({ questionId: 'question-2' })],
    ['for another conversation', () => withOtherSignature({ conversationId: 'another' })],
    ['for another person', () => withOtherSignature({}, 'ann')],
    ['without a deadline', () => withOtherSignature({ expiresAt: null })],
    ['that claims to be granted', () => withOtherSignature({ grant: { by: 'ann' } })],
    ['with a bit flipped in its payload', () => flipCharacter(token(), 7)],
    ['with a bit flipped in its signature', () => flipCharacter(token(), dotIndex(token()) + 7)],
    [
      'with another secret',
      () =>
        createAnswerLinkToken('another secret', {
          conversationId: question.conversationId,
          questionId: question.id,
          person: 'maria',
          expiresAt: Date.parse(question.expiresAt ?? ''),
          grant: { by: 'ann' },
        }),
    ],
    ['cut off', () => truncate(token())],
    ['without a signature', () => token().slice(0, dotIndex(token()))],
    ['followed by a full stop', () => `${token()}.`],
    ['followed by a bracket', () => `${token()}%29`],
    ['that is not base64', () => '!!!.%F0%9F%92%A5'],
    [
      'with base64 of anything',
      () => `${randomBytes(60).toString('base64url')}.${randomBytes(32).toString('base64url')}`,
    ],
    ['that is huge', () => `${'A'.repeat(12_000)}.${'B'.repeat(43)}`],
    ['with a session cookie', async () => (await createSignedInState(fixture, 'maria')).cookies[0]?.value ?? ''],
    ['with a key', () => fixture.apiKey('maria')],
    ['in upper case', () => token().toUpperCase()],
    ['with path traversal', () => '..%2F..%2Fv1%2Fquestions'],
    [
      'of a question that was never asked',
      () => tokenOf(fixture.link(question, 'maria', { questionId: 'question-7' })),
    ],
    ['of an unknown conversation', () => tokenOf(fixture.link(question, 'maria', { conversationId: 'gone' }))],
    ['of an impossible conversation id', () => tokenOf(fixture.link(question, 'maria', { conversationId: 'a/b c' }))],
    [
      'of a question with another deadline',
      () => tokenOf(fixture.link(question, 'maria', { expiresAt: 1_900_000_000_000 })),
    ],
  ])('that is forged is not valid: one %s', async (_what, buildToken) => {
    await expectRefused(`${fixture.url}/a/${await buildToken()}`, 404, 'Link not valid');
  });
  const tokenOf = (url: string) => partsOf(url).join('.');

  it('that cannot be decoded gets the same reply', async () => {
    const page = await openAnswerPage(`${fixture.url}/a/%E0%A4%A`);
    expect([page.status, visibleTextOf(page)]).toEqual([400, expect.stringContaining('Invalid link')]);
  });

  it.each(['bob', 'somebody@example.com', '*'])('of %s, who may not answer, shows nothing', async (person) => {
    await expectRefused(fixture.link(question, person), 403, "You can't answer this question");
  });

  it('created by someone who may answer lets anyone answer that one question', async () => {
    const ownQuestion = await fixture.askQuestion('Hello');
    const url = fixture.link(ownQuestion, 'lee@example.com', { grant: { by: 'ann' } });
    expect(visibleTextOf(await openAnswerPage(url))).toContain('This link is for lee@example.com');
    expect((await sendAnswerForm(url, ANSWER)).status).toBe(200);
    expect((await readQuestion(ownQuestion)).outcome).toMatchObject({
      by: 'lee@example.com (invited by ann)',
      via: 'link',
      answers: { q1: 'A' },
    });
  });

  it('that was revoked says so, for that person only', async () => {
    const ownQuestion = await fixture.askQuestion('Hello');
    const url = fixture.link(ownQuestion, 'maria');
    const links = `/v1/conversations/${ownQuestion.conversationId}/questions/${ownQuestion.id}/links`;
    expect((await fixture.call('DELETE', `${links}?person=maria`)).status).toBe(200);
    await expectRefused(url, 410, 'This link was revoked', ownQuestion);
    const grantedLink = fixture.link(ownQuestion, 'lee@example.com', { grant: { by: 'ann' } });
    expect((await openAnswerPage(grantedLink)).status).toBe(200);
    expect((await fixture.call('DELETE', links)).status).toBe(200);
    await expectRefused(grantedLink, 410, 'This link was revoked', ownQuestion);
    const callAsMaria = fixture.callAs('maria');
    const answered = await callAsMaria('POST', links.replace(/links$/, 'answer'), { answer: 'B' });
    expect(answered.status).toBe(200);
    expect((await openAnswerPage(url)).status).toBe(410);
  });

  it('opened after the deadline says that there was no answer in time', async () => {
    const ownQuestion = await fixture.askAndTimeOut('brief');
    const url = fixture.link(ownQuestion, 'maria');
    expect([(await openAnswerPage(url)).status, visibleTextOf(await openAnswerPage(url))]).toEqual([
      200,
      expect.stringContaining('No answer in time'),
    ]);
    const page = await sendAnswerForm(url, ANSWER);
    expect([page.status, visibleTextOf(page)]).toEqual([409, expect.stringContaining("your answer wasn't used")]);
    expect((await readQuestion(ownQuestion)).status).toBe('timed_out');
  });

  it.each([
    [
      'cancelled',
      (id: string) => fixture.call('POST', `/v1/conversations/${id}/cancel`),
      'conversation cancelled by ann',
    ],
    ['ended in Temporal', (id: string) => fixture.client.workflow.getHandle(id).terminate(), 'conversation ended'],
  ])('to a conversation that was %s says that no answer is needed', async (_how, end, words) => {
    const ownQuestion = await fixture.askQuestion('Hello');
    const url = fixture.link(ownQuestion, 'maria');
    await end(ownQuestion.conversationId);
    expect(visibleTextOf(await openAnswerPage(url))).toContain(`Closed: ${words}`);
    const page = await sendAnswerForm(url, ANSWER);
    expect([page.status, visibleTextOf(page)]).toEqual([409, expect.stringContaining("your answer wasn't used")]);
  });

  it('still shows its own question after newer ones, and answers none of those', async () => {
    const ownQuestion = await fixture.askQuestion('thrice');
    const { conversationId } = ownQuestion;
    const url = fixture.link(ownQuestion, 'maria');
    await sendAnswerForm(url, ANSWER);
    await fixture.waitForQuestion(conversationId, 'question-2');
    await fixture.answer(conversationId, { answer: 'B' }, 'question-2');
    await fixture.waitForQuestion(conversationId, 'question-3');
    for (const page of [
      await openAnswerPage(url),
      await sendAnswerForm(url, { q1: 'B' }),
      await sendAnswerForm(url, ANSWER),
    ])
      expect(visibleTextOf(page)).toContain(`${QUESTION_TEXT} A`);
    expect(visibleTextOf(await openAnswerPage(url))).toContain('Answered by maria via link');
    expect((await fixture.waitForQuestion(conversationId)).id).toBe('question-3');
  });

  it('survives continue-as-new', async () => {
    const ownQuestion = await fixture.askQuestion('Hello');
    const url = fixture.link(ownQuestion, 'maria');
    const handle = fixture.client.workflow.getHandle(ownQuestion.conversationId);
    const { runId } = await handle.describe();
    for (let n = 0; n < 17; n += 1) await handle.signal(addMessageSignal, { text: `${n}${'x'.repeat(100_000)}` });
    while ((await handle.describe()).runId === runId) await new Promise((resolve) => setTimeout(resolve, 30));
    expect(visibleTextOf(await openAnswerPage(url))).toContain(QUESTION_TEXT);
    expect((await sendAnswerForm(url, ANSWER)).status).toBe(200);
    expect((await readQuestion(ownQuestion)).outcome).toMatchObject({ by: 'maria', via: 'link' });
  });

  it('works with another API process, and needs only the secret', async () => {
    const other = await fixture.startAnotherApi();
    const ownQuestion = await fixture.askQuestion('Hello');
    const path = new URL(fixture.link(ownQuestion, 'maria')).pathname;
    expect([(await sendAnswerForm(`${other.url}${path}`, ANSWER)).status, fixture.config.secret]).toEqual([
      200,
      ANSWER_PAGE_SECRET,
    ]);
    await other.stop();
  });
});
