import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createReplyToken, verifyReplyToken } from '#channels/email/reply-token';
import { ConversationId } from '#contract/conversation';

const askedAt = '2026-11-17T09:30:00.000Z';
const SECRET = 'a secret for tests';
const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-'];

const legalId = fc.oneof(
  fc
    .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 128 })
    .map((letters) => letters.join(''))
    .filter((id) => ConversationId.safeParse(id).success),
  fc.uuid().map((id) => `c-${id}`),
  fc.uint8Array({ minLength: 1, maxLength: 63 }).map((bytes) => `c-${Buffer.from(bytes).toString('hex')}`),
);

describe('a token to reply with', () => {
  it('says which question it is of and whom it is for, whatever the conversation is called', () => {
    fc.assert(
      fc.property(legalId, fc.integer({ min: 1, max: 65_535 }), fc.string(), (conversation, number, person) => {
        const read = verifyReplyToken(SECRET, createReplyToken(SECRET, { conversation, number, person, askedAt }));
        expect(read).toMatchObject({ conversation, number });
        expect(read?.isFor(person)).toBe(true);
        expect(read?.isFor(`${person}.`)).toBe(false);
        expect(read?.wasAskedAt(askedAt)).toBe(true);
        expect(read?.wasAskedAt('2026-12-17T09:30:00.000Z')).toBe(false);
      }),
    );
  });

  it('survives a server that changes the case of letters', () => {
    fc.assert(
      fc.property(legalId, (conversation) => {
        const token = createReplyToken(SECRET, { conversation, number: 1, person: 'maria', askedAt });
        expect(token).toBe(token.toLowerCase());
        expect(verifyReplyToken(SECRET, token.toUpperCase())?.conversation).toBe(conversation);
      }),
    );
  });

  it.each([
    ['made with no key', `c-${randomBytes(12).toString('hex')}`],
    ['made with an Idempotency-Key', `c-${randomBytes(16).toString('hex')}`],
    ['with a UUID', `c-${randomUUID()}`],
  ])('fits into an address for an id %s', (_what, conversation) => {
    const token = createReplyToken(SECRET, {
      conversation,
      number: 10_000,
      person: 'maria@example.com',
      askedAt,
    });
    expect(`reply+${token}`.length).toBeLessThanOrEqual(64);
  });

  it('is worth nothing with any letter changed, cut off or added', () => {
    const token = createReplyToken(SECRET, {
      conversation: 'c-0123456789abcdef01234567',
      number: 3,
      person: 'maria',
      askedAt,
    });
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'a' ? 'b' : 'a';
      expect(verifyReplyToken(SECRET, token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
      expect(verifyReplyToken(SECRET, token.slice(0, at))).toBeUndefined();
    }
    expect(verifyReplyToken(SECRET, `${token}a`)).toBeUndefined();
    expect(verifyReplyToken('another secret', token)).toBeUndefined();
  });

  it('is not confused by any text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(verifyReplyToken(SECRET, text)).toBeUndefined()));
  });
});
