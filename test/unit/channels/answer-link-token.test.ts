import { createHmac } from 'node:crypto';
import {
  type AnswerLinkClaims,
  buildAnswerLinkUrl,
  createAnswerLinkToken,
  verifyAnswerLinkToken,
} from '#channels/answer-link-token';

const SECRET = 'a secret for the tests of links';
const claims: AnswerLinkClaims = {
  conversationId: 'offsite',
  questionId: 'question-1',
  person: 'maria@example.com',
  expiresAt: Date.parse('2026-11-18T09:30:05.000Z'),
  grant: null,
};
const token = createAnswerLinkToken(SECRET, claims);
const [body = '', signature = ''] = token.split('.');

/** Signs any text as Parley does. */
const sign = (text: string, prefix = 'link\n') => {
  const encoded = Buffer.from(text).toString('base64url');
  return `${encoded}.${createHmac('sha256', SECRET).update(`${prefix}${encoded}`).digest('base64url')}`;
};
const flipped = (text: string, index: number) => {
  const other = text[index] === 'A' ? 'B' : 'A';
  return text.slice(0, index) + other + text.slice(index + 1);
};
/** The last character of a signature has unused bits, so another one can encode the same bytes. */
const respellSignature = () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(signature.at(-1) ?? '');
  return `${body}.${signature.slice(0, -1)}${alphabet[last ^ 1]}`;
};

describe('an answer link token', () => {
  it.each([
    claims,
    { ...claims, grant: { by: 'ann' } },
    { ...claims, expiresAt: null },
    { ...claims, person: 'Zoë "the\n<b>" Ωmega 🦉'.repeat(5) },
  ])('says who may answer what, and until when: %j', (linkClaims) => {
    expect(verifyAnswerLinkToken(SECRET, createAnswerLinkToken(SECRET, linkClaims))).toEqual(linkClaims);
  });

  it('is safe in a URL', () => {
    const url = buildAnswerLinkUrl('https://parley.example.com', token);
    expect(new URL(url).href).toBe(url);
    expect(url).toMatch(/^https:\/\/parley\.example\.com\/a\/[\w-]+\.[\w-]{43}$/);
  });

  it.each([
    ['for another conversation', () => withOtherClaims({ conversationId: 'budget' })],
    ['for another question', () => withOtherClaims({ questionId: 'question-2' })],
    ['for another person', () => withOtherClaims({ person: 'bob' })],
    ['for longer', () => withOtherClaims({ expiresAt: null })],
    ['granted by no one', () => withOtherClaims({ grant: { by: 'ann' } })],
    ['with another secret', () => createAnswerLinkToken(`${SECRET}.`, claims)],
    ['with a changed body', () => `${flipped(body, 10)}.${signature}`],
    ['with a changed signature', () => `${body}.${flipped(signature, 10)}`],
    ['whose signature is encoded differently', respellSignature],
    ['with no signature', () => body],
    ['with an empty signature', () => `${body}.`],
    ['with only a signature', () => `.${signature}`],
    ['with its halves swapped', () => `${signature}.${body}`],
    ['cut off', () => token.slice(0, -5)],
    ['cut off in the middle', () => token.slice(0, body.length - 5)],
    ['with something after it', () => `${token}.`],
    ['followed by a bracket, as in emails', () => `${token})`],
    ['in upper case', () => token.toUpperCase()],
    ['that is empty', () => ''],
    ['that is a dot', () => '.'],
    ['that is not base64', () => '💥.💥'],
    ['that is huge', () => `${'A'.repeat(100_000)}.${signature}`],
    ['that is a session cookie', () => sign(`${'0'.repeat(32)}.99999999999999`, 'session\n')],
    ['signed for another purpose', () => sign(JSON.stringify(['offsite', 'question-1', 'm', null, 1]), '')],
  ])('is not valid %s', (_what, forged) => {
    expect(verifyAnswerLinkToken(SECRET, forged())).toBeUndefined();
  });

  const withOtherClaims = (changes: Partial<AnswerLinkClaims>) =>
    `${createAnswerLinkToken(SECRET, { ...claims, ...changes }).split('.')[0]}.${signature}`;
});
