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

describe('a reply token', () => {
  it('names the question and the person, for any conversation id', () => {
    fc.assert(
      fc.property(
        legalId,
        fc.integer({ min: 1, max: 65_535 }),
        fc.string(),
        (conversationId, questionNumber, person) => {
          const claims = verifyReplyToken(
            SECRET,
            createReplyToken(SECRET, { conversationId, questionNumber, person, askedAt }),
          );
          expect(claims).toMatchObject({ conversationId, questionNumber });
          expect(claims?.isFor(person)).toBe(true);
          expect(claims?.isFor(`${person}.`)).toBe(false);
          expect(claims?.wasAskedAt(askedAt)).toBe(true);
          expect(claims?.wasAskedAt('2026-12-17T09:30:00.000Z')).toBe(false);
        },
      ),
    );
  });

  it('survives a server that changes upper and lower case', () => {
    fc.assert(
      fc.property(legalId, (conversationId) => {
        const token = createReplyToken(SECRET, { conversationId, questionNumber: 1, person: 'maria', askedAt });
        expect(token).toBe(token.toLowerCase());
        expect(verifyReplyToken(SECRET, token.toUpperCase())?.conversationId).toBe(conversationId);
      }),
    );
  });

  it.each([
    ['without a key', `c-${randomBytes(12).toString('hex')}`],
    ['with an Idempotency-Key', `c-${randomBytes(16).toString('hex')}`],
    ['with a UUID', `c-${randomUUID()}`],
  ])('fits into an address for an id %s', (_what, conversationId) => {
    const token = createReplyToken(SECRET, {
      conversationId,
      questionNumber: 10_000,
      person: 'maria@example.com',
      askedAt,
    });
    expect(`reply+${token}`.length).toBeLessThanOrEqual(64);
  });

  it('is invalid with any character changed, removed or added', () => {
    const token = createReplyToken(SECRET, {
      conversationId: 'c-0123456789abcdef01234567',
      questionNumber: 3,
      person: 'maria',
      askedAt,
    });
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'a' ? 'b' : 'a';
      expect(verifyReplyToken(SECRET, token.slice(0, index) + other + token.slice(index + 1))).toBeUndefined();
      expect(verifyReplyToken(SECRET, token.slice(0, index))).toBeUndefined();
    }
    expect(verifyReplyToken(SECRET, `${token}a`)).toBeUndefined();
    expect(verifyReplyToken('another secret', token)).toBeUndefined();
  });

  it('is not confused by any text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(verifyReplyToken(SECRET, text)).toBeUndefined()));
  });
});
