import type { Channel, Outgoing } from '#channels/channel';
import { emailChannel } from '#channels/email/email';
import type { EmailSettings } from '#contract/channel-settings';
import type { Question } from '#contract/question';
import { readLink } from '#signing/link';
import { readReply } from '#signing/reply';
import {
  BASE,
  colours,
  confirmation,
  field,
  ID,
  options,
  outgoing,
  people,
  question,
  SECRET,
  settingsFor,
} from '#test/support/channels/email/given';
import { LOGIN, type MailServer, mailServer, type Received } from '#test/support/mail';

let server: MailServer;
beforeAll(async () => {
  server = await mailServer();
});
beforeEach(() => {
  server.mails.length = 0;
  server.manners.login = server.manners.recipient = server.manners.message = undefined;
});
afterAll(() => server.down());

const channel = (more: Partial<EmailSettings> = {}): Required<Pick<Channel, 'test'>> & Channel =>
  emailChannel(settingsFor(server.url, more), { people, isOpen: false }, SECRET) as Required<Channel>;

async function sent(asked: Question, more: Partial<Outgoing> = {}, settings = {}): Promise<Received> {
  await channel(settings).send(outgoing(asked, more));
  return server.mails.at(-1) as Received;
}

const REF = { sent: `${ID}/question-1/0`, by: 'link' };
const tokenIn = (mail: Received) => /\[parley:([a-z2-7]+)\]/.exec(mail.text ?? '')?.[1] ?? '';
const linkIn = (mail: Received) => /\/a\/([\w.-]+)/.exec(mail.text ?? '')?.[1] ?? '';

describe('a question by mail', () => {
  it('says who asks, what, until when, and how to answer, as text and as HTML', async () => {
    const mail = await sent({ ...colours, context: 'It **dries** in a day.' });
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
    expect(mail.text?.split('\n').filter((line) => line.length > 76 && !line.startsWith(BASE))).toEqual([]);
  });

  it('has a link for that person, and one for each choice with it made', async () => {
    const mail = await sent(colours);
    expect(readLink(SECRET, linkIn(mail))).toEqual({
      conversation: ID,
      question: 'question-1',
      person: 'maria',
      until: Date.parse(colours.expiresAt ?? ''),
      granted: null,
    });
    expect(mail.html).toContain(`href="${BASE}/a/${linkIn(mail)}"`);
    expect(mail.html).toContain(`href="${BASE}/a/${linkIn(mail)}?q1=Dark%20green"`);
    expect(mail.text).toContain(`  3. Dark green\n${BASE}/a/${linkIn(mail)}?q1=Dark%20green\n`);
    expect(mail.text).toContain(`Answer:\n${BASE}/a/${linkIn(mail)}\n`);
  });

  it.each([
    ['many choices', field({ options: options(...'abcdefg') })],
    ['several to be chosen', field({ options: options('Red', 'Blue'), multiSelect: true })],
  ])('has one link in its text where there are %s', async (_what, asked) => {
    expect((await sent(question([asked]))).text?.match(/\/a\//g)).toHaveLength(1);
  });

  it('is known by the same token in its address, its id and its text', async () => {
    const mail = await sent(colours);
    const token = tokenIn(mail);
    expect(readReply(SECRET, token)).toMatchObject({ conversation: ID, number: 1 });
    expect(readReply(SECRET, token)?.isFor('maria')).toBe(true);
    expect([mail.replyTo?.value[0]?.address]).toEqual([`reply+${token}@in.example.com`]);
    expect(mail.messageId).toMatch(new RegExp(`^<${token}\\.[a-z2-7]{16}@example\\.com>$`));
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.headers.get('x-auto-response-suppress')).toBe('All');
  });

  it('leaves the token out of an address that it would make too long', async () => {
    const mail = await sent({ ...colours, conversationId: 'x'.repeat(128) });
    expect(mail.replyTo?.value[0]?.address).toBe('reply@in.example.com');
    expect(readReply(SECRET, tokenIn(mail))).toMatchObject({ conversation: 'x'.repeat(128) });
    expect(mail.messageId).toContain(`<${tokenIn(mail)}.`);
  });

  it('has the same id when it is sent again, and another id for another notice', async () => {
    const [first, again] = [await sent(colours), await sent(colours)];
    expect(again.messageId).toBe(first.messageId);
    expect((await sent(colours, { id: `${ID}/question-1/1` })).messageId).not.toBe(first.messageId);
  });

  it('speaks of replies only where they are taken', async () => {
    expect((await sent(colours)).text).toContain('Or reply to this mail with one of the options');
    const without = await sent(colours, {}, { replyTo: undefined });
    expect(without.text).not.toContain('reply');
    expect(without.replyTo).toBeUndefined();
    expect(tokenIn(without)).toBe('');
    const form = question([field(), field({ key: 'q2', question: 'And the door?' })]);
    expect((await sent(form)).text).not.toContain('Or reply');
  });

  it.each<[string, Partial<Outgoing>, boolean]>([
    ['the owner', { access: { owner: 'maria', visibleTo: [], assignees: [] } }, true],
    ['one it is assigned to', {}, true],
    [
      'one by an address of its own',
      { place: 'Jo@x.example', access: { owner: 'owner', visibleTo: [], assignees: ['jo@x.example'] } },
      true,
    ],
    [
      'somebody known, where everybody may',
      { access: { owner: 'owner', visibleTo: [], assignees: ['*'] } },
      true,
    ],
    [
      'a stranger, where everybody may',
      { place: 'jo@x.example', access: { owner: 'owner', visibleTo: [], assignees: ['*'] } },
      false,
    ],
    ['one who may only see it', { access: { owner: 'owner', visibleTo: ['maria'], assignees: [] } }, false],
    ['a place of a team', { place: 'ops@example.com' }, false],
  ])('lets %s answer, or not, by who they are and not by where it went', async (_who, more, may) => {
    const mail = await sent(colours, more);
    expect([linkIn(mail) !== '', tokenIn(mail) !== '']).toEqual([may, may]);
    expect(mail.messageId?.length ?? 0).toBeLessThan(may ? 100 : 40);
    if (!may) expect(mail.text).toContain(`for others to answer`);
    if (!may) expect(mail.text).toContain(`${BASE}/conversations/${ID}`);
  });

  it.each([['maria'], ['*']])(
    'has no link where those of %s were taken back, and says where to answer',
    async (name) => {
      await channel().send({ ...outgoing(colours), revoked: [name] });
      const text = String(server.mails[0]?.text);
      expect(text).not.toContain('/a/');
      expect(text).toContain('Answer in Parley');
      expect(text).not.toContain('for others to answer');
    },
  );

  it('lets anybody answer where there are no keys', async () => {
    const open = emailChannel(settingsFor(server.url), { people, isOpen: true }, SECRET);
    await open.send(
      outgoing(colours, {
        place: 'ops@example.com',
        access: { owner: null, visibleTo: [], assignees: [] },
      }),
    );
    const mail = server.mails.at(-1) as Received;
    expect([linkIn(mail) !== '', tokenIn(mail) !== '']).toEqual([true, true]);
  });

  it('shows exactly what a yes lets happen', async () => {
    const confirms = { tool: 'pay', arguments: { to: 'Ada\u202e\u200b', amount: 5 }, digest: '' };
    const mail = await sent({ ...confirmation, context: 'Parley’s own words', confirms });
    for (const text of [mail.text, String(mail.html).replaceAll('&quot;', '"')]) {
      expect(text).toContain('A yes runs pay once, with exactly these arguments:');
      expect(text).toContain('"to": "Ada\\u202e\\u200b"');
      expect(text).not.toContain('\u202e');
    }
    expect(mail.text).not.toContain('Parley’s own words');
    expect(mail.text?.replace(/\s+/g, ' ')).toContain('“Yes, proceed” and nothing else, or “No, cancel”');
    const shown = '```json\n{\n  "a": 1\n}\n```';
    const asked = { tool: null, arguments: { a: 1 }, digest: '' };
    const other = await sent({ ...confirmation, context: `Because.\n\n${shown}`, confirms: asked });
    expect(other.text?.match(/"a": 1/g)).toHaveLength(1);
    expect(other.text).toContain('Because.');
  });
});

describe('hostile text', () => {
  const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&\u202egnp.exe\u0007';

  it('is text in HTML, whatever part of a question it is in', async () => {
    const mail = await sent(
      question([field({ question: HOSTILE, options: [{ label: HOSTILE, description: HOSTILE }] })], {
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
    expect(
      [...html.matchAll(/<([a-z]\w*)/gi)].map(([, tag]) => tag).filter((tag) => !allowed.has(tag ?? '')),
    ).toEqual([]);
  });

  it('adds no header, in a subject, a title, an agent or a place', async () => {
    const evil = 'x\r\nBcc: evil@example.com\r\n\r\nbody';
    const mail = await sent(question([field({ question: evil })], { agent: evil, origin: [evil] }), {
      title: evil,
      what: evil,
    });
    expect(mail.headers.has('bcc')).toBe(false);
    expect(mail.raw.slice(0, mail.raw.indexOf('\r\n\r\n'))).not.toMatch(/^Bcc:/m);
    expect(mail.subject).toContain('x Bcc: evil@example.com');
  });

  it('makes no subject of more than 120 characters', async () => {
    const long = question([field({ question: '❓'.repeat(2_000) })], { agent: 'a'.repeat(64) });
    await channel().send(outgoing(long, { title: 't'.repeat(500) }));
    await channel().remind(outgoing(long, { title: 't'.repeat(500) }), REF);
    for (const mail of server.mails) expect([...(mail.subject ?? '')].length).toBeLessThanOrEqual(120);
  });
});

describe('what follows on a question', () => {
  it('is in its thread: a reminder, with the link again', async () => {
    const first = await channel().send(outgoing(colours));
    const reminding = outgoing(colours, { id: `${ID}/question-1/1`, what: 'reminder 1 of 2' });
    expect(await channel().remind(reminding, first)).toEqual(first);
    const [asked, reminder] = server.mails;
    expect(reminder?.inReplyTo).toBe(asked?.messageId);
    expect(reminder?.references).toBe(asked?.messageId);
    expect(reminder?.messageId).not.toBe(asked?.messageId);
    expect(reminder?.subject).toBe(`Re: ${asked?.subject}`);
    expect(reminder?.text).toContain('Reminder 1 of 2. The question is still open.');
    expect(linkIn(reminder as Received)).toBe(linkIn(asked as Received));
  });

  it('is found by what holds no token, since that is kept in histories', async () => {
    const ref = await channel().send(outgoing(colours));
    const kept = JSON.stringify(ref);
    expect(kept).not.toContain(tokenIn(server.mails[0] as Received));
    expect(kept).not.toContain(linkIn(server.mails[0] as Received));
    const told = { place: 'ops@example.com' };
    const other = await channel().send(outgoing(colours, told));
    await channel().settle({ ...outgoing(settled(), told), id: 'x/settled', ref: other });
    const [, asked, followUp] = server.mails;
    expect(followUp?.inReplyTo).toBe(asked?.messageId);
    expect(followUp?.replyTo).toBeUndefined();
  });

  it('is nothing where it is not known whether anything went out', async () => {
    await channel().settle({ ...outgoing(settled()), ref: {} });
    expect(server.mails).toHaveLength(0);
    const id = `${ID}/question-1/1`;
    const anew = await channel().remind(outgoing(colours, { id, what: 'reminder 1 of 2' }), {});
    expect(anew).toMatchObject({ sent: id });
  });

  const outcome = {
    answers: { q1: 'Blue' },
    comment: 'Dark, please',
    by: 'jonas',
    via: 'slack',
    at: '2026-11-18T08:00:00.000Z',
  };
  const settled = (more: Partial<Question> = {}) => ({
    ...colours,
    status: 'answered' as const,
    outcome,
    ...more,
  });

  it('says who settled it, where, when and how, and that there is no more to do', async () => {
    const ref = await channel().send(outgoing(colours));
    const id = `${ID}/question-1/0/settled`;
    await channel().settle({ ...outgoing(settled(), { id }), ref });
    const [asked, followUp] = server.mails;
    expect(followUp?.inReplyTo).toBe(asked?.messageId);
    const text = followUp?.text?.replace(/\s+/g, ' ');
    expect(text).toContain('Answered by jonas in Slack (Wed, 18 Nov 2026, 08:00 UTC).');
    expect(text).toContain('Which colour? Blue');
    expect(text).toContain('Comment Dark, please');
    expect(text).toContain('nothing more for you to do');
    expect(linkIn(followUp as Received)).toBe('');
  });

  it.each<[string, Partial<Question>, RegExp]>([
    [
      'declined',
      { status: 'declined', outcome: { by: 'jonas', comment: 'no', via: 'web', at: outcome.at } },
      /Declined by jonas in the web app.*Reason no/,
    ],
    [
      'timed out',
      { status: 'timed_out', outcome: { via: 'timer', at: outcome.at } },
      /Nobody answered in time \(/,
    ],
    [
      'defaulted',
      { status: 'timed_out', outcome: { ...outcome, by: undefined, via: 'timer', defaulted: true } },
      /the default was taken.*Blue/,
    ],
    ['called off', { status: 'cancelled', outcome: { at: outcome.at } }, /No longer needed/],
  ])('says so where it was %s', async (_how, more, words) => {
    await channel().settle({ ...outgoing(settled(more)), ref: REF });
    expect(server.mails[0]?.text?.replace(/\s+/g, ' ')).toMatch(words);
  });

  it('is not sent to the one who has just seen it on the page of their link', async () => {
    const byLink = (by: string) => settled({ outcome: { ...outcome, by, via: 'link' } });
    await channel().settle({ ...outgoing(byLink('maria')), ref: REF });
    expect(server.mails).toHaveLength(0);
    await channel().settle({ ...outgoing(byLink('jonas')), ref: REF });
    expect(server.mails).toHaveLength(1);
  });
});

describe('a mail server', () => {
  it.each<[string, object, boolean, RegExp]>([
    [
      'knows no such recipient',
      { recipient: 550 },
      true,
      /does not take mail for maria@example.com: 550 no such mailbox\. Check the address/,
    ],
    ['greylists', { recipient: 451 }, false, /does not take mail for/],
    [
      'refuses the password',
      { login: 535 },
      false,
      /refused to let parley in: 535 no entry for parley with …\. Check PARLEY_SMTP_URL/,
    ],
    ['cannot check the password now', { login: 454 }, false, /refused to let parley in/],
    ['is full', { message: 452 }, false, /did not take the mail: 452/],
    ['takes it for spam', { message: 554 }, true, /did not take the mail: 554 not now/],
    ['hangs up before it says that it has it', { message: 'cut' }, false, /could not be reached/],
  ])(
    'that %s is told of in words, and tried again if waiting may help',
    async (_what, manners, isFinal, words) => {
      Object.assign(server.manners, manners);
      const failure = await channel()
        .send(outgoing(colours))
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ isFinal, message: expect.stringMatching(words) });
      expect(String(failure)).not.toContain(LOGIN.password);
      expect(String(failure)).not.toContain(encodeURIComponent(LOGIN.password));
    },
  );

  it.each([
    ['has no such name', 'smtp://no-such-host.invalid', /no-such-host\.invalid cannot be found by that name/],
    ['is not there', 'smtp://127.0.0.1:1', /127\.0\.0\.1:1 refuses connections/],
  ])('that %s is tried again', async (_what, smtpUrl, words) => {
    const failure = await channel({ smtpUrl })
      .send(outgoing(colours))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ isFinal: false, message: expect.stringMatching(words) });
  });

  it('that speaks no TLS is told of in words', async () => {
    const smtpUrl = server.url.replace('smtp:', 'smtps:');
    await expect(channel({ smtpUrl }).test('maria@example.com')).rejects.toThrow(/could not agree on TLS/);
  });

  it('gets a trial mail, and what came of it is said', async () => {
    const said = await channel().test('maria@example.com');
    expect(said).toMatch(/^A trial mail to maria@example\.com was taken by 127\.0\.0\.1:\d+\.$/);
    expect(server.mails[0]?.subject).toBe('A trial mail from Parley');
    expect(server.mails[0]?.text).toContain('reply@in.example.com');
  });
});
