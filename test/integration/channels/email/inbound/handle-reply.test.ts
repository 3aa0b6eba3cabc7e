import { createReplyToken, verifyReplyToken } from '#channels/email/reply-token';
import type { Question } from '#contract/question';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { collectLog } from '#test/support/collect-log';
import {
  createEmailFixture,
  EMAIL_SECRETS,
  type EmailedQuestion,
  type EmailFixture,
  findEmailToken,
  INBOUND_EMAIL_SECRET,
  JONAS_EMAIL,
  MARIA_EMAIL,
  writeRawEmail,
  writeRawReply,
} from '#test/support/email/email-fixture';
import { startParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const logs = collectLog();
let fixture: EmailFixture;
beforeAll(async () => {
  fixture = await createEmailFixture({
    script: (request) =>
      lastToolResults(request).length > 0
        ? replyWithText('done')
        : replyWithQuestion('Which colour?', 'Red', 'Blue', 'Größer'),
    log: logs.log,
    workerLog: logs.log,
  });
});
afterAll(() => fixture.stop());

const getQuestion = async (id: string) =>
  (await fixture.p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body;
const header = (name: string, value: string) => `${name}: ${value}`;
const PLAIN = 'Content-Type: text/plain; charset=utf-8';

const quoteWithToken = (token: string) =>
  `On Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n> Which colour?\n>   1. Red\n>   2. Blue\n> [parley:${token}]`;

const multipart = (type: string, ...parts: string[]) => ({
  headers: ['MIME-Version: 1.0', `Content-Type: ${type}; boundary="b"`],
  body: `${parts.map((mimePart) => `--b\r\n${mimePart}\r\n`).join('')}--b--\r\n`,
});
const mimePart = (type: string, body: string, more = '') => `Content-Type: ${type}\r\n${more}\r\n${body}`;

const DSN = multipart(
  'multipart/report; report-type=delivery-status',
  mimePart('text/plain', 'Your message could not be delivered.'),
  mimePart('message/delivery-status', 'Final-Recipient: rfc822; maria@example.com\r\nAction: failed\r\nStatus: 5.1.1'),
);

function nestedMultipart(depth: number, text: string): { headers: string[]; body: string } {
  let body = mimePart('text/plain', text);
  for (let level = depth; level > 0; level -= 1)
    body = `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n${body}\r\n--b${level}--\r\n`;
  const [type = '', ...rest] = body.split('\r\n\r\n');
  return { headers: ['MIME-Version: 1.0', type], body: rest.join('\r\n\r\n') };
}

type EmailRow = [
  what: string,
  mail: (asked: EmailedQuestion, other: EmailedQuestion) => Buffer,
  outcome: string,
  reason: string,
];

describe('an unusual email', () => {
  let open: EmailedQuestion;
  let other: EmailedQuestion;
  beforeAll(async () => {
    [open, other] = [await fixture.askByEmail(), await fixture.askByEmail()];
  });

  it.each<EmailRow>([
    [
      'an automatic reply',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['Auto-Submitted: auto-replied'] }),
      'ignored',
      'automatic',
    ],
    [
      'an automatic reply of Exchange',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['X-Auto-Response-Suppress: All'] }),
      'ignored',
      'automatic',
    ],
    [
      'a vacation message with only its own header',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['X-Autoreply: yes'] }),
      'ignored',
      'automatic',
    ],
    [
      'a vacation message with only a precedence header',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['Precedence: auto_reply'] }),
      'ignored',
      'automatic',
    ],
    [
      'a vacation message with only a subject',
      (asked) => writeRawReply(asked, 'I am away until Monday.', { subject: 'Abwesenheitsnotiz: Which colour?' }),
      'ignored',
      'automatic',
    ],
    [
      'a mailing list',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['Precedence: list'] }),
      'ignored',
      'automatic',
    ],
    [
      'a mailing list with only its own header',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['List-Id: Ops <ops.example.com>'] }),
      'ignored',
      'automatic',
    ],
    [
      'a mailing list with only a posting address',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['List-Post: <mailto:ops@example.com>'] }),
      'ignored',
      'automatic',
    ],
    [
      'a sender that the server marked as forged',
      (asked) =>
        writeRawReply(asked, 'Blue', {
          headers: [
            'Authentication-Results: mx.example.com; spf=pass;\r\n\tdmarc=fail (p=NONE) header.from=example.com',
            'Authentication-Results: mx.evil.example; dmarc=pass',
          ],
        }),
      'ignored',
      'dmarc_fail',
    ],
    [
      'a bounce',
      (asked) => writeRawReply(asked, DSN.body, { from: 'MAILER-DAEMON@example.com', headers: DSN.headers }),
      'ignored',
      'bounce',
    ],
    [
      'a bounce that names the person',
      (asked) => writeRawReply(asked, DSN.body, { headers: DSN.headers }),
      'ignored',
      'bounce',
    ],
    [
      'an email without a return path',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['Return-Path: <>'] }),
      'ignored',
      'bounce',
    ],
    [
      'a read receipt',
      (asked) =>
        writeRawReply(
          asked,
          'x',
          multipart('multipart/report; report-type=disposition-notification', mimePart('text/plain', 'Blue')),
        ),
      'ignored',
      'bounce',
    ],
    [
      'an accepted invitation',
      (asked) =>
        writeRawReply(
          asked,
          '',
          multipart(
            'multipart/alternative',
            mimePart('text/plain', 'Blue'),
            mimePart('text/calendar; method=REPLY', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR'),
          ),
        ),
      'ignored',
      'calendar',
    ],
    ["Parley's own email", (asked) => Buffer.from(asked.email.raw), 'ignored', 'own_mail'],
    [
      'a token far below, which is not searched for there',
      ({ token }) =>
        writeRawEmail({
          body: `Blue\r\n${`> ${'=78'.repeat(24)}\r\n`.repeat(4_000)}> [parley:${token}]`,
          headers: ['MIME-Version: 1.0', PLAIN, 'Content-Transfer-Encoding: quoted-printable'],
        }),
      'ignored',
      'no_token',
    ],
    ['no token', () => writeRawEmail({ body: 'Blue' }), 'ignored', 'no_token'],
    [
      'a forged token',
      ({ token }) => writeRawEmail({ to: `reply+${token.slice(0, -3)}aaa@in.example.com`, body: 'Blue' }),
      'ignored',
      'forged_token',
    ],
    [
      'a valid token from another sender',
      (asked) => writeRawReply(asked, 'Blue', { from: JONAS_EMAIL }),
      'ignored',
      'other_sender',
    ],
    [
      'a valid token and name at another address',
      (asked) => writeRawReply(asked, 'Blue', { from: `"${MARIA_EMAIL}" <evil@example.com>` }),
      'ignored',
      'other_sender',
    ],
    [
      'two senders in one header',
      (asked) => writeRawReply(asked, 'Blue', { from: `${MARIA_EMAIL}, ${JONAS_EMAIL}` }),
      'ignored',
      'several_senders',
    ],
    [
      'two sender headers',
      (asked) => writeRawReply(asked, 'Blue', { headers: [`From: ${JONAS_EMAIL}`] }),
      'ignored',
      'several_senders',
    ],
    ['no sender', (asked) => writeRawReply(asked, 'Blue', { from: '' }), 'ignored', 'several_senders'],
    [
      'two tokens',
      (asked, two) => writeRawReply(asked, 'Blue', { headers: [header('Cc', `reply+${two.token}@in.example.com`)] }),
      'asked_back',
      'several_tokens',
    ],
    [
      'a token in the address and another in the thread',
      (asked, two) => writeRawReply(asked, 'Blue', { headers: [header('In-Reply-To', String(two.email.messageId))] }),
      'asked_back',
      'several_tokens',
    ],
    ['nothing', (asked) => writeRawReply(asked, ''), 'asked_back', 'empty'],
    ['only a signature', (asked) => writeRawReply(asked, '-- \r\nMaria'), 'asked_back', 'empty'],
    ['only a quote', (asked) => writeRawReply(asked, quoteWithToken(asked.token)), 'asked_back', 'empty'],
    [
      'only an attachment',
      (asked) =>
        writeRawReply(
          asked,
          '',
          multipart(
            'multipart/mixed',
            mimePart(
              'image/png',
              'aGk=',
              'Content-Disposition: attachment; filename=blue.png\r\nContent-Transfer-Encoding: base64\r\n',
            ),
          ),
        ),
      'asked_back',
      'empty',
    ],
    [
      'encrypted text',
      (asked) =>
        writeRawReply(asked, 'MIAG', {
          headers: [
            'MIME-Version: 1.0',
            'Content-Type: application/pkcs7-mime; smime-type=enveloped-data',
            'Content-Transfer-Encoding: base64',
          ],
        }),
      'asked_back',
      'empty',
    ],
    ['a near miss', (asked) => writeRawReply(asked, 'Bleu'), 'asked_back', 'unclear'],
    [
      'more than the limit of an answer',
      (asked) => writeRawReply(asked, 'blue '.repeat(200_000)),
      'asked_back',
      'unclear',
    ],
    [
      'HTML that is nested too deeply',
      (asked) => writeRawReply(asked, '<div>'.repeat(20_000), { headers: ['Content-Type: text/html'] }),
      'asked_back',
      'unclear',
    ],
    [
      'two thousand nested parts',
      (asked) => writeRawReply(asked, '', nestedMultipart(2_000, 'Blue')),
      'ignored',
      'unreadable',
    ],
    [
      'headers of more than a megabyte',
      (asked) => writeRawReply(asked, 'Blue', { headers: [`X-Long: ${'x'.repeat(1_500_000)}`] }),
      'ignored',
      'unreadable',
    ],
    ['what is not an email', () => Buffer.from('\x00\x01 nothing that is a mail'), 'ignored', 'no_token'],
  ])('is not an answer: %s', async (_what, mail, outcome, reason) => {
    // At most five emails about one question are sent back in an hour.
    if (outcome === 'asked_back') [open, other] = [await fixture.askByEmail(), await fixture.askByEmail()];
    const emailCount = fixture.server.emails.length;
    const raw = mail(open, other);
    expect(await fixture.postInbound(raw)).toEqual({ status: 200, body: { outcome, reason } });
    const feedback = fixture.server.emails.slice(emailCount);
    expect(feedback.map((one) => one.headers.get('to'))).toMatchObject(
      outcome === 'ignored' ? [] : [{ text: MARIA_EMAIL }],
    );
    expect(await getQuestion(open.conversationId)).toMatchObject({ status: 'pending', outcome: null });
    expect(await getQuestion(other.conversationId)).toMatchObject({ status: 'pending' });
  });

  const latin1 = Buffer.from('gr\u00f6\u00dfer', 'latin1');
  const SHIFT_JIS = Buffer.from([0x42, 0x6c, 0x75, 0x65, 0x0d, 0x0a, 0x0d, 0x0a, 0x82, 0xcd, 0x82, 0xa2]);

  it.each<[string, (asked: EmailedQuestion) => Buffer, unknown, string?]>([
    ['top-posted', (asked) => writeRawReply(asked, `Blue\n\n${quoteWithToken(asked.token)}`), 'Blue'],
    ['bottom-posted', (asked) => writeRawReply(asked, `${quoteWithToken(asked.token)}\n\nBlue\n`), 'Blue'],
    ['inline', (asked) => writeRawReply(asked, '> Which colour?\n\nBlue\n\n> 1. Red'), 'Blue'],
    ['by number, with a comment', (asked) => writeRawReply(asked, '2\n\nas the sea'), 'Blue', 'as the sea'],
    [
      'in HTML only',
      (asked) =>
        writeRawReply(
          asked,
          `<div dir="ltr">Blue</div><br><div class="gmail_quote"><div>On Tue, Nov 17, 2026 at 9:30 AM Parley &lt;<a href="mailto:p@example.com">p@example.com</a>&gt; wrote:<br></div><blockquote><h1>Which colour?</h1></blockquote></div>`,
          { headers: ['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8'] },
        ),
      'Blue',
    ],
    [
      'in HTML beside a picture',
      (asked) =>
        writeRawReply(
          asked,
          '',
          multipart('multipart/related', mimePart('text/html', '<p>Blue</p>'), mimePart('image/png', 'aGk=')),
        ),
      'Blue',
    ],
    [
      'in HTML beside an empty text',
      (asked) =>
        writeRawReply(
          asked,
          '',
          multipart('multipart/alternative', mimePart('text/plain', ' '), mimePart('text/html', '<p>Blue</p>')),
        ),
      'Blue',
    ],
    [
      'in ISO-8859-1',
      (asked) =>
        writeRawReply(asked, latin1, {
          headers: [
            'MIME-Version: 1.0',
            'Content-Type: text/plain; charset=iso-8859-1',
            'Content-Transfer-Encoding: 8bit',
          ],
        }),
      'Größer',
    ],
    [
      'in Shift_JIS',
      (asked) =>
        writeRawReply(asked, SHIFT_JIS, {
          headers: ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=Shift_JIS'],
        }),
      'Blue',
      'はい',
    ],
    [
      'in quoted-printable',
      (asked) =>
        writeRawReply(asked, 'gr=C3=B6=\r\n=C3=9Fer', {
          headers: ['MIME-Version: 1.0', PLAIN, 'Content-Transfer-Encoding: quoted-printable'],
        }),
      'Größer',
    ],
    [
      'in base64',
      (asked) =>
        writeRawReply(asked, Buffer.from('Blue\n').toString('base64'), {
          headers: ['MIME-Version: 1.0', PLAIN, 'Content-Transfer-Encoding: base64'],
        }),
      'Blue',
    ],
    [
      'signed by S/MIME',
      (asked) =>
        writeRawReply(
          asked,
          '',
          multipart(
            'multipart/signed; protocol="application/pkcs7-signature"',
            mimePart('text/plain', 'Blue'),
            mimePart('application/pkcs7-signature; name=smime.p7s', 'MIAG'),
          ),
        ),
      'Blue',
    ],
    [
      'signed by PGP',
      (asked) =>
        writeRawReply(
          asked,
          '-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\nBlue\r\n-----BEGIN PGP SIGNATURE-----\r\n\r\nx\r\n-----END PGP SIGNATURE-----',
        ),
      'Blue',
    ],
    [
      'with an attachment',
      (asked) =>
        writeRawReply(
          asked,
          '',
          multipart(
            'multipart/mixed',
            mimePart('text/plain', 'Blue'),
            mimePart('image/png', 'aGk=', 'Content-Transfer-Encoding: base64\r\n'),
          ),
        ),
      'Blue',
    ],
    ['with fifty nested parts', (asked) => writeRawReply(asked, '', nestedMultipart(50, 'Blue')), 'Blue'],
    [
      'with the token only in the thread',
      ({ email }) => writeRawEmail({ body: 'Blue', headers: [`In-Reply-To: ${email.messageId}`] }),
      'Blue',
    ],
    [
      'with the token only in a folded thread',
      ({ email }) => writeRawEmail({ body: 'Blue', headers: [`References: <a@b>\r\n\t${email.messageId}`] }),
      'Blue',
    ],
    [
      'with the token only in the quote',
      ({ token }) => writeRawEmail({ body: `Blue\n\n${quoteWithToken(token)}` }),
      'Blue',
    ],
    [
      'with the token only in a quote in quoted-printable',
      ({ token }) =>
        writeRawEmail({
          body: `Blue\r\n\r\n> [parley:${token.slice(0, 9)}=\r\n${token.slice(9)}]`,
          headers: ['MIME-Version: 1.0', PLAIN, 'Content-Transfer-Encoding: quoted-printable'],
        }),
      'Blue',
    ],
    [
      'with the token only in a quote in base64',
      ({ token }) =>
        writeRawEmail({
          body: Buffer.from(`Blue\n\n${quoteWithToken(token)}`)
            .toString('base64')
            .replace(/.{76}/g, '$&\r\n'),
          headers: ['MIME-Version: 1.0', PLAIN, 'Content-Transfer-Encoding: base64'],
        }),
      'Blue',
    ],
    [
      'with the token where the mail service puts it',
      ({ token }) => writeRawEmail({ body: 'Blue', headers: [`Delivered-To: reply+${token}@in.example.com`] }),
      'Blue',
    ],
    ['entirely in upper case', (asked) => writeRawReply({ token: asked.token.toUpperCase() }, 'BLUE'), 'Blue'],
    [
      'from another address of the same person',
      (asked) => writeRawReply(asked, 'Blue', { from: 'MARIA@home.example' }),
      'Blue',
    ],
    [
      'that only its forwarder marks as forged',
      (asked) =>
        writeRawReply(asked, 'Blue', {
          headers: [
            'Authentication-Results: mx.example.com; dmarc=pass',
            'Authentication-Results: list.example; dmarc=fail',
          ],
        }),
      'Blue',
    ],
    [
      'that says it is not automatic',
      (asked) => writeRawReply(asked, 'Blue', { headers: ['Auto-Submitted: no'] }),
      'Blue',
    ],
    [
      'with a subject that imitates headers',
      (asked) => writeRawReply(asked, 'Blue', { subject: '=?utf-8?Q?x=0D=0ABcc:_evil@example.com?=' }),
      'Blue',
    ],
  ])('is an answer: %s', async (_what, mail, value, comment = '') => {
    const asked = await fixture.askByEmail();
    expect(await fixture.postInbound(mail(asked))).toEqual({ status: 200, body: { outcome: 'answered' } });
    const { status, outcome } = await getQuestion(asked.conversationId);
    expect([status, outcome?.answers, outcome?.comment ?? '']).toEqual(['answered', { q1: value }, comment]);
    expect([outcome?.by, outcome?.via]).toEqual(['maria', 'email']);
  });
});

describe('a reply', () => {
  it('that is delivered twice answers once, and gets no email', async () => {
    const asked = await fixture.askByEmail();
    const raw = writeRawReply(asked, 'Blue');
    await fixture.postInbound(raw);
    await fixture.p.waitForStatus(asked.conversationId, 'completed');
    expect(await fixture.postInbound(raw)).toEqual({ status: 200, body: { outcome: 'answered' } });
    const lateEmails = fixture.server.emails.filter((mail) => mail.text?.includes('was not used') && mail.inReplyTo);
    expect(lateEmails.filter((mail) => mail.messageId?.includes(asked.token))).toEqual([]);
  });

  it('that is late gets who answered first, where, when and what', async () => {
    const asked = await fixture.askByEmail();
    await fixture.p.answer(asked.conversationId, { answer: 'Red' });
    const raw = writeRawReply(asked, 'Blue', { headers: ['Message-ID: <late-1@mail.example>'] });
    expect((await fixture.postInbound(raw)).body).toEqual({ outcome: 'late', reason: 'answered' });
    const feedback = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === '<late-1@mail.example>');
    expect(feedback.text?.replace(/\s+/g, ' ')).toMatch(
      /was not used.*Answered by owner over HTTP \(.* UTC\)\. Which colour\? Red/,
    );
    expect((await fixture.postInbound(raw)).body).toEqual({ outcome: 'late', reason: 'answered' });
    expect(fixture.server.emails.filter(({ inReplyTo }) => inReplyTo === '<late-1@mail.example>')).toHaveLength(1);
  });

  it('that is invalid gets help in its thread, and a second reply can fix it', async () => {
    const asked = await fixture.askByEmail();
    const thread = ['Message-ID: <odd-1@mail.example>', `References: <start@mail.example> ${asked.email.messageId}`];
    await fixture.postInbound(writeRawReply(asked, 'bleu, please\n\nthanks', { headers: thread }));
    const feedback = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === '<odd-1@mail.example>');
    expect(feedback.references).toEqual(['<start@mail.example>', asked.email.messageId, '<odd-1@mail.example>']);
    expect(feedback.text).toContain('“bleu, please” is not one of the options.');
    expect(feedback.text).toContain('  2. Blue\n');
    expect(feedback.text).toContain(`${fixture.p.url}/a/`);
    expect(feedback.headers.get('auto-submitted')).toBe('auto-generated');
    const [{ address = '' } = {}] = feedback.replyTo?.value ?? [];
    const secondReply = writeRawEmail({ to: address, body: 'blue', headers: [`In-Reply-To: ${feedback.messageId}`] });
    expect((await fixture.postInbound(secondReply)).body).toEqual({ outcome: 'answered' });
    expect(findEmailToken(feedback)).toBe(asked.token);
  });

  it('skips, with a reason', async () => {
    const asked = await fixture.askByEmail();
    expect((await fixture.postInbound(writeRawReply(asked, 'decline: ask the painter'))).body).toEqual({
      outcome: 'declined',
    });
    expect(await getQuestion(asked.conversationId)).toMatchObject({
      status: 'declined',
      outcome: { by: 'maria', comment: 'ask the painter', via: 'email' },
    });
  });

  it('of a person who may no longer answer changes nothing', async () => {
    const id = await fixture.p.startConversation('Paint the house', { assignees: ['maria'] });
    await fixture.p.waitForQuestion(id);
    const { token } = await fixture.askByEmail();
    const secret = loadOrCreateSecret(fixture.p.config.secret, fixture.p.config.dataFolder);
    expect(verifyReplyToken(secret, token)?.isFor('maria')).toBe(true);
    const { askedAt } = await getQuestion(id);
    const forJonas = createReplyToken(secret, { conversationId: id, questionNumber: 1, person: 'jonas', askedAt });
    const response = await fixture.postInbound(writeRawReply({ token: forJonas }, 'Blue', { from: JONAS_EMAIL }));
    expect(response.body).toEqual({ outcome: 'asked_back', reason: 'not_allowed' });
    expect(await getQuestion(id)).toMatchObject({ status: 'pending' });
  });

  it('of another person who may answer is not accepted, and tells them where to answer', async () => {
    const asked = await fixture.askByEmail({ assignees: ['maria', 'jonas'] });
    const raw = writeRawReply(asked, 'Blue', {
      from: JONAS_EMAIL,
      headers: ['Message-ID: <other-1@mail.example>'],
    });
    expect((await fixture.postInbound(raw)).body).toEqual({ outcome: 'asked_back', reason: 'other_sender' });
    const feedback = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === '<other-1@mail.example>');
    expect(feedback.headers.get('to')).toMatchObject({ text: JONAS_EMAIL });
    expect(feedback.text).toContain(`/conversations/${asked.conversationId}`);
    expect([findEmailToken(feedback), feedback.text?.includes('/a/')]).toEqual(['', false]);
    expect(feedback.raw).not.toContain(asked.token.slice(0, 40));
    expect(await getQuestion(asked.conversationId)).toMatchObject({ status: 'pending' });
  });

  it('that is invalid gets no link if those of that person were revoked', async () => {
    const asked = await fixture.askByEmail();
    const at = `/v1/conversations/${asked.conversationId}/questions/question-1/links?person=maria`;
    expect((await fixture.p.call('DELETE', at)).status).toBe(200);
    await fixture.postInbound(writeRawReply(asked, 'Bleu', { headers: ['Message-ID: <back-1@mail.example>'] }));
    const feedback = await fixture.server.waitForEmail(({ inReplyTo }) => inReplyTo === '<back-1@mail.example>');
    expect(`${feedback.text}${feedback.html}`).not.toContain('/a/');
  });

  it('to an older question of a conversation with the same id changes nothing', async () => {
    const asked = await fixture.askByEmail();
    const secret = loadOrCreateSecret(fixture.p.config.secret, fixture.p.config.dataFolder);
    const askedAt = '2025-01-01T00:00:00.000Z';
    const token = createReplyToken(secret, {
      conversationId: asked.conversationId,
      questionNumber: 1,
      person: 'maria',
      askedAt,
    });
    const response = await fixture.postInbound(writeRawReply({ token }, 'Blue'));
    expect(response.body).toEqual({ outcome: 'asked_back', reason: 'gone' });
    expect(await getQuestion(asked.conversationId)).toMatchObject({ status: 'pending' });
  });

  it('is answered at most five times an hour, so that two programs cannot loop', async () => {
    const asked = await fixture.askByEmail();
    const outcomes: string[] = [];
    for (let n = 0; n < 7; n += 1)
      outcomes.push((await fixture.postInbound(writeRawReply(asked, 'Thank you for your mail!'))).body.outcome);
    expect(outcomes).toEqual([...Array(5).fill('asked_back'), 'ignored', 'ignored']);
  });

  it('whose feedback cannot be sent is requested again, and then gets one email', async () => {
    const asked = await fixture.askByEmail();
    const raw = writeRawReply(asked, 'Bleu', { headers: ['Message-ID: <again-1@mail.example>'] });
    await fixture.server.stop();
    const failed = await fixture.postInbound(raw);
    expect(failed).toMatchObject({ status: 503, body: { code: 'mail_unavailable' } });
    await fixture.server.start();
    expect((await fixture.postInbound(raw)).body).toEqual({ outcome: 'asked_back', reason: 'unclear' });
    expect(fixture.server.emails.filter(({ inReplyTo }) => inReplyTo === '<again-1@mail.example>')).toHaveLength(1);
  });
});

describe('the endpoint', () => {
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

  it.each<[string, string | undefined]>([
    ['nothing', undefined],
    ['an empty header', ''],
    ['no scheme', INBOUND_EMAIL_SECRET],
    ['another scheme', `Token ${INBOUND_EMAIL_SECRET}`],
    ['an empty bearer', 'Bearer '],
    ['another secret', 'Bearer something-else-entirely-here'],
    ['a prefix of the secret', `Bearer ${INBOUND_EMAIL_SECRET.slice(0, -1)}`],
    ['the secret with a suffix', `Bearer ${INBOUND_EMAIL_SECRET}x`],
    ['the secret in upper case', `Bearer ${INBOUND_EMAIL_SECRET.toUpperCase()}`],
    ['the secret twice', `Bearer ${INBOUND_EMAIL_SECRET} ${INBOUND_EMAIL_SECRET}`],
    ['the secret with a comma', `Bearer ${INBOUND_EMAIL_SECRET},`],
    ['the secret in base64 as a bearer', `Bearer ${Buffer.from(INBOUND_EMAIL_SECRET).toString('base64')}`],
    ['the secret as the user name', basic(`${INBOUND_EMAIL_SECRET}:`)],
    ['the secret without user and colon', basic(INBOUND_EMAIL_SECRET)],
    ['a wrong password', basic('parley:wrong')],
    ['the password with a space', basic(`parley: ${INBOUND_EMAIL_SECRET}`)],
    ['invalid base64', 'Basic ***'],
    ['an API key', 'Bearer KEY'],
  ])('rejects %s before it reads the body', async (_what, authorization) => {
    const authorizationHeader = authorization?.replace('KEY', fixture.p.apiKey('owner'));
    const response = await fetch(`${fixture.p.url}/email/inbound`, {
      method: 'POST',
      headers: {
        'content-type': 'message/rfc822',
        ...(authorizationHeader === undefined ? {} : { authorization: authorizationHeader }),
      },
      body: 'x',
    });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([401, 'unauthenticated']);
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
  });

  const rawReply = (asked: EmailedQuestion) => writeRawReply(asked, 'Blue').toString();
  const formWith = (name: string, value: string | Blob) => {
    const data = new FormData();
    data.append(name, value);
    return data;
  };

  it.each<[string, (mail: string) => { body: string | FormData | URLSearchParams; type?: string }, string?]>([
    [
      'as text, with the secret as a password',
      (mail) => ({ body: mail, type: 'text/plain' }),
      basic(`any:${INBOUND_EMAIL_SECRET}`),
    ],
    ['as bytes', (mail) => ({ body: mail, type: 'application/octet-stream' })],
    ['by Postmark', (mail) => ({ body: JSON.stringify({ Subject: 'x', RawEmail: mail }), type: 'application/json' })],
    ['by Mailgun', (mail) => ({ body: new URLSearchParams({ recipient: 'x', 'body-mime': mail }) })],
    ['by SendGrid', (mail) => ({ body: formWith('email', mail) })],
    ['as a file in a form', (mail) => ({ body: formWith('email', new Blob([mail])) })],
  ])('accepts an email %s', async (_how, wrap, authorization = `Bearer ${INBOUND_EMAIL_SECRET}`) => {
    const asked = await fixture.askByEmail();
    const { body, type } = wrap(rawReply(asked));
    const headers = { authorization, ...(type ? { 'content-type': type } : {}) };
    const response = await fetch(`${fixture.p.url}/email/inbound`, { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toEqual([200, { outcome: 'answered' }]);
  });

  const LATIN1 = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=iso-8859-1'];
  const UTF8 = ['MIME-Version: 1.0', PLAIN, 'Content-Transfer-Encoding: 8bit'];
  const percentEncoded = (mail: Buffer) => [...mail].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const multipartForm = (mail: Buffer) =>
    Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="to"\r\n\r\nx\r\n'),
      Buffer.from('--b\r\nContent-Disposition: form-data; name="email"\r\n\r\n'),
      mail,
      Buffer.from('\r\n--b--\r\n'),
    ]);

  it.each<[string, string, (mail: Buffer) => string | Buffer]>([
    ['a form with parts', 'multipart/form-data; boundary=b', multipartForm],
    ['a form', 'application/x-www-form-urlencoded', (mail) => `to=x&body-mime=${percentEncoded(mail)}`],
    ['JSON, byte by byte', 'application/json', (mail) => JSON.stringify({ RawEmail: mail.toString('latin1') })],
  ])('decodes every character of an email in %s', async (_how, type, wrap) => {
    for (const [charset, headers] of [['latin1', LATIN1] as const, ['utf8', UTF8] as const]) {
      const asked = await fixture.askByEmail();
      const raw = writeRawReply(asked, Buffer.from('Blue\r\n\r\nwie in München', charset), {
        headers: [...headers],
      });
      expect((await fixture.postInbound(wrap(raw), { 'content-type': type })).body).toEqual({ outcome: 'answered' });
      expect((await getQuestion(asked.conversationId)).outcome?.comment).toBe('wie in München');
    }
  });

  it('decodes JSON in which characters stand for bytes', async () => {
    const asked = await fixture.askByEmail();
    const raw = writeRawReply(asked, 'Blue\r\n\r\nwie in München', { headers: UTF8 }).toString();
    await fixture.postInbound(JSON.stringify({ RawEmail: raw }), { 'content-type': 'application/json' });
    expect((await getQuestion(asked.conversationId)).outcome?.comment).toBe('wie in München');
  });

  it('asks for another reply if characters were lost', async () => {
    const asked = await fixture.askByEmail();
    const raw = writeRawReply(asked, 'Blue\r\n\r\nwie in M\ufffdnchen', { headers: UTF8 }).toString();
    const { body } = await fixture.postInbound(JSON.stringify({ RawEmail: raw }), {
      'content-type': 'application/json',
    });
    expect(body).toEqual({ outcome: 'asked_back', reason: 'unclear' });
  });

  it.each<[string, string, string, number]>([
    ['no body', '', 'message/rfc822', 400],
    ['invalid JSON', '{', 'application/json', 400],
    ['JSON without an email', '{"TextBody": "Blue"}', 'application/json', 400],
    ['null', 'null', 'application/json', 400],
    ['a form without an email', 'text=Blue', 'application/x-www-form-urlencoded', 400],
    ['a truncated form', '--b\r\nx', 'multipart/form-data; boundary=b', 400],
    ['an image', 'x', 'image/png', 415],
    ['more than 2 MB', 'x'.repeat(2 * 1024 * 1024 + 1), 'message/rfc822', 413],
  ])('rejects %s', async (_what, body, type, status) => {
    const response = await fixture.postInbound(body, { 'content-type': type });
    expect(response.status).toBe(status);
  });

  it('accepts an email of nearly 2 MB, and reads only its text', async () => {
    const asked = await fixture.askByEmail();
    const attached = mimePart(
      'application/zip',
      `${'A'.repeat(76)}\r\n`.repeat(25_000),
      'Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment\r\n',
    );
    const raw = writeRawReply(asked, '', multipart('multipart/mixed', mimePart('text/plain', 'Blue'), attached));
    expect(raw.length).toBeGreaterThan(1_900_000);
    expect((await fixture.postInbound(raw)).body).toEqual({ outcome: 'answered' });
  });

  it('answers other requests while it parses an email that takes long', async () => {
    const asked = await fixture.askByEmail();
    let isParsed = false;
    let answered = 0;
    const parsing = fixture
      .postInbound(writeRawReply(asked, 'Blue', { headers: [`Cc: ${'g: a@b, '.repeat(60_000)};`] }))
      .finally(() => {
        isParsed = true;
      });
    for (; !isParsed; answered += 1) await fixture.p.call('GET', '/healthz');
    expect((await parsing).status).toBe(200);
    expect(answered).toBeGreaterThan(100);
  });

  it.each(['PARLEY_EMAIL_REPLY_TO', 'PARLEY_EMAIL_SECRET'])('does not exist without %s', async (name) => {
    const isReplyTo = name === 'PARLEY_EMAIL_REPLY_TO';
    const bare = await startParley({
      startsWorker: false,
      env: {
        PARLEY_SMTP_URL: fixture.server.url,
        PARLEY_EMAIL_FROM: 'parley@example.com',
        ...(isReplyTo ? { PARLEY_EMAIL_SECRET: INBOUND_EMAIL_SECRET } : {}),
      },
    });
    const { status } = await bare.call(
      'POST',
      '/email/inbound',
      {},
      { authorization: `Bearer ${INBOUND_EMAIL_SECRET}` },
    );
    await bare.stop();
    expect(status).toBe(404);
  });

  it('accepts only email deliveries', async () => {
    const { status, headers } = await fixture.p.call('GET', '/email/inbound', undefined, {
      authorization: `Bearer ${INBOUND_EMAIL_SECRET}`,
    });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('the log', () => {
  it('contains no token, secret or password, and nothing that people wrote', async () => {
    const asked = await fixture.askByEmail();
    await fixture.postInbound(writeRawReply(asked, 'Bleu du ciel'));
    await fixture.postInbound(writeRawReply(asked, 'Blue\n\nmy own comment'));
    await fixture.postInbound(writeRawReply(asked, 'Blue', { from: 'evil@example.com' }));
    const line = await logs.waitForLine(({ reason }) => reason === 'other_sender');
    expect(line).toMatchObject({ outcome: 'ignored' });
    await logs.waitForLine(
      ({ conversationId, outcome }) => conversationId === asked.conversationId && outcome === 'answered',
    );
    const tokens = fixture.server.emails.map(findEmailToken).filter((token) => token !== '');
    expect(tokens.length).toBeGreaterThan(20);
    for (const secret of [...EMAIL_SECRETS, ...tokens, 'Bleu du ciel', 'my own comment', '/a/Wy'])
      expect(logs.text().toLowerCase()).not.toContain(secret.toLowerCase());
  });
});
