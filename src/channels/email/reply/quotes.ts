const ORIGINAL =
  /^\s*[-_]{2,}\s*(original (message|appointment)|forwarded message|urspr(ü|ue)ngliche nachricht|weitergeleitete nachricht|message d['’]origine|message (transféré|original)|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|oprindelig (besked|meddelelse)|opprinnelig melding|ursprungligt meddelande|alkuperäinen viesti|(wiadomość oryginalna|oryginalna wiadomość)|původní (zpráva|e-mail)|özgün ileti|orijinal mesaj|исходное сообщение|元のメッセージ|原始邮件|原始郵件|원본 메시지)\s*[-_]{2,}\s*$/iu;
const FROM =
  /^[\s>*]*(from|von|de|da|van|fra|från|lähettäjä|od|kimden|gönderen|feladó|de la|από|от(правитель)?|від|差出人|发件人|寄件者|보낸 ?사람)\*?\s?[:：]/iu;
/** What programs write below, by language: when it was sent, to whom, and about what. */
const HEADINGS = [
  'sent|date|to|cc|subject',
  'gesendet|datum|an|betreff',
  'envoyé|à|objet',
  'enviado|enviada|fecha|data|para|asunto|assunto|enviado el|enviada em',
  'inviato|a|oggetto',
  'verzonden|aan|onderwerp',
  'skickat|till|ämne|sendt|dato|til|emne',
  'lähetetty|päivämäärä|päiväys|vastaanottaja|kopio|aihe',
  'wysłano|wysłane|do|dw|temat',
  'odesláno|odoslané|komu|kopie|předmět|predmet',
  'gönderildi|gönderme tarihi|gönderilme tarihi|tarih|kime|bilgi|konu',
  'elküldve|címzett|tárgy|trimis|către|subiect|στάλθηκε|αποστολή|προς|θέμα',
  'отправлено|дата|кому|копия|тема|надіслано',
  '送信日時|日時|日付|宛先|件名',
  '发送时间|日期|收件人|抄送|主题|寄件日期|收件者|副本|主旨',
  '보낸 ?날짜|날짜|받는 ?사람|참조|제목',
];
const HEADING = new RegExp(`^[\\s>*]*(${HEADINGS.join('|')})\\*?\\s?[:：]`, 'iu');

/** Outlook and others put the whole mail below, with nothing in front of its lines. */
export function beforeOriginal(lines: string[]): string[] {
  const at = lines.findIndex((line, index) => ORIGINAL.test(line) || isHeadAt(lines, index));
  return at < 0 ? lines : lines.slice(0, at);
}

function isHeadAt(lines: string[], at: number): boolean {
  const [from = '', ...next] = lines.slice(at, at + 7);
  if (!FROM.test(from)) return false;
  // People write of journeys, too, from one place to another.
  return next.filter((line) => HEADING.test(line)).length >= (from.includes('@') ? 2 : 3);
}

const QUOTED = /^\s*>/;
const OPENS = /^\s*(on|le|el|il|em|am|op|den|dnia|w dniu|pe|på)\s/iu;
const WROTE =
  /(wrote|a écrit|escribió|ha scritto|escreveu|schrieb|schreef|skrev|pisze|napisał(\(a\))?|napsal(\(a\))?|kirjoitti|yazdı|пишет|написала?|a scris|написав|έγραψε|írta|作成|写道|寫道|のメール|작성|썼습니다)/iu;
const SENDER = /[<(][^<>()\s]{1,200}@[^<>()\s]{1,200}[>)]/;
const TIME = /\d{1,2}[:.]\d{2}/;
const YEAR = /(^|\D)20\d\d(\D|$)/;

/** Quoted lines, and the line above them that says whose they are, which may be broken in three. */
export function withoutQuotes(lines: string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const length = introductionAt(lines, at);
    if (length === 0) {
      if (!QUOTED.test(lines[at] ?? '')) kept.push(lines[at] ?? '');
      continue;
    }
    // With no marks in front, all that follows is what they replied to.
    if (!isQuotedBelow(lines, at + length)) break;
    at += length - 1;
  }
  return kept;
}

function isQuotedBelow(lines: string[], from: number): boolean {
  let at = from;
  while (at < lines.length && lines[at]?.trim() === '') at += 1;
  return at === lines.length || QUOTED.test(lines[at] ?? '');
}

/** How many lines it takes; what stands above it is no part of it. */
function introductionAt(lines: string[], at: number): number {
  const isOne = (from: number, to: number) => isIntroduction(lines.slice(from, to));
  const end = [at + 1, at + 2, at + 3].find((to) => isOne(at, to));
  if (end === undefined) return 0;
  return [at + 1, at + 2].some((from) => from < end && isOne(from, end)) ? 0 : end - at;
}

/** `On …, … wrote:`; in any language where it has a time and an address in it. */
function isIntroduction(lines: string[]): boolean {
  if (lines.some((line) => line.trim() === '' || line.length > 400)) return false;
  const text = lines.join(' ').trim();
  if (!/[:：]$/.test(text) || !/\d/.test(text)) return false;
  const [wrote, isTimed] = [WROTE.test(text), TIME.test(text)];
  return (wrote && OPENS.test(text)) || (isTimed && (SENDER.test(text) || (wrote && YEAR.test(text))));
}
