/** More than a person writes. Longer text is not scanned, and is too long for any answer. */
const MAX_SCANNED_LENGTH = 200_000;

/** Returns what the sender wrote, without quotes and signature, wherever the mail program put them. */
export function extractReplyText(text: string): string {
  if (text.length > MAX_SCANNED_LENGTH) return text.slice(0, MAX_SCANNED_LENGTH);
  const plain = removePgpArmor(
    text
      .replace(/\r\n?/g, '\n')
      .replace(/\u00a0/g, ' ')
      .replace(/[\u200b\ufeff]/g, ''),
  );
  const unquoted = removeQuotes(cutAtOriginal(plain.split('\n')));
  return removeTrailer(removeSignature(unquoted)).join('\n').trim();
}

const PGP_HEADER = '-----BEGIN PGP SIGNED MESSAGE-----\n';
const PGP_SIGNATURE = '\n-----BEGIN PGP SIGNATURE-----';

/** Removes PGP armor: the signed text is inside it, after a header. */
function removePgpArmor(text: string): string {
  const start = text.indexOf(PGP_HEADER);
  const end = text.indexOf(PGP_SIGNATURE, start);
  const headerEnd = text.indexOf('\n\n', start);
  if (start < 0 || headerEnd < 0 || end < headerEnd) return text;
  return text.slice(headerEnd + 2, end).replace(/^- /gm, '');
}

const SIGNATURE_MARK = /^-- ?$/;

function removeSignature(lines: string[]): string[] {
  const start = lines.findIndex((line) => SIGNATURE_MARK.test(line));
  return start < 0 ? lines : lines.slice(0, start);
}

const HORIZONTAL_RULE = /^\s*[-_*=]{3,}\s*$/;
const SENT_FROM =
  /^\s*(sent (from|via)|get outlook for|envoyé (de|depuis|à partir)|gesendet (von|mit)|von meinem .{1,40} gesendet|enviado (desde|do)|inviato da|verzonden (vanaf|met)|verstuurd vanaf|skickat från|sendt fra|lähetetty|wysłane z|odesláno z|отправлено с|iphone'umdan gönderildi|iphoneから送信|从我的.{1,20}发送|나의 .{1,20}에서 보냄)(?=[\s,.]|$).{0,80}$/iu;

/** Removes rules and "sent from" lines at the end; the same within the text stays. */
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
/** Header names above a quoted email, by language: date, recipients and subject. */
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

/** Cuts at the original email, which Outlook and others put below without quote marks. */
function cutAtOriginal(lines: string[]): string[] {
  const start = lines.findIndex((line, index) => ORIGINAL_MESSAGE.test(line) || isHeaderBlockAt(lines, index));
  return start < 0 ? lines : lines.slice(0, start);
}

function isHeaderBlockAt(lines: string[], start: number): boolean {
  const [from = '', ...followingLines] = lines.slice(start, start + 7);
  if (!FROM_HEADER.test(from)) return false;
  // "From" may also start an ordinary sentence, as about a journey, so more header lines are required.
  return followingLines.filter((line) => HEADER_LINE.test(line)).length >= (from.includes('@') ? 2 : 3);
}

const QUOTED_LINE = /^\s*>/;
const QUOTE_INTRO_START = /^\s*(on|le|el|il|em|am|op|den|dnia|w dniu|pe|på)\s/iu;
const WROTE =
  /(wrote|a écrit|escribió|ha scritto|escreveu|schrieb|schreef|skrev|pisze|napisał(\(a\))?|napsal(\(a\))?|kirjoitti|yazdı|пишет|написала?|a scris|написав|έγραψε|írta|作成|写道|寫道|のメール|작성|썼습니다)/iu;
const SENDER = /[<(][^<>()\s]{1,200}@[^<>()\s]{1,200}[>)]/;
const TIME = /\d{1,2}[:.]\d{2}/;
const YEAR = /(^|\D)20\d\d(\D|$)/;

/** Removes quoted lines, and the introduction above them, which may wrap over three lines. */
function removeQuotes(lines: string[]): string[] {
  const unquoted: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const introLength = quoteIntroLength(lines, index);
    if (introLength === 0) {
      if (!QUOTED_LINE.test(lines[index] ?? '')) unquoted.push(lines[index] ?? '');
      continue;
    }
    // Without quote marks, everything below is the original email.
    if (!isQuotedBelow(lines, index + introLength)) break;
    index += introLength - 1;
  }
  return unquoted;
}

function isQuotedBelow(lines: string[], start: number): boolean {
  let index = start;
  while (index < lines.length && lines[index]?.trim() === '') index += 1;
  return index === lines.length || QUOTED_LINE.test(lines[index] ?? '');
}

/** Returns how many lines the introduction of a quote takes; 0 if none starts here. */
function quoteIntroLength(lines: string[], start: number): number {
  const isIntro = (from: number, to: number) => isQuoteIntro(lines.slice(from, to));
  const end = [start + 1, start + 2, start + 3].find((to) => isIntro(start, to));
  if (end === undefined) return 0;
  return [start + 1, start + 2].some((from) => from < end && isIntro(from, end)) ? 0 : end - start;
}

/** Returns whether the lines are `On …, … wrote:`; in any language if they contain a time and an address. */
function isQuoteIntro(lines: string[]): boolean {
  if (lines.some((line) => line.trim() === '' || line.length > 400)) return false;
  const text = lines.join(' ').trim();
  if (!/[:：]$/.test(text) || !/\d/.test(text)) return false;
  const [hasWrote, hasTime] = [WROTE.test(text), TIME.test(text)];
  return (
    (hasWrote && QUOTE_INTRO_START.test(text)) || (hasTime && (SENDER.test(text) || (hasWrote && YEAR.test(text))))
  );
}
