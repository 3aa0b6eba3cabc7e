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
    const [toolResult] = lastToolResults(request);
    return toolResult ? replyWithText(toolResult.text) : replyWithQuestion('Which colour?', 'Red', 'Blue');
  },
};

/** One after the other, since they share a mail server that is made to fail. */
describe('a conversation by email', () => {
  let fixture: EmailFixture;
  beforeAll(async () => {
    fixture = await createEmailFixture(script);
  });
  afterEach(() => {
    fixture.server.behaviour.message = fixture.server.behaviour.recipient = undefined;
  });
  afterAll(() => fixture.stop());

  const getQuestion = async (id: string) =>
    (await fixture.p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body;
  const emailsInThread = (token: string) => fixture.server.emails.filter((mail) => mail.messageId?.includes(token));

  it('is asked and answered by a reply, which is confirmed in the thread', async () => {
    const asked = await fixture.askByEmail();
    expect((await fixture.postInbound(writeRawReply(asked, '2\n\nas the sea'))).body).toEqual({ outcome: 'answered' });
    const { result } = await fixture.p.waitForStatus(asked.conversationId, 'completed');
    expect(JSON.parse(result ?? '')).toEqual({ answers: { 'Which colour?': 'Blue' }, comment: 'as the sea' });
    const outcomeEmail = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === asked.email.messageId);
    const text = outcomeEmail.text?.replace(/\s+/g, ' ');
    expect(text).toContain('Answered by maria via Email (');
    expect(text).toContain('Which colour? Blue Comment as the sea');
    expect(outcomeEmail.subject).toBe(`Re: ${asked.email.subject}`);
  });

  it('notifies the people asked when it is answered elsewhere', async () => {
    const asked = await fixture.askByEmail();
    await fixture.p.answer(asked.conversationId, { answer: 'Red' });
    const outcomeEmail = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === asked.email.messageId);
    expect(outcomeEmail.text?.replace(/\s+/g, ' ')).toContain('Answered by owner over HTTP (');
    expect((await fixture.postInbound(writeRawReply(asked, 'Blue'))).body).toEqual({
      outcome: 'late',
      reason: 'answered',
    });
  });

  it('sends reminders in the thread of the question', async () => {
    const asked = await fixture.askByEmail({ question: { remind: ['1s'] } });
    const reminder = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === asked.email.messageId);
    expect(reminder.text).toContain('Reminder 1 of 1. The question is still open.');
    expect(findEmailToken(reminder)).toBe(asked.token);
    expect(
      (await fixture.postInbound(writeRawReply(asked, 'Red', { headers: [`In-Reply-To: ${reminder.messageId}`] })))
        .body,
    ).toEqual({ outcome: 'answered' });
  });

  it('lets people it is escalated to answer, and notifies the first', async () => {
    const escalate = [{ after: '1s', to: 'jonas', notify: [`email:${JONAS_EMAIL}`] }];
    const asked = await fixture.askByEmail({ question: { escalate } });
    const [escalated] = await fixture.server.waitForEmailsTo(JONAS_EMAIL, 1);
    expect(escalated?.text).toContain('Escalated to jonas. The question is still open.');
    const token = escalated ? findEmailToken(escalated) : '';
    expect(token).not.toBe(asked.token);
    expect((await fixture.postInbound(writeRawReply({ token }, 'Blue', { from: MARIA_EMAIL }))).body.reason).toBe(
      'other_sender',
    );
    expect((await fixture.postInbound(writeRawReply({ token }, 'Blue', { from: JONAS_EMAIL }))).body).toEqual({
      outcome: 'answered',
    });
    expect(await getQuestion(asked.conversationId)).toMatchObject({ outcome: { by: 'jonas', via: 'email' } });
    const outcomeEmail = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === asked.email.messageId);
    expect(outcomeEmail.text).toContain('Answered by jonas via Email');
  });

  it('notifies a person who may not answer, without links to answer', async () => {
    const id = await fixture.p.startConversation('Paint the house');
    const mail = await fixture.server.waitForEmail(({ text }) => text?.includes(`/conversations/${id}`) === true);
    expect(mail.text).toContain('Only the owner and assignees can answer');
    expect([findEmailToken(mail), isEmailAbout(mail, id)]).toEqual(['', false]);
  });

  /** Until one attempt has failed and the next is scheduled. */
  const waitForFailedAttempt = async (id: string): Promise<void> => {
    const { raw } = await fixture.p.client.workflow.getHandle(id).describe();
    if (raw.pendingActivities?.some(({ lastFailure }) => lastFailure)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await waitForFailedAttempt(id);
  };

  const waitForNotice = async (id: string): Promise<Question> => {
    const question = await fixture.p.waitForQuestion(id);
    if (question.notices.length > 0) return question;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return waitForNotice(id);
  };

  it('sends an email once the mail server is back', async () => {
    await fixture.server.stop();
    const id = await fixture.p.startConversation('Paint the house', { assignees: ['maria'] });
    await waitForFailedAttempt(id);
    await fixture.server.start();
    const mail = await fixture.server.waitForEmail((one) => isEmailAbout(one, id));
    expect(emailsInThread(findEmailToken(mail))).toHaveLength(1);
  });

  it.each(['greylisted', 'cut'])('repeats an email with the same id after it was %s', async (how) => {
    if (how === 'cut') fixture.server.behaviour.message = 'cut';
    else fixture.server.behaviour.recipient = 451;
    const id = await fixture.p.startConversation('Paint the house', { assignees: ['maria'] });
    await waitForFailedAttempt(id);
    fixture.server.behaviour.message = fixture.server.behaviour.recipient = undefined;
    expect((await waitForNotice(id)).notices).toMatchObject([{ channel: `email:${MARIA_EMAIL}`, what: 'asked' }]);
    const mails = fixture.server.emails.filter((one) => isEmailAbout(one, id));
    expect(mails).toHaveLength(how === 'cut' ? 2 : 1);
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('records in the question that the mailbox does not exist, and stops trying', async () => {
    fixture.server.behaviour.recipient = 550;
    const id = await fixture.p.startConversation('Paint the house', { assignees: ['maria'] });
    const [notice] = (await waitForNotice(id)).notices;
    expect(notice?.what).toMatch(
      /could not be sent: .* rejected the recipient maria@example\.com: 550 no such mailbox/,
    );
  });

  it('saves a reply while no worker is running, and says so', async () => {
    const asked = await fixture.askByEmail();
    await fixture.p.stopWorker();
    const raw = writeRawReply(asked, 'Blue', { headers: ['Message-ID: <kept-1@mail.example>'] });
    expect((await fixture.postInbound(raw)).body).toEqual({ outcome: 'kept' });
    const feedback = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === '<kept-1@mail.example>');
    expect(feedback.text).toContain('Your reply is saved.');
    await fixture.p.startWorker();
    await fixture.p.waitForStatus(asked.conversationId, 'completed');
    expect((await getQuestion(asked.conversationId)).outcome).toMatchObject({
      answers: { q1: 'Blue' },
      by: 'maria',
      via: 'email',
    });
    await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === asked.email.messageId);
  });
});

describe('an approval by email', () => {
  it('runs nothing on anything but a plain yes of a proven sender', async () => {
    const calls = { name: 'confirm_action', input: { action: 'Pay 5 EUR?', arguments: { amount: 5 } } };
    const fixture = await createEmailFixture({
      script: (request) => {
        const [toolResult] = lastToolResults(request);
        return toolResult ? replyWithText(toolResult.text) : { calls: [calls] };
      },
    });
    const asked = await fixture.askByEmail();
    expect(asked.email.text).toContain('"amount": 5');
    expect((await fixture.postInbound(writeRawReply(asked, 'yes, but later'))).body.outcome).toBe('asked_back');
    const unproven = {
      headers: ['Authentication-Results: mx.example.net; dkim=none; spf=pass smtp.mailfrom=a@evil.example'],
    };
    expect((await fixture.postInbound(writeRawReply(asked, 'Yes', unproven))).body.outcome).toBe('asked_back');
    expect((await fixture.postInbound(writeRawReply(asked, 'Yes'))).body).toEqual({ outcome: 'answered' });
    expect((await fixture.p.waitForStatus(asked.conversationId, 'completed')).result).toContain('"confirmed":true');
    await fixture.stop();
  });
});
