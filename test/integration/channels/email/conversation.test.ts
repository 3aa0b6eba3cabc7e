import type { Question } from '#contract/question';
import {
  createEmailFixture,
  type EmailFixture,
  findEmailToken,
  isEmailAbout,
  JONAS_EMAIL,
  MARIA_EMAIL,
  writeRawReply,
} from '#test/support/email/email-fixture';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const script: Parameters<typeof createEmailFixture>[0] = {
  script: (request) => {
    const [told] = lastToolResults(request);
    return told ? replyWithText(told.text) : replyWithQuestion('Which colour?', 'Red', 'Blue');
  },
};

/** One after the other, as they share a mail server that is made to fail. */
describe('a conversation by mail', () => {
  let m: EmailFixture;
  beforeAll(async () => {
    m = await createEmailFixture(script);
  });
  afterEach(() => {
    m.server.manners.message = m.server.manners.recipient = undefined;
  });
  afterAll(() => m.stop());

  const questionOf = async (id: string) =>
    (await m.p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body;
  const threadOf = (token: string) => m.server.mails.filter((mail) => mail.messageId?.includes(token));

  it('is asked and answered by a reply, which is confirmed in the thread', async () => {
    const asked = await m.ask();
    expect((await m.hand(writeRawReply(asked, '2\n\nas the sea'))).body).toEqual({ outcome: 'answered' });
    const { result } = await m.p.until(asked.id, 'completed');
    expect(JSON.parse(result ?? '')).toEqual({ answers: { 'Which colour?': 'Blue' }, comment: 'as the sea' });
    const settled = await m.server.until(({ inReplyTo }) => inReplyTo === asked.mail.messageId);
    const text = settled.text?.replace(/\s+/g, ' ');
    expect(text).toContain('Answered by maria by e-mail (');
    expect(text).toContain('Which colour? Blue Comment as the sea');
    expect(settled.subject).toBe(`Re: ${asked.mail.subject}`);
  });

  it('tells those who were asked when it is answered elsewhere', async () => {
    const asked = await m.ask();
    await m.p.answer(asked.id, { answer: 'Red' });
    const settled = await m.server.until(({ inReplyTo }) => inReplyTo === asked.mail.messageId);
    expect(settled.text?.replace(/\s+/g, ' ')).toContain('Answered by owner over HTTP (');
    expect((await m.hand(writeRawReply(asked, 'Blue'))).body).toEqual({
      outcome: 'late',
      reason: 'answered',
    });
  });

  it('brings a question to mind again in its thread', async () => {
    const asked = await m.ask({ question: { remind: ['1s'] } });
    const reminder = await m.server.until(({ inReplyTo }) => inReplyTo === asked.mail.messageId);
    expect(reminder.text).toContain('Reminder 1 of 1. The question is still open.');
    expect(findEmailToken(reminder)).toBe(asked.token);
    expect(
      (await m.hand(writeRawReply(asked, 'Red', { headers: [`In-Reply-To: ${reminder.messageId}`] }))).body,
    ).toEqual({ outcome: 'answered' });
  });

  it('lets those it is escalated to answer, and tells the first of it', async () => {
    const escalate = [{ after: '1s', to: 'jonas', notify: [`email:${JONAS_EMAIL}`] }];
    const asked = await m.ask({ question: { escalate } });
    const [escalated] = await m.server.sentTo(JONAS_EMAIL, 1);
    expect(escalated?.text).toContain('Escalated to jonas. The question is still open.');
    const token = escalated ? findEmailToken(escalated) : '';
    expect(token).not.toBe(asked.token);
    expect((await m.hand(writeRawReply({ token }, 'Blue', { from: MARIA_EMAIL }))).body.reason).toBe('other_sender');
    expect((await m.hand(writeRawReply({ token }, 'Blue', { from: JONAS_EMAIL }))).body).toEqual({
      outcome: 'answered',
    });
    expect(await questionOf(asked.id)).toMatchObject({ outcome: { by: 'jonas', via: 'email' } });
    const told = await m.server.until(({ inReplyTo }) => inReplyTo === asked.mail.messageId);
    expect(told.text).toContain('Answered by jonas by e-mail');
  });

  it('tells one who may not answer, with nothing to answer by', async () => {
    const id = await m.p.start('Paint the house');
    const mail = await m.server.until(({ text }) => text?.includes(`/conversations/${id}`) === true);
    expect(mail.text).toContain('for others to answer');
    expect([findEmailToken(mail), isEmailAbout(mail, id)]).toEqual(['', false]);
  });

  /** Until an attempt has failed, and the next is waited for. */
  const untilFailed = async (id: string): Promise<void> => {
    const { raw } = await m.p.client.workflow.getHandle(id).describe();
    if (raw.pendingActivities?.some(({ lastFailure }) => lastFailure)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await untilFailed(id);
  };

  it('sends a mail once the server is back', async () => {
    await m.server.down();
    const id = await m.p.start('Paint the house', { assignees: ['maria'] });
    await untilFailed(id);
    await m.server.up();
    const mail = await m.server.until((one) => isEmailAbout(one, id));
    expect(threadOf(findEmailToken(mail))).toHaveLength(1);
  });

  it.each(['greylisted', 'cut'])('has the same id when it is sent again, after it was %s', async (how) => {
    if (how === 'cut') m.server.manners.message = 'cut';
    else m.server.manners.recipient = 451;
    const id = await m.p.start('Paint the house', { assignees: ['maria'] });
    await untilFailed(id);
    m.server.manners.message = m.server.manners.recipient = undefined;
    const noticed = async (): Promise<Question> => {
      const question = await m.p.question(id);
      return question.notices.length > 0 ? question : noticed();
    };
    expect((await noticed()).notices).toMatchObject([{ channel: `email:${MARIA_EMAIL}`, what: 'asked' }]);
    const mails = m.server.mails.filter((one) => isEmailAbout(one, id));
    expect(mails).toHaveLength(how === 'cut' ? 2 : 1);
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('says in the question that there is no such mailbox, and tries no more', async () => {
    m.server.manners.recipient = 550;
    const id = await m.p.start('Paint the house', { assignees: ['maria'] });
    const noticed = async (): Promise<Question> => {
      const question = await m.p.question(id);
      return question.notices.length > 0 ? question : noticed();
    };
    const [notice] = (await noticed()).notices;
    expect(notice?.what).toMatch(
      /could not be sent: .* does not take mail for maria@example\.com: 550 no such mailbox/,
    );
  });

  it('keeps a reply that no worker is there for, and says so', async () => {
    const asked = await m.ask();
    await m.p.stopWorker();
    const raw = writeRawReply(asked, 'Blue', { headers: ['Message-ID: <kept-1@mail.example>'] });
    expect((await m.hand(raw)).body).toEqual({ outcome: 'kept' });
    const told = await m.server.until(({ inReplyTo }) => inReplyTo === '<kept-1@mail.example>');
    expect(told.text).toContain('Your reply is kept.');
    await m.p.startWorker();
    await m.p.until(asked.id, 'completed');
    expect((await questionOf(asked.id)).outcome).toMatchObject({
      answers: { q1: 'Blue' },
      by: 'maria',
      via: 'email',
    });
    await m.server.until(({ inReplyTo }) => inReplyTo === asked.mail.messageId);
  });
});

describe('a confirmation by mail', () => {
  it('runs nothing on anything but a plain yes', async () => {
    const calls = { name: 'confirm_action', input: { action: 'Pay 5 EUR?', arguments: { amount: 5 } } };
    const m = await createEmailFixture({
      script: (request) => {
        const [told] = lastToolResults(request);
        return told ? replyWithText(told.text) : { calls: [calls] };
      },
    });
    const asked = await m.ask();
    expect(asked.mail.text).toContain('"amount": 5');
    expect((await m.hand(writeRawReply(asked, 'yes, but later'))).body.outcome).toBe('asked_back');
    expect((await m.hand(writeRawReply(asked, 'Yes'))).body).toEqual({ outcome: 'answered' });
    expect((await m.p.until(asked.id, 'completed')).result).toContain('"confirmed":true');
    await m.stop();
  });
});
