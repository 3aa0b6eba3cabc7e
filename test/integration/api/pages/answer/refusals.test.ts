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

const HIDDEN = 'Something that only those who may answer shall read';
const ANSWER = { q1: 'A' };

describe('a link', () => {
  let g: AnswerPageFixture;
  let question: Question;
  beforeAll(async () => {
    g = await startAnswerPageFixture({
      keys: {
        ann: ['conversations:write', 'conversations:read', 'questions:answer'],
        maria: ['questions:answer'],
        bob: ['questions:answer'],
      },
      policy: 'questions: { assignees: [maria] }',
      script: (request) => {
        const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
        if (turn > (readFirstMessage(request) === 'thrice' ? 2 : 0)) return replyWithText('done');
        const asked = { question: HIDDEN, options: [{ label: 'A' }, { label: 'B' }], allowOther: false };
        const brief = readFirstMessage(request) === 'brief' ? { timeout: '1s' } : {};
        return replyWithToolCalls({
          name: 'ask_user_question',
          input: { questions: [{ ...asked, default: 'B' }], ...brief },
        });
      },
    });
    question = await g.asked('Hello');
  });
  afterAll(() => g.stop());

  const now = async ({ conversationId, id }: Question) =>
    (await g.call<Question>('GET', `/v1/conversations/${conversationId}/questions/${id}`)).body;

  /** Opened and answered, it is refused with this, tells nothing, and does nothing. */
  async function expectRefused(url: string, status: number, words: string, of = question): Promise<void> {
    const before = await now(of);
    for (const page of [
      await openAnswerPage(url),
      await sendAnswerForm(url, ANSWER),
      await sendAnswerForm(url, { send: 'decline' }),
    ]) {
      expect([page.status, visibleTextOf(page)]).toEqual([status, expect.stringContaining(words)]);
      expect(page.text).not.toContain(HIDDEN);
      expect(page.text).not.toContain(of.conversationId);
      expect(page.headers.get('cache-control')).toBe('no-store');
    }
    expect(await now(of)).toEqual(before);
  }

  const token = () => new URL(g.link(question, 'maria')).pathname.slice('/a/'.length);
  const [dot, cut] = [(text: string) => text.indexOf('.'), (text: string) => text.slice(0, -4)];
  const change = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
  const partsOf = (url: string) => new URL(url).pathname.slice(3).split('.') as [string, string];
  /** The words of one link under the signature of another. */
  const swapped = (more: Parameters<AnswerPageFixture['link']>[2], person = 'maria') =>
    `${partsOf(g.link(question, person, more))[0]}.${partsOf(g.link(question, 'maria'))[1]}`;

  it.each<[string, () => string | Promise<string>]>([
    ['for another question', () => swapped({ question: 'question-2' })],
    ['for another conversation', () => swapped({ conversation: 'another' })],
    ['for another person', () => swapped({}, 'ann')],
    ['for ever', () => swapped({ until: null })],
    ['said to be granted', () => swapped({ granted: { by: 'ann' } })],
    ['with a bit flipped in its words', () => change(token(), 7)],
    ['with a bit flipped in its signature', () => change(token(), dot(token()) + 7)],
    [
      'of another secret',
      () =>
        createAnswerLinkToken('another secret', {
          conversation: question.conversationId,
          question: question.id,
          person: 'maria',
          until: Date.parse(question.expiresAt ?? ''),
          granted: { by: 'ann' },
        }),
    ],
    ['cut off', () => cut(token())],
    ['with only its words', () => token().slice(0, dot(token()))],
    ['with a full stop after it', () => `${token()}.`],
    ['with a bracket after it', () => `${token()}%29`],
    ['that is not base64', () => '!!!.%F0%9F%92%A5'],
    [
      'that is base64 of anything',
      () => `${randomBytes(60).toString('base64url')}.${randomBytes(32).toString('base64url')}`,
    ],
    ['that is huge', () => `${'A'.repeat(12_000)}.${'B'.repeat(43)}`],
    ['that is the cookie of a session', async () => (await createSignedInState(g, 'maria')).cookies[0]?.value ?? ''],
    ['that is a key', () => g.key('maria')],
    ['in capitals', () => token().toUpperCase()],
    ['that climbs out', () => '..%2F..%2Fv1%2Fquestions'],
    ['of a question that was never asked', () => tokenOf(g.link(question, 'maria', { question: 'question-7' }))],
    ['of a conversation that is not there', () => tokenOf(g.link(question, 'maria', { conversation: 'gone' }))],
    ['of a conversation that cannot be', () => tokenOf(g.link(question, 'maria', { conversation: 'a/b c' }))],
    ['of a question with another deadline', () => tokenOf(g.link(question, 'maria', { until: 1_900_000_000_000 }))],
  ])('that is forged leads nowhere: one %s', async (_what, forged) => {
    await expectRefused(`${g.url}/a/${await forged()}`, 404, 'This link leads nowhere');
  });
  const tokenOf = (url: string) => partsOf(url).join('.');

  it('that cannot even be decoded is answered in the same way', async () => {
    const page = await openAnswerPage(`${g.url}/a/%E0%A4%A`);
    expect([page.status, visibleTextOf(page)]).toEqual([400, expect.stringContaining('That cannot be read')]);
  });

  it.each(['bob', 'somebody@example.com', '*'])('of %s, who may not answer, shows nothing', async (person) => {
    await expectRefused(g.link(question, person), 403, 'This is not yours to answer');
  });

  it('that somebody who may answer gave out lets anybody answer that one question', async () => {
    const asked = await g.asked('Hello');
    const url = g.link(asked, 'lee@example.com', { granted: { by: 'ann' } });
    expect(visibleTextOf(await openAnswerPage(url))).toContain('This link is for lee@example.com');
    expect((await sendAnswerForm(url, ANSWER)).status).toBe(200);
    expect((await now(asked)).outcome).toMatchObject({
      by: 'lee@example.com (let in by ann)',
      via: 'link',
      answers: { q1: 'A' },
    });
  });

  it('that was taken back says so, of that person only', async () => {
    const asked = await g.asked('Hello');
    const url = g.link(asked, 'maria');
    const links = `/v1/conversations/${asked.conversationId}/questions/${asked.id}/links`;
    expect((await g.call('DELETE', `${links}?person=maria`)).status).toBe(200);
    await expectRefused(url, 410, 'This link was taken back', asked);
    const granted = g.link(asked, 'lee@example.com', { granted: { by: 'ann' } });
    expect((await openAnswerPage(granted)).status).toBe(200);
    expect((await g.call('DELETE', links)).status).toBe(200);
    await expectRefused(granted, 410, 'This link was taken back', asked);
    const key = g.as('maria');
    const answered = await key('POST', links.replace(/links$/, 'answer'), { answer: 'B' });
    expect(answered.status).toBe(200);
    expect((await openAnswerPage(url)).status).toBe(410);
  });

  it('that came too late says that nobody answered in time', async () => {
    const asked = await g.timedOut('brief');
    const url = g.link(asked, 'maria');
    expect([(await openAnswerPage(url)).status, visibleTextOf(await openAnswerPage(url))]).toEqual([
      200,
      expect.stringContaining('Nobody answered in time'),
    ]);
    const page = await sendAnswerForm(url, ANSWER);
    expect([page.status, visibleTextOf(page)]).toEqual([409, expect.stringContaining('this changed nothing')]);
    expect((await now(asked)).status).toBe('timed_out');
  });

  it.each([
    [
      'cancelled',
      (id: string) => g.call('POST', `/v1/conversations/${id}/cancel`),
      'the conversation was ended by ann',
    ],
    ['ended in Temporal', (id: string) => g.client.workflow.getHandle(id).terminate(), 'the conversation was ended'],
  ])('to a conversation that was %s says that no answer is needed', async (_how, end, words) => {
    const asked = await g.asked('Hello');
    const url = g.link(asked, 'maria');
    await end(asked.conversationId);
    expect(visibleTextOf(await openAnswerPage(url))).toContain(`No longer needed: ${words}`);
    const page = await sendAnswerForm(url, ANSWER);
    expect([page.status, visibleTextOf(page)]).toEqual([409, expect.stringContaining('this changed nothing')]);
  });

  it('still tells of its question when others were asked since, and answers none of them', async () => {
    const asked = await g.asked('thrice');
    const { conversationId: id } = asked;
    const url = g.link(asked, 'maria');
    await sendAnswerForm(url, ANSWER);
    await g.question(id, 'question-2');
    await g.answer(id, { answer: 'B' }, 'question-2');
    await g.question(id, 'question-3');
    for (const page of [
      await openAnswerPage(url),
      await sendAnswerForm(url, { q1: 'B' }),
      await sendAnswerForm(url, ANSWER),
    ])
      expect(visibleTextOf(page)).toContain(`${HIDDEN} A`);
    expect(visibleTextOf(await openAnswerPage(url))).toContain('Answered by maria by a link');
    expect((await g.question(id)).id).toBe('question-3');
  });

  it('lasts when the conversation rolls over to a new run', async () => {
    const asked = await g.asked('Hello');
    const url = g.link(asked, 'maria');
    const handle = g.client.workflow.getHandle(asked.conversationId);
    const { runId } = await handle.describe();
    for (let n = 0; n < 17; n += 1) await handle.signal(addMessageSignal, { text: `${n}${'x'.repeat(100_000)}` });
    while ((await handle.describe()).runId === runId) await new Promise((resolve) => setTimeout(resolve, 30));
    expect(visibleTextOf(await openAnswerPage(url))).toContain(HIDDEN);
    expect((await sendAnswerForm(url, ANSWER)).status).toBe(200);
    expect((await now(asked)).outcome).toMatchObject({ by: 'maria', via: 'link' });
  });

  it('is as good with another process of the API, and is made with the secret alone', async () => {
    const other = await g.anotherApi();
    const asked = await g.asked('Hello');
    const path = new URL(g.link(asked, 'maria')).pathname;
    expect([(await sendAnswerForm(`${other.url}${path}`, ANSWER)).status, g.config.secret]).toEqual([
      200,
      ANSWER_PAGE_SECRET,
    ]);
    await other.stop();
  });
});
