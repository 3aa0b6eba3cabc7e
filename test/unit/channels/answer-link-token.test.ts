import { createHmac } from 'node:crypto';
import {
  type AnswerLinkClaims,
  buildAnswerLinkUrl,
  createAnswerLinkToken,
  verifyAnswerLinkToken,
} from '#channels/answer-link-token';

const SECRET = 'a secret for the tests of links';
const link: AnswerLinkClaims = {
  conversation: 'offsite',
  question: 'question-1',
  person: 'maria@example.com',
  until: Date.parse('2026-11-18T09:30:05.000Z'),
  granted: null,
};
const token = createAnswerLinkToken(SECRET, link);
const [body = '', signature = ''] = token.split('.');

/** Signed as Parley does, whatever it says. */
const signed = (text: string, prefix = 'link\n') => {
  const encoded = Buffer.from(text).toString('base64url');
  return `${encoded}.${createHmac('sha256', SECRET).update(`${prefix}${encoded}`).digest('base64url')}`;
};
const flipped = (text: string, at: number) => {
  const other = text[at] === 'A' ? 'B' : 'A';
  return text.slice(0, at) + other + text.slice(at + 1);
};
/** The last character of a signature holds bits that mean nothing: another may stand for the same bytes. */
const sameBytes = () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(signature.at(-1) ?? '');
  return `${body}.${signature.slice(0, -1)}${alphabet[last ^ 1]}`;
};

describe('a link', () => {
  it.each([
    link,
    { ...link, granted: { by: 'ann' } },
    { ...link, until: null },
    { ...link, person: 'Zoë "the\n<b>" Ωmega 🦉'.repeat(5) },
  ])('says who may answer what, and until when: %j', (one) => {
    expect(verifyAnswerLinkToken(SECRET, createAnswerLinkToken(SECRET, one))).toEqual(one);
  });

  it('stands in an address as it is', () => {
    const url = buildAnswerLinkUrl('https://parley.example.com', token);
    expect(new URL(url).href).toBe(url);
    expect(url).toMatch(/^https:\/\/parley\.example\.com\/a\/[\w-]+\.[\w-]{43}$/);
  });

  it.each([
    ['for another conversation', () => swapped({ conversation: 'budget' })],
    ['for another question', () => swapped({ question: 'question-2' })],
    ['for another person', () => swapped({ person: 'bob' })],
    ['for longer', () => swapped({ until: null })],
    ['granted by nobody', () => swapped({ granted: { by: 'ann' } })],
    ['of another secret', () => createAnswerLinkToken(`${SECRET}.`, link)],
    ['with a changed body', () => `${flipped(body, 10)}.${signature}`],
    ['with a changed signature', () => `${body}.${flipped(signature, 10)}`],
    ['whose signature is spelt otherwise', sameBytes],
    ['with no signature', () => body],
    ['with an empty signature', () => `${body}.`],
    ['with nothing but a signature', () => `.${signature}`],
    ['with its halves swapped', () => `${signature}.${body}`],
    ['cut off', () => token.slice(0, -5)],
    ['cut off in the middle', () => token.slice(0, body.length - 5)],
    ['with something after it', () => `${token}.`],
    ['with a bracket after it, as mails have', () => `${token})`],
    ['in capitals', () => token.toUpperCase()],
    ['that is empty', () => ''],
    ['that is a dot', () => '.'],
    ['that is no base64', () => '💥.💥'],
    ['that is huge', () => `${'A'.repeat(100_000)}.${signature}`],
    ['that is the cookie of a session', () => signed(`${'0'.repeat(32)}.99999999999999`, 'session\n')],
    ['signed for something else', () => signed(JSON.stringify(['offsite', 'question-1', 'm', null, 1]), '')],
    ['signed, and not JSON', () => signed('{')],
    ['signed, and no list', () => signed('null')],
    ['signed, and a list of something else', () => signed('[1,2,3,4,5]')],
    ['signed, with a deadline that is none', () => signed('["offsite","question-1","m","soon",1]')],
  ])('is not one %s', (_what, forged) => {
    expect(verifyAnswerLinkToken(SECRET, forged())).toBeUndefined();
  });

  const swapped = (more: Partial<AnswerLinkClaims>) =>
    `${createAnswerLinkToken(SECRET, { ...link, ...more }).split('.')[0]}.${signature}`;
});
