/** Nobody writes as much by hand. It is not looked through, and is too long for any answer. */
const MAX_SCANNED_LENGTH = 200_000;

/** What they wrote themselves: nothing quoted, no signature, wherever the program put them. */
export function extractReplyText(text: string): string {
  if (text.length > MAX_SCANNED_LENGTH) return text.slice(0, MAX_SCANNED_LENGTH);
  const plain = removePgpArmor(
    text
      .replace(/\r\n?/g, '\n')
      .replace(/\u00a0/g, ' ')
      .replace(/[\u200b\ufeff]/g, ''),
  );
  const above = removeQuotes(cutAtOriginal(plain.split('\n')));
  return removeTrailer(removeSignature(above)).join('\n').trim();
}

const PGP_HEADER = '-----BEGIN PGP SIGNED MESSAGE-----\n';
const PGP_SIGNATURE = '\n-----BEGIN PGP SIGNATURE-----';

/** A signed text is within what signs it, below a head of its own. */
function removePgpArmor(text: string): string {
  const begin = text.indexOf(PGP_HEADER);
  const end = text.indexOf(PGP_SIGNATURE, begin);
  const head = text.indexOf('\n\n', begin);
  if (begin < 0 || head < 0 || end < head) return text;
  return text.slice(head + 2, end).replace(/^- /gm, '');
}

const SIGNATURE_MARK = /^-- ?$/;

function removeSignature(lines: string[]): string[] {
  const at = lines.findIndex((line) => SIGNATURE_MARK.test(line));
  return at < 0 ? lines : lines.slice(0, at);
}

const HORIZONTAL_RULE = /^\s*[-_*=]{3,}\s*$/;
const SENT_FROM =
  /^\s*(sent (from|via)|get outlook for|envoyé (de|depuis|à partir)|gesendet (von|mit)|von meinem .{1,40} gesendet|enviado (desde|do)|inviato da|verzonden (vanaf|met)|verstuurd vanaf|skickat från|sendt fra|lähetetty|wysłane z|odesláno z|отправлено с|iphone'umdan gönderildi|iphoneから送信|从我的.{1,20}发送|나의 .{1,20}에서 보냄)(?=[\s,.]|$).{0,80}$/iu;

/** What programs put between one's own words and the rest; the same among the words stays. */
function removeTrailer(lines: string[]): string[] {
  let end = lines.length;
  while (end > 0 && isTrailerLine(lines[end - 1] ?? '')) end -= 1;
  return lines.slice(0, end);
}

function isTrailerLine(line: string): boolean {
  return line.trim() === '' || (line.length <= 200 && (HORIZONTAL_RULE.test(line) || SENT_FROM.test(line)));
}

const ORIGINAL_MESSAGE =
  /^\s*[-_]{2,}\s*(original (message|appointment)|forwarded message|urspr(ü|ue)ngliche nachricht|weitergeleitete nachricht|message d['’]origine|message (transféré|original)|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|oprindelig (besked|meddelelse)|opprinnelig melding|ursprungligt meddelande|alkuperäinen viesti|(wiadomość oryginalna|oryginalna wiadomość)|původní (zpráva|e-mail)|özgün ileti|orijinal mesaj|исходное сообщение|元のメッセージ|原始邮件|原始郵件|원본 메시지)\s*[-_]{2,}\s*$/iu;
const FROM_HEADER =
  /^[\s>*]*(from|von|de|da|van|fra|från|lähettäjä|od|kimden|gönderen|feladó|de la|από|от(правитель)?|від|差出人|发件人|寄件者|보낸 ?사람)\*?\s?[:：]/iu;
/** What programs write below, by language: when it was sent, to whom, and about what. */
const HEADER_NAMES = [
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
const HEADER_LINE = new RegExp(`^[\\s>*]*(${HEADER_NAMES.join('|')})\\*?\\s?[:：]`, 'iu');

/** Outlook and others put the whole mail below, with nothing in front of its lines. */
function cutAtOriginal(lines: string[]): string[] {
  const at = lines.findIndex((line, index) => ORIGINAL_MESSAGE.test(line) || isHeaderBlockAt(lines, index));
  return at < 0 ? lines : lines.slice(0, at);
}

function isHeaderBlockAt(lines: string[], at: number): boolean {
  const [from = '', ...next] = lines.slice(at, at + 7);
  if (!FROM_HEADER.test(from)) return false;
  // People write of journeys, too, from one place to another.
  return next.filter((line) => HEADER_LINE.test(line)).length >= (from.includes('@') ? 2 : 3);
}

const QUOTED_LINE = /^\s*>/;
const QUOTE_INTRO_START = /^\s*(on|le|el|il|em|am|op|den|dnia|w dniu|pe|på)\s/iu;
const WROTE =
  /(wrote|a écrit|escribió|ha scritto|escreveu|schrieb|schreef|skrev|pisze|napisał(\(a\))?|napsal(\(a\))?|kirjoitti|yazdı|пишет|написала?|a scris|написав|έγραψε|írta|作成|写道|寫道|のメール|작성|썼습니다)/iu;
const SENDER = /[<(][^<>()\s]{1,200}@[^<>()\s]{1,200}[>)]/;
const TIME = /\d{1,2}[:.]\d{2}/;
const YEAR = /(^|\D)20\d\d(\D|$)/;

/** Quoted lines, and the line above them that says whose they are, which may be broken in three. */
function removeQuotes(lines: string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const length = quoteIntroLength(lines, at);
    if (length === 0) {
      if (!QUOTED_LINE.test(lines[at] ?? '')) kept.push(lines[at] ?? '');
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
  return at === lines.length || QUOTED_LINE.test(lines[at] ?? '');
}

/** How many lines it takes; what stands above it is no part of it. */
function quoteIntroLength(lines: string[], at: number): number {
  const isOne = (from: number, to: number) => isQuoteIntro(lines.slice(from, to));
  const end = [at + 1, at + 2, at + 3].find((to) => isOne(at, to));
  if (end === undefined) return 0;
  return [at + 1, at + 2].some((from) => from < end && isOne(from, end)) ? 0 : end - at;
}

/** `On …, … wrote:`; in any language where it has a time and an address in it. */
function isQuoteIntro(lines: string[]): boolean {
  if (lines.some((line) => line.trim() === '' || line.length > 400)) return false;
  const text = lines.join(' ').trim();
  if (!/[:：]$/.test(text) || !/\d/.test(text)) return false;
  const [wrote, isTimed] = [WROTE.test(text), TIME.test(text)];
  return (wrote && QUOTE_INTRO_START.test(text)) || (isTimed && (SENDER.test(text) || (wrote && YEAR.test(text))));
}
