import { verifyAnswerLinkToken } from '#channels/answer-link-token';
import type { ChannelSender, OutgoingNotification } from '#channels/channel';
import { verifyReplyToken } from '#channels/email/reply-token';
import { createEmailSender } from '#channels/email/sender';
import type { EmailSettings } from '#channels/email/settings';
import type { Question } from '#contract/question';
import {
  EMAIL_BASE_URL,
  EMAIL_CONVERSATION_ID,
  EMAIL_TOKEN_SECRET,
  emailColourQuestion,
  emailConfirmation,
  emailField,
  emailNotification,
  emailOptions,
  emailPeople,
  emailQuestion,
  emailSettingsFor,
} from '#test/support/email/email-samples';
import {
  type FakeSmtpServer,
  type ReceivedEmail,
  SMTP_LOGIN,
  startFakeSmtpServer,
} from '#test/support/email/smtp-server';

let server: FakeSmtpServer;
beforeAll(async () => {
  server = await startFakeSmtpServer();
});
beforeEach(() => {
  server.emails.length = 0;
  server.behaviour.login = server.behaviour.recipient = server.behaviour.message = undefined;
});
afterAll(() => server.stop());

const createChannel = (more: Partial<EmailSettings> = {}): Required<Pick<ChannelSender, 'test'>> & ChannelSender =>
  createEmailSender(
    emailSettingsFor(server.url, more),
    { people: emailPeople, allowAnyone: false },
    EMAIL_TOKEN_SECRET,
  ) as Required<ChannelSender>;

async function sendQuestion(
  asked: Question,
  more: Partial<OutgoingNotification> = {},
  settings = {},
): Promise<ReceivedEmail> {
  await createChannel(settings).send(emailNotification(asked, more));
  return server.emails.at(-1) as ReceivedEmail;
}

const REF = { sent: `${EMAIL_CONVERSATION_ID}/question-1/0`, by: 'link' };
const tokenIn = (mail: ReceivedEmail) => /\[parley:([0-9a-v]+)\]/.exec(mail.text ?? '')?.[1] ?? '';
const linkIn = (mail: ReceivedEmail) => /\/a\/([\w.-]+)/.exec(mail.text ?? '')?.[1] ?? '';

describe('a question by email', () => {
  it('says who asks, what, until when and how to answer, as text and as HTML', async () => {
    const mail = await sendQuestion({ ...emailColourQuestion, context: 'It **dries** in a day.' });
    expect(mail.from?.text).toBe('"Parley" <parley@example.com>');
    expect(mail.subject).toBe('Which colour? [painter: Paint the house]');
    for (const text of [mail.text, mail.html]) {
      expect(text).toContain('builder › painter asks');
      expect(text).toContain('Paint the house');
      expect(text).toContain('Which colour?');
      expect(text).toContain('Dark green');
      expect(text?.toString().replace(/\s+/g, ' ')).toContain('by Fri, 20 Nov 2026, 09:30 UTC');
      expect(text).toContain('maria@example.com');
    }
    expect(mail.text).toContain('  2. Blue\n');
    expect(mail.html).toContain('<strong>dries</strong>');
    expect(mail.text?.split('\n').filter((line) => line.length > 76 && !line.startsWith(EMAIL_BASE_URL))).toEqual([]);
  });

  it('has a link for its recipient, and one for each option that preselects it', async () => {
    const mail = await sendQuestion(emailColourQuestion);
    expect(verifyAnswerLinkToken(EMAIL_TOKEN_SECRET, linkIn(mail))).toEqual({
      conversationId: EMAIL_CONVERSATION_ID,
      questionId: 'question-1',
      person: 'maria',
      expiresAt: Date.parse(emailColourQuestion.expiresAt ?? ''),
      grant: null,
    });
    expect(mail.html).toContain(`href="${EMAIL_BASE_URL}/a/${linkIn(mail)}"`);
    expect(mail.html).toContain(`href="${EMAIL_BASE_URL}/a/${linkIn(mail)}?q1=Dark%20green"`);
    expect(mail.text).toContain(`  3. Dark green\n${EMAIL_BASE_URL}/a/${linkIn(mail)}?q1=Dark%20green\n`);
    expect(mail.text).toContain(`Answer:\n${EMAIL_BASE_URL}/a/${linkIn(mail)}\n`);
  });

  it.each([
    ['many choices', emailField({ options: emailOptions(...'abcdefg') })],
    ['several to choose', emailField({ options: emailOptions('Red', 'Blue'), multiSelect: true })],
  ])('has one link in its text if there are %s', async (_what, asked) => {
    expect((await sendQuestion(emailQuestion([asked]))).text?.match(/\/a\//g)).toHaveLength(1);
  });

  it('has the same token in its address, its id and its text', async () => {
    const mail = await sendQuestion(emailColourQuestion);
    const token = tokenIn(mail);
    expect(verifyReplyToken(EMAIL_TOKEN_SECRET, token)).toMatchObject({
      conversationId: EMAIL_CONVERSATION_ID,
      questionNumber: 1,
    });
    expect(verifyReplyToken(EMAIL_TOKEN_SECRET, token)?.isFor('maria')).toBe(true);
    expect([mail.replyTo?.value[0]?.address]).toEqual([`reply+${token}@in.example.com`]);
    expect(mail.messageId).toMatch(new RegExp(`^<${token}\\.[0-9a-f]{20}@example\\.com>$`));
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.headers.get('x-auto-response-suppress')).toBe('All');
  });

  it('leaves the token out of an address that would be too long', async () => {
    const mail = await sendQuestion({ ...emailColourQuestion, conversationId: 'x'.repeat(128) });
    expect(mail.replyTo?.value[0]?.address).toBe('reply@in.example.com');
    expect(verifyReplyToken(EMAIL_TOKEN_SECRET, tokenIn(mail))).toMatchObject({
      conversationId: 'x'.repeat(128),
    });
    expect(mail.messageId).toContain(`<${tokenIn(mail)}.`);
  });

  it('keeps its id when sent again; another notification has another id', async () => {
    const [first, again] = [await sendQuestion(emailColourQuestion), await sendQuestion(emailColourQuestion)];
    expect(again.messageId).toBe(first.messageId);
    expect(
      (await sendQuestion(emailColourQuestion, { id: `${EMAIL_CONVERSATION_ID}/question-1/1` })).messageId,
    ).not.toBe(first.messageId);
  });

  it('mentions replies only if they are accepted', async () => {
    expect((await sendQuestion(emailColourQuestion)).text).toContain(
      'Or reply to this email with the number or text of one option',
    );
    const without = await sendQuestion(emailColourQuestion, {}, { replyTo: undefined });
    expect(without.text).not.toContain('reply');
    expect(without.replyTo).toBeUndefined();
    expect(tokenIn(without)).toBe('');
    const form = emailQuestion([emailField(), emailField({ key: 'q2', question: 'And the door?' })]);
    expect((await sendQuestion(form)).text).not.toContain('Or reply');
  });

  it.each<[string, Partial<OutgoingNotification>, boolean]>([
    ['the owner', { access: { owner: 'maria', visibleTo: [], assignees: [] } }, true],
    ['an assignee', {}, true],
    [
      'an assignee by email address',
      { target: 'Jo@x.example', access: { owner: 'owner', visibleTo: [], assignees: ['jo@x.example'] } },
      true,
    ],
    ['a known person, if everyone may', { access: { owner: 'owner', visibleTo: [], assignees: ['*'] } }, true],
    [
      'a stranger, if everyone may',
      { target: 'jo@x.example', access: { owner: 'owner', visibleTo: [], assignees: ['*'] } },
      false,
    ],
    ['a person who may only see it', { access: { owner: 'owner', visibleTo: ['maria'], assignees: [] } }, false],
    ["a team's address", { target: 'ops@example.com' }, false],
  ])('lets %s answer, or not, by permission and not by address', async (_who, more, canAnswer) => {
    const mail = await sendQuestion(emailColourQuestion, more);
    expect([linkIn(mail) !== '', tokenIn(mail) !== '']).toEqual([canAnswer, canAnswer]);
    expect(mail.messageId?.length ?? 0).toBeLessThan(canAnswer ? 100 : 40);
    if (!canAnswer) expect(mail.text).toContain(`Only the owner and assignees can answer`);
    if (!canAnswer) expect(mail.text).toContain(`${EMAIL_BASE_URL}/conversations/${EMAIL_CONVERSATION_ID}`);
  });

  it.each([['maria'], ['*']])('has no link if those of %s were revoked, and says where to answer', async (name) => {
    await createChannel().send({ ...emailNotification(emailColourQuestion), linksRevokedFor: [name] });
    const text = String(server.emails[0]?.text);
    expect(text).not.toContain('/a/');
    expect(text).toContain('Answer in Parley');
    expect(text).not.toContain('Only the owner and assignees can answer');
  });

  it('lets anyone answer if no keys are set', async () => {
    const open = createEmailSender(
      emailSettingsFor(server.url),
      { people: emailPeople, allowAnyone: true },
      EMAIL_TOKEN_SECRET,
    );
    await open.send(
      emailNotification(emailColourQuestion, {
        target: 'ops@example.com',
        access: { owner: null, visibleTo: [], assignees: [] },
      }),
    );
    const mail = server.emails.at(-1) as ReceivedEmail;
    expect([linkIn(mail) !== '', tokenIn(mail) !== '']).toEqual([true, true]);
  });

  it('shows exactly what an approval runs', async () => {
    const confirms = { tool: 'pay', arguments: { to: 'Ada\u202e\u200b', amount: 5 }, digest: '' };
    const mail = await sendQuestion({ ...emailConfirmation, context: 'Parley’s own words', confirms });
    for (const text of [mail.text, String(mail.html).replaceAll('&quot;', '"')]) {
      expect(text).toContain('Approving runs pay once, with exactly these arguments:');
      expect(text).toContain('"to": "Ada\\u202e\\u200b"');
      expect(text).not.toContain('\u202e');
    }
    expect(mail.text).not.toContain('Parley’s own words');
    expect(mail.text?.replace(/\s+/g, ' ')).toContain('“Yes, proceed” and nothing else, or “No, cancel”');
    const shown = '```json\n{\n  "a": 1\n}\n```';
    const asked = { tool: null, arguments: { a: 1 }, digest: '' };
    const other = await sendQuestion({ ...emailConfirmation, context: `Because.\n\n${shown}`, confirms: asked });
    expect(other.text?.match(/"a": 1/g)).toHaveLength(1);
    expect(other.text).toContain('Because.');
  });
});

describe('hostile text', () => {
  const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&\u202egnp.exe\u0007';

  it('is escaped in HTML, wherever it appears in a question', async () => {
    const mail = await sendQuestion(
      emailQuestion([emailField({ question: HOSTILE, options: [{ label: HOSTILE, description: HOSTILE }] })], {
        context: `${HOSTILE}\n\n![x](https://evil.example/x.png)\n\n[y](javascript:alert(1))\n\n[w](/conversations/x) [v](https://x.example)\n\n<b>z</b>`,
        origin: [HOSTILE],
      }),
      { title: HOSTILE },
    );
    const html = String(mail.html);
    expect(html).not.toMatch(/<(script|img|b)\b/i);
    expect(html).not.toMatch(/href="(javascript|\/)/i);
    expect(html).toMatch(/<a href="https:\/\/x\.example"[^>]* rel="noopener noreferrer nofollow"/);
    expect(html).not.toContain('\u202e');
    expect(mail.text).not.toContain('\u202e');
    expect(html).toContain('⟨U+202E⟩');
    expect(mail.subject).toContain('⟨U+202E⟩');
    const allowed = new Set([
      'html',
      'head',
      'meta',
      'title',
      'style',
      'body',
      'div',
      'h1',
      'p',
      'a',
      'strong',
      'span',
      'br',
    ]);
    expect([...html.matchAll(/<([a-z]\w*)/gi)].map(([, tag]) => tag).filter((tag) => !allowed.has(tag ?? ''))).toEqual(
      [],
    );
  });

  it('adds no header, as a subject, title, agent or destination', async () => {
    const evil = 'x\r\nBcc: evil@example.com\r\n\r\nbody';
    const mail = await sendQuestion(emailQuestion([emailField({ question: evil })], { agent: evil, origin: [evil] }), {
      title: evil,
      reason: evil,
    });
    expect(mail.headers.has('bcc')).toBe(false);
    expect(mail.raw.slice(0, mail.raw.indexOf('\r\n\r\n'))).not.toMatch(/^Bcc:/m);
    expect(mail.subject).toContain('x Bcc: evil@example.com');
  });

  it('makes no subject longer than 120 characters', async () => {
    const long = emailQuestion([emailField({ question: '❓'.repeat(2_000) })], { agent: 'a'.repeat(64) });
    await createChannel().send(emailNotification(long, { title: 't'.repeat(500) }));
    await createChannel().remind(emailNotification(long, { title: 't'.repeat(500) }), REF);
    for (const mail of server.emails) expect([...(mail.subject ?? '')].length).toBeLessThanOrEqual(120);
  });
});

describe('an email that follows a question', () => {
  it('is in its thread: a reminder, with the link again', async () => {
    const first = await createChannel().send(emailNotification(emailColourQuestion));
    const notification = emailNotification(emailColourQuestion, {
      id: `${EMAIL_CONVERSATION_ID}/question-1/1`,
      reason: 'reminder 1 of 2',
    });
    expect(await createChannel().remind(notification, first)).toEqual(first);
    const [asked, reminder] = server.emails;
    expect(reminder?.inReplyTo).toBe(asked?.messageId);
    expect(reminder?.references).toBe(asked?.messageId);
    expect(reminder?.messageId).not.toBe(asked?.messageId);
    expect(reminder?.subject).toBe(`Re: ${asked?.subject}`);
    expect(reminder?.text).toContain('Reminder 1 of 2. The question is still open.');
    expect(linkIn(reminder as ReceivedEmail)).toBe(linkIn(asked as ReceivedEmail));
  });

  it('is matched by a reference that contains no token, because histories store it', async () => {
    const ref = await createChannel().send(emailNotification(emailColourQuestion));
    const json = JSON.stringify(ref);
    expect(json).not.toContain(tokenIn(server.emails[0] as ReceivedEmail));
    expect(json).not.toContain(linkIn(server.emails[0] as ReceivedEmail));
    const otherTarget = { target: 'ops@example.com' };
    const other = await createChannel().send(emailNotification(emailColourQuestion, otherTarget));
    await createChannel().updateCopy({
      ...emailNotification(resolvedQuestion(), otherTarget),
      id: 'x/settled',
      ref: other,
    });
    const [, asked, followUp] = server.emails;
    expect(followUp?.inReplyTo).toBe(asked?.messageId);
    expect(followUp?.replyTo).toBeUndefined();
  });

  it('is not sent if it is unknown whether the first email was', async () => {
    await createChannel().updateCopy({ ...emailNotification(resolvedQuestion()), ref: {} });
    expect(server.emails).toHaveLength(0);
    const id = `${EMAIL_CONVERSATION_ID}/question-1/1`;
    const newRef = await createChannel().remind(
      emailNotification(emailColourQuestion, { id, reason: 'reminder 1 of 2' }),
      {},
    );
    expect(newRef).toMatchObject({ sent: id });
  });

  const outcome = {
    answers: { q1: 'Blue' },
    comment: 'Dark, please',
    by: 'jonas',
    via: 'slack',
    at: '2026-11-18T08:00:00.000Z',
  };
  const resolvedQuestion = (more: Partial<Question> = {}) => ({
    ...emailColourQuestion,
    status: 'answered' as const,
    outcome,
    ...more,
  });

  it('says who answered, where, when and what, and that no action is needed', async () => {
    const ref = await createChannel().send(emailNotification(emailColourQuestion));
    const id = `${EMAIL_CONVERSATION_ID}/question-1/0/settled`;
    await createChannel().updateCopy({ ...emailNotification(resolvedQuestion(), { id }), ref });
    const [asked, followUp] = server.emails;
    expect(followUp?.inReplyTo).toBe(asked?.messageId);
    const text = followUp?.text?.replace(/\s+/g, ' ');
    expect(text).toContain('Answered by jonas via Slack (Wed, 18 Nov 2026, 08:00 UTC).');
    expect(text).toContain('Which colour? Blue');
    expect(text).toContain('Comment Dark, please');
    expect(text).toContain('No action is needed.');
    expect(linkIn(followUp as ReceivedEmail)).toBe('');
  });

  it.each<[string, Partial<Question>, RegExp]>([
    [
      'declined',
      { status: 'declined', outcome: { by: 'jonas', comment: 'no', via: 'web', at: outcome.at } },
      /Skipped by jonas on the web.*Reason no/,
    ],
    ['timed out', { status: 'timed_out', outcome: { via: 'timer', at: outcome.at } }, /No answer in time \(/],
    [
      'defaulted',
      { status: 'timed_out', outcome: { ...outcome, by: undefined, via: 'timer', defaulted: true } },
      /default used.*Blue/,
    ],
    ['cancelled', { status: 'cancelled', outcome: { at: outcome.at } }, /Closed: conversation cancelled/],
  ])('says that the question was %s', async (_how, more, expected) => {
    await createChannel().updateCopy({ ...emailNotification(resolvedQuestion(more)), ref: REF });
    expect(server.emails[0]?.text?.replace(/\s+/g, ' ')).toMatch(expected);
  });

  it('is not sent to a person who answered on their link page', async () => {
    const answeredByLink = (by: string) => resolvedQuestion({ outcome: { ...outcome, by, via: 'link' } });
    await createChannel().updateCopy({ ...emailNotification(answeredByLink('maria')), ref: REF });
    expect(server.emails).toHaveLength(0);
    await createChannel().updateCopy({ ...emailNotification(answeredByLink('jonas')), ref: REF });
    expect(server.emails).toHaveLength(1);
  });
});

describe('a mail server', () => {
  it.each<[string, object, boolean, RegExp]>([
    [
      'knows no such recipient',
      { recipient: 550 },
      true,
      /rejected the recipient maria@example.com: 550 no such mailbox\. Check the address/,
    ],
    ['greylists', { recipient: 451 }, false, /rejected the recipient/],
    [
      'refuses the password',
      { login: 535 },
      false,
      /rejected the login of parley: 535 no entry for parley with …\. Check PARLEY_SMTP_URL/,
    ],
    ['cannot check the password at the moment', { login: 454 }, false, /rejected the login of parley/],
    ['is full', { message: 452 }, false, /rejected the email: 452/],
    ['takes it for spam', { message: 554 }, true, /rejected the email: 554 not now/],
    ['disconnects before it acknowledges the email', { message: 'cut' }, false, /could not be reached/],
  ])(
    'that %s is described in the error, and retried if that may help',
    async (_what, manners, isPermanent, expected) => {
      Object.assign(server.behaviour, manners);
      const failure = await createChannel()
        .send(emailNotification(emailColourQuestion))
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ isPermanent, message: expect.stringMatching(expected) });
      expect(String(failure)).not.toContain(SMTP_LOGIN.password);
      expect(String(failure)).not.toContain(encodeURIComponent(SMTP_LOGIN.password));
    },
  );

  it.each([
    [
      'does not resolve',
      'smtp://no-such-host.invalid',
      /no-such-host\.invalid could not be reached: .*ENOTFOUND|EAI_AGAIN/,
    ],
    ['is unreachable', 'smtp://127.0.0.1:1', /127\.0\.0\.1:1 could not be reached: .*ECONNREFUSED/],
  ])('that %s is retried', async (_what, smtpUrl, expected) => {
    const failure = await createChannel({ smtpUrl })
      .send(emailNotification(emailColourQuestion))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ isPermanent: false, message: expect.stringMatching(expected) });
  });

  it('that offers no TLS gets no password and no email, unless its URL allows that', async () => {
    const smtpUrl = server.url.replace('/?requireTLS=false', '');
    await expect(createChannel({ smtpUrl }).test('maria@example.com')).rejects.toThrow(
      /failed to set up TLS: .*add \?requireTLS=false/,
    );
    expect(server.emails).toHaveLength(0);
  });

  it('without TLS is described in the error', async () => {
    const smtpUrl = server.url.replace('smtp:', 'smtps:');
    await expect(createChannel({ smtpUrl }).test('maria@example.com')).rejects.toThrow(/failed to set up TLS/);
  });

  it('gets a test email, and the result is reported', async () => {
    const outcome = await createChannel().test('maria@example.com');
    expect(outcome).toMatch(/^Test email to maria@example\.com accepted by 127\.0\.0\.1:\d+\.$/);
    expect(server.emails[0]?.subject).toBe('Test email from Parley');
    expect(server.emails[0]?.text).toContain('reply@in.example.com');
  });
});
