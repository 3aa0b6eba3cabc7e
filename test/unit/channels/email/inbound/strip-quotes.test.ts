import { extractReplyText, hasQuoteRemains } from '#channels/email/inbound/strip-quotes';
import { expectLinearTime } from '#test/support/expect-linear-time';

const QUOTE = '> painter asks\n> Which colour?\n>   1. Red\n>   2. Blue\n> --------------------';

const FLOW = { deletesSpace: false };

describe('the text of a reply', () => {
  it.each([
    ['alone', 'Blue'],
    ['above the quote', `Blue\n\nOn Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n\n${QUOTE}`],
    [
      'above a broken quote line',
      `Blue\n\nOn Tue, 17 Nov 2026 at 09:30, Parley\n<parley@example.com>\nwrote:\n${QUOTE}`,
    ],
    ['below the quote', `On Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n${QUOTE}\n\nBlue\n`],
    ['between quotes', `On 17/11/26 09:30, Parley wrote:\n> Which colour?\n\nBlue\n\n>   1. Red\n>   2. Blue`],
    [
      'above an original message',
      'Blue\n\n-----Original Message-----\nFrom: Parley\nSent: Tuesday\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook',
      'Blue\n\n________________________________\nFrom: Parley <parley@example.com>\nSent: Tuesday, November 17, 2026 9:30 AM\nTo: Maria <maria@example.com>\nSubject: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in German',
      'Blue\n\nVon: Parley\nGesendet: Dienstag, 17. November 2026 09:30\nAn: Maria\nBetreff: Which colour?\n\n1. Red\n[parley:0a]',
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
      'above an unmarked quote',
      'Blue\n\nOn Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n\nWhich colour?\n1. Red\n2. Blue\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Polish',
      'Blue\n\nOd: Parley <parley@example.com>\nWysłano: 17.11.2026 9:30\nDo: Maria <maria@example.com>\nTemat: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Russian',
      'Blue\n\nОт: Parley <parley@example.com>\nОтправлено: 17.11.2026 9:30\nКому: Maria <maria@example.com>\nТема: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Korean',
      'Blue\n\n보낸 사람: Parley <parley@example.com>\n보낸 날짜: 17.11.2026 9:30\n받는 사람: Maria <maria@example.com>\n제목: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Finnish',
      'Blue\n\nLähettäjä: Parley <parley@example.com>\nLähetetty: 17.11.2026 9:30\nVastaanottaja: Maria <maria@example.com>\nAihe: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Czech',
      'Blue\n\nOd: Parley <parley@example.com>\nOdesláno: 17.11.2026 9:30\nKomu: Maria <maria@example.com>\nPředmět: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Turkish',
      'Blue\n\nKimden: Parley <parley@example.com>\nGönderildi: 17.11.2026 9:30\nKime: Maria <maria@example.com>\nKonu: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Japanese',
      'Blue\n\n差出人: Parley <parley@example.com>\n送信日時: 17.11.2026 9:30\n宛先: Maria <maria@example.com>\n件名: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Chinese',
      'Blue\n\n发件人: Parley <parley@example.com>\n发送时间: 17.11.2026 9:30\n收件人: Maria <maria@example.com>\n主题: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above a block of Outlook in Portuguese',
      'Blue\n\nDe: Parley <parley@example.com>\nEnviada em: 17.11.2026 9:30\nPara: Maria <maria@example.com>\nAssunto: Which colour?\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above an unmarked quote in Polish',
      'Blue\n\nwt., 17 lis 2026 o 09:30 Parley <parley@example.com> napisał(a):\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above an unmarked quote in Russian',
      'Blue\n\nвт, 17 нояб. 2026 г. в 09:30, Parley <parley@example.com>:\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above an unmarked quote in Korean',
      'Blue\n\n2026년 11월 17일 (화) 오전 9:30, Parley <parley@example.com>님이 작성:\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above an unmarked quote in Finnish',
      'Blue\n\nti 17.11.2026 klo 9.30 Parley (parley@example.com) kirjoitti:\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above an unmarked quote in Czech',
      'Blue\n\nút 17. 11. 2026 v 9:30 odesílatel Parley <parley@example.com> napsal:\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above an unmarked quote in Turkish',
      'Blue\n\nParley <parley@example.com>, 17 Kas 2026 Sal, 09:30 tarihinde şunu yazdı:\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above an unmarked quote in Japanese',
      'Blue\n\n2026年11月17日(火) 9:30 Parley <parley@example.com>:\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    [
      'above an unmarked quote in Chinese',
      'Blue\n\nParley <parley@example.com> 于2026年11月17日周二 09:30写道：\n\nWhich colour?\n1. Red\n[parley:0a]',
    ],
    ['above a quote of another program in Russian', `Blue\n\n17.11.2026 9:30, Parley пишет:\n${QUOTE}`],
    ['above a rule and a quote', `Blue\n\n---\n${QUOTE}`],
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
    ['with hidden marks around it', '\u200bBlue\u00a0\u200b\r\n'],
  ])('is found %s', (_where, text) => {
    expect(extractReplyText(text)).toBe('Blue');
  });

  it.each([
    ['a quote', `On Tue, 17 Nov 2026 at 09:30, Parley <parley@example.com> wrote:\n${QUOTE}`],
    ['a signature', '-- \nMaria Example'],
    ["a phone's signature", 'Sent from my iPhone'],
    ['white space', ' \n\n '],
  ])('is empty if there is only %s', (_what, text) => {
    expect(extractReplyText(text)).toBe('');
  });

  it('keeps lines that only look like a quote', () => {
    const text = 'From: the shop we got green.\nOn Monday she wrote this:\nthe rest is sent from there.';
    expect(extractReplyText(text)).toBe(text);
  });

  it.each([
    ['a rule', 'Blue\n\n---\n\nbut only the door'],
    ['a line about where something was sent from', 'Blue\n\nSent from my heart\n\nMaria'],
    ['a journey', 'Two of us:\nFrom: Berlin\nTo: Munich\nDate: Monday'],
    ['a sentence about who wrote when', 'Blue\nAt 10:30 Jonas wrote:\nnot green'],
    ['a time and a colon', 'Blue\nAt 10:30 we meet:\nall of us'],
  ])('is kept if there is %s within it', (_what, text) => {
    expect(extractReplyText(text)).toBe(text);
  });

  it.each([
    ['one line', `On ${'x '.repeat(200_000)}`],
    ['many lines', 'On a 1\n'.repeat(50_000)],
    ['only line ends', '\n'.repeat(400_000)],
    ['only spaces', ' '.repeat(400_000)],
    ['one line of a usual length', `On ${'x '.repeat(490)}`],
    ['lines that nearly name a writer', `On 1${' wrote: '.repeat(40)}x\n`.repeat(600)],
    ['the maximum number of line ends', '\n'.repeat(199_000)],
    ['the maximum number of spaces', ' '.repeat(199_000)],
    ['dashes', `${'-'.repeat(100_000)} x`],
    ['quote marks', `${'>*'.repeat(99_000)}x`],
    ['many lines that end like an introduction', '1:\n'.repeat(60_000)],
    ['many lines that name a writer', 'From: a@b\nTo: x\n'.repeat(11_000)],
    ['many quotes', 'On 1, a wrote:\n>\n'.repeat(12_000)],
    ['many in another language', 'Op 1 schreef\n'.repeat(230)],
    ['many words that may start an introduction', `${'x On 1 '.repeat(55)}\n`.repeat(500)],
    ['many lines that end in a space', 'a \n'.repeat(66_000)],
    ['many introductions of another email', 'On 17.11.2026, a@b.example wrote:\n'.repeat(6_000)],
    ['dates before what is nearly an address', `17.11.2026 9:30 ${'a'.repeat(199_000)}`],
    ['many headers and half addresses', `From: ${'a'.repeat(150)}\nTo: ${'@'.repeat(150)}\n`.repeat(600)],
  ])('is found quickly in a hostile text of %s', async (_what, text) => {
    const harmless = 'words of a mail\n'.repeat(Math.ceil(text.length / 16));
    await expectLinearTime(
      () => hasQuoteRemains(extractReplyText(text, FLOW) + text),
      () => hasQuoteRemains(extractReplyText(harmless, FLOW) + harmless),
    );
  });
});
