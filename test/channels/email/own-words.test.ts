import { ownWords } from '../../../src/channels/email/reply/own-words';

const QUOTE = '> painter asks\n> Which colour?\n>   1. Red\n>   2. Blue\n> --------------------';

describe('the words of a reply', () => {
  it.each([
    ['alone', 'Blue'],
    [
      'above what is quoted',
      `Blue\n\nOn Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n\n${QUOTE}`,
    ],
    [
      'with the line above broken',
      `Blue\n\nOn Tue, 17 Nov 2026 at 09:30, Parley\n<parley@example.com>\nwrote:\n${QUOTE}`,
    ],
    [
      'below what is quoted',
      `On Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n${QUOTE}\n\nBlue\n`,
    ],
    [
      'between what is quoted',
      `On 17/11/26 09:30, Parley wrote:\n> Which colour?\n\nBlue\n\n>   1. Red\n>   2. Blue`,
    ],
    [
      'above an original message',
      'Blue\n\n-----Original Message-----\nFrom: Parley\nSent: Tuesday\n\nWhich colour?\n1. Red',
    ],
    [
      'above a block of Outlook',
      'Blue\n\n________________________________\nFrom: Parley <parley@example.com>\nSent: Tuesday, November 17, 2026 9:30 AM\nTo: Maria <maria@example.com>\nSubject: Which colour?\n\nWhich colour?\n1. Red',
    ],
    [
      'above a block of Outlook in German',
      'Blue\n\nVon: Parley\nGesendet: Dienstag, 17. November 2026 09:30\nAn: Maria\nBetreff: Which colour?\n\n1. Red',
    ],
    [
      'above a quote in German',
      `Blue\n\nAm Di., 17. Nov. 2026 um 09:30 Uhr schrieb Parley <parley@example.com>:\n\n${QUOTE}`,
    ],
    [
      'above a quote in French',
      `Blue\n\nLe mar. 17 nov. 2026 à 09:30, Parley <parley@example.com> a écrit :\n\n${QUOTE}`,
    ],
    [
      'above what is quoted with no marks',
      'Blue\n\nOn Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n\nWhich colour?\n1. Red\n2. Blue',
    ],
    ['above a signature', 'Blue\n\n-- \nMaria Example\nHead of Paint'],
    ['from a phone', 'Blue\n\nSent from my iPhone'],
    [
      'from a phone, with a quote',
      `Blue\n\nSent from my iPhone\n\n> On 17 Nov 2026, at 09:30, Parley <parley@example.com> wrote:\n> \n${QUOTE}`,
    ],
    ['from Outlook on a phone', 'Blue\n\nGet Outlook for Android<https://aka.ms/ghei36>'],
    [
      'signed inline',
      '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nBlue\n-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----',
    ],
    ['with hidden marks around', '\u200bBlue\u00a0\u200b\r\n'],
  ])('are found %s', (_where, text) => {
    expect(ownWords(text)).toBe('Blue');
  });

  it.each([
    ['a quote', `On Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n${QUOTE}`],
    ['a signature', '-- \nMaria Example'],
    ['the mark of a phone', 'Sent from my iPhone'],
    ['white space', ' \n\n '],
  ])('are none where there is only %s', (_what, text) => {
    expect(ownWords(text)).toBe('');
  });

  it('are kept where they only look like a quote', () => {
    const text = 'From: the shop we got green.\nOn Monday she wrote this:\nthe rest is sent from there.';
    expect(ownWords(text)).toBe(text);
  });

  it.each([
    ['one line', `On ${'x '.repeat(200_000)}`],
    ['many lines', 'On a 1\n'.repeat(50_000)],
    ['nothing but line ends', '\n'.repeat(400_000)],
    ['nothing but spaces', ' '.repeat(400_000)],
    ['one line that the library takes', `On ${'x '.repeat(490)}`],
    ['many of another language', 'Op 1 schreef\n'.repeat(230)],
  ])('are found soon in a hostile text of %s', (_what, text) => {
    const began = performance.now();
    ownWords(text);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
