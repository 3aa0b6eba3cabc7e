/** `format=flowed` (RFC 3676): a line that ends in a space goes on in the next one. */
export interface TextFlow {
  /** The space at a line's end was added. */
  deletesSpace: boolean;
}

/** More than a person writes. Longer text is not scanned, and is too long for any answer. */
export const MAX_SCANNED_LENGTH = 200_000;

/** Returns what the sender wrote, without quotes and signatures, wherever the mail program put them. */
export function extractReplyText(text: string, flow?: TextFlow): string {
  if (text.length > MAX_SCANNED_LENGTH) return text.slice(0, MAX_SCANNED_LENGTH);
  const plain = removePgpArmor(
    text
      .replace(/\r\n?/g, '\n')
      .replace(/[\u00a0\u202f]/g, ' ')
      .replace(/[\u200b\u200e\u200f\ufeff]/g, ''),
  );
  const lines = flow ? joinFlowedLines(plain.split('\n'), flow) : plain.split('\n');
  const own = removeTrailer(removeQuotes(cutAtOriginal(lines), flow ? /^>/ : QUOTED_LINE));
  return (flow ? own.map((line) => line.replace(/^ /, '')) : own).join('\n').trim();
}

/** Joins the person's own lines. Quoted lines stay as they are: what is not marked as quoted never joins them. */
function joinFlowedLines(lines: string[], { deletesSpace }: TextFlow): string[] {
  const paragraphs: string[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const isOwn = !line.startsWith('>') && line.trim() !== '' && !SIGNATURE_MARK.test(line);
    const isContinued = isOwn && line.endsWith(' ');
    const kept = isContinued && deletesSpace ? line.slice(0, -1) : line;
    if (isOpen && isOwn) paragraphs.at(-1)?.push(kept.replace(/^ /, ''));
    else paragraphs.push([kept]);
    isOpen = isContinued;
  }
  return paragraphs.map((parts) => parts.join(''));
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

const HORIZONTAL_RULE = /^\s*[-_*=]{3,}\s*$/;
const SENT_FROM =
  /^\s*[*_(]*(sent (from|via|with|using)|get |composed (on|with)|envoyé (de|depuis|à partir|avec)|obtenir |gesendet (von|mit)|(diese nachricht wurde )?von mein|holen sie sich |enviado (desde|do|con|com)|obtén |obten?er |inviato (da|con)|ottieni |verzonden (vanaf|met|via)|verstuurd (vanaf|met)|download |skickat från|sendt fra|lähetetty|wysłan[eoy] (z|za)|odesláno z|отправлено (с|из)|gönderildi|được gửi từ|đã gửi từ|gửi từ|tải |dikirim dari|dapatkan |发自|從我|从我|来自|傳送自|나의|iphone|galaxy|android)/iu;
const SENT_TO_THE_END = /(gönderildi|gesendet|から送信|发送|發送|傳送|에서 (보냄|보냈습니다)|작성)[.。]?$/iu;
/** Names of devices and mail programs. Without one, the line is a sentence. */
const DEVICE =
  /iphone|ipad|ipod|android|galaxy|samsung|huawei|honor|xiaomi|redmi|oppo|vivo|pixel|oneplus|nokia|xperia|motorola|blackberry|windows|outlook|mail\b|mail\.ru|e-mail-app|gmx|web\.de|aol|k-9|spark|superhuman|shortwave|hey\.com|thunderbird|yandex|яндекс|почт|tablet|smartphone|(my|mobile|cell) ?phone|mobile device|handy|mobiltelefon|móvil|celular|telefon|téléphone|телефон|手机|邮箱|스마트폰/iu;
/** What follows a device: a link, the platform, or an excuse. */
const AFTER_DEVICE = /[,;!?]\s+(?!please|excuse|sorry|pardon|bitte|entschuld)\p{Ll}/u;

/** Removes rules and "sent from" lines at the end; the same within the text stays. */
function removeTrailer(lines: string[]): string[] {
  let end = lines.length;
  while (end > 0 && isTrailerLine(lines[end - 1] ?? '')) end -= 1;
  return lines.slice(0, end);
}

function isTrailerLine(line: string): boolean {
  if (line.trim() === '') return true;
  return line.length <= 200 && (HORIZONTAL_RULE.test(line) || isSentFromLine(line.trim()));
}

function isSentFromLine(line: string): boolean {
  const isSentence = AFTER_DEVICE.test(line) || line.length > 120;
  return !isSentence && DEVICE.test(line) && (SENT_FROM.test(line) || SENT_TO_THE_END.test(line));
}

const ORIGINAL_MESSAGE =
  /^\s*[-_]{2,}\s*(original( (message|appointment))?|forwarded message|reply message|urspr(ü|ue)ngliche (nachricht|mail)|weitergeleitete nachricht|message d['’]origine|message (transféré|original)|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|oprindelig (besked|meddelelse)|opprinnelig melding|ursprungligt meddelande|alkuperäinen viesti|(wiadomość oryginalna|oryginalna wiadomość)|původní (zpráva|e-mail)|özgün ileti|orijinal (mesaj|ileti)|исходное (сообщение|письмо)|пересланное сообщение|thư gốc|tin nhắn gốc|pesan asli|元のメッセージ|原始邮件|原始郵件|원본 (메시지|메일)|.{1,80} (wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|napisał|пишет|написал))\s*:?\s*[-_]{2,}\s*$|^\s*message du \d/iu;
const FROM_HEADER =
  /^[\s>*]*(from|von|de|da|van|fra|från|lähettäjä|od|kimden|gönderen|feladó|de la|από|от(правитель)?|кто|від|từ|dari|差出人|发件人|寄件者|보낸 ?사람)\*?\s?[:：]/iu;
/** Other header names above a quoted email, in the same languages: date, recipients and subject. */
const HEADER_LINE =
  /^[\s>*]*(sent|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|envoyé|à|a|objet|enviado|enviada|fecha|data|para|asunto|assunto|enviado el|enviada em|inviato|oggetto|verzonden|aan|onderwerp|skickat|till|ämne|sendt|dato|til|emne|lähetetty|päivämäärä|päiväys|vastaanottaja|kopio|aihe|wysłano|wysłane|do|dw|temat|odesláno|odoslané|komu|kopie|předmět|predmet|gönderildi|gönderme tarihi|gönderilme tarihi|tarih|kime|bilgi|konu|elküldve|címzett|tárgy|trimis|către|subiect|στάλθηκε|αποστολή|προς|θέμα|отправлено|дата|кому|копия|тема|надіслано|đã gửi|ngày|tới|đến|chủ đề|dikirim|tanggal|kepada|ke|subjek|perihal|送信日時|日時|日付|宛先|件名|发送时间|日期|时间|收件人|抄送|主题|寄件日期|收件者|副本|主旨|보낸 ?날짜|날짜|받는 ?사람|참조|제목)\*?\s?[:：]/iu;

/** Part of every email from Parley that takes a reply. */
export const PARLEY_MARK = /\[parley:|\/a\/[\w-]{20}/i;

/**
 * Cuts at the original email, which Outlook and others put below without quote marks. Only if it is Parley's: the person
 * may have written the same about another email.
 */
function cutAtOriginal(lines: string[]): string[] {
  const start = lines.findIndex((_line, index) => isOriginalAt(lines, index));
  const hasOnlyHeaders = !ORIGINAL_MESSAGE.test(lines[start] ?? '');
  return start < 0 || start > findLastMark(lines, hasOnlyHeaders) ? lines : lines.slice(0, start);
}

function findLastMark(lines: string[], isUnquoted = true): number {
  return lines.map((line) => PARLEY_MARK.test(line) && !(isUnquoted && QUOTED_LINE.test(line))).lastIndexOf(true);
}

function isOriginalAt(lines: string[], index: number): boolean {
  return ORIGINAL_MESSAGE.test(lines[index] ?? '') || isHeaderBlockAt(lines, index);
}

function isHeaderBlockAt(lines: string[], start: number): boolean {
  const block = lines.slice(start, start + 7);
  const isHeader = (line: string) => FROM_HEADER.test(line) || HEADER_LINE.test(line);
  const from = block.slice(0, 3).findIndex((line) => FROM_HEADER.test(line) || !isHeader(line));
  if (!FROM_HEADER.test(block[from] ?? '')) return false;
  // "From" may also start an ordinary sentence, as about a journey, so more header lines are required.
  return block.filter(isHeader).length >= (block.some((line) => ADDRESS.test(line)) ? 3 : 4);
}

const QUOTED_LINE = /^\s*>/;
const INTRO_START = /^(-{2,}\s*)?(on|le|el|il|em|am|at|op|den|dnia|w dniu|dne|pe|på|vào|pada|a|在|em)\s/iu;
/** Where an introduction may start within a line, below which mail programs omit the line break. */
const INTRO_WITHIN_LINE = /^(.*\S)\s+((?:On|Le|El|Il|Em|Am|Op|Den|Dnia|W dniu|Vào|Pada)\s.*)$/u;
const WROTE =
  /(wrote|writes|geschrieben|geschreven|a écrit|escribió|ha scritto|escreveu|schrieb|schreef|skrev|pisze|napisał(\(a\))?|napsal(\(a\))?|kirjoitti|yazdı|пишет|написала?|a scris|написав|έγραψε|írta|đã viết|menulis|作成|写道|寫道|のメール|書きました|작성|썼습니다|쓴 글)/iu;
const ADDRESS = /[^\s<>()[\]"]{1,200}@[^\s<>()[\]"]{1,200}/;
const TIME = /(?<![\d.])\d{1,2}[:.時时시]\s?\d{2}(?![\d.])/;
const DATE = /(^|\D)20\d\d(\D|$)|\d{1,2}[./-]\d{1,2}[./-]\d{2}/;

/** Removes quoted lines with the introductions above them, and signatures, which end where a quote starts. */
function removeQuotes(lines: string[], quoted: RegExp): string[] {
  const unquoted: string[] = [];
  const lastMark = findLastMark(lines);
  let isInSignature = false;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const intro = findIntro(lines, index, quoted);
    const isEnd = intro && !isQuotedBelow(lines, index + intro.length, quoted);
    if (!intro || (isEnd && lastMark < index)) {
      if (quoted.test(line)) isInSignature = false;
      else if (SIGNATURE_MARK.test(line)) isInSignature = true;
      else if (!isInSignature)
        unquoted.push(...(isWrappedQuoteAt(lines, index, quoted) ? lines.slice(index - 1, index) : []), line);
      continue;
    }
    if (!isInSignature) unquoted.push(intro.before);
    isInSignature = false;
    // Without quote marks, everything below is the original email.
    if (isEnd) break;
    index += intro.length - 1;
  }
  return unquoted;
}

const LONG_QUOTED_LINE = /^\s*>\s*\S+ .{55,}[^\s.?!:;\]]\s*$/;

/** Returns whether the line may be the rest of the quoted one above. If so, that one is kept, so that it is asked again. */
function isWrappedQuoteAt(lines: string[], index: number, quoted: RegExp): boolean {
  const [above = '', line = '', below = ''] = lines.slice(Math.max(0, index - 1), index + 2);
  return index > 0 && line.trim() !== '' && LONG_QUOTED_LINE.test(above) && quoted.test(below);
}

/** Returns whether a quote is next. `ifLast` is the result at the end of the text, where the quote may be left out. */
function isQuotedBelow(lines: string[], start: number, quoted: RegExp, ifLast = true): boolean {
  let index = start;
  while (index < lines.length && lines[index]?.trim() === '') index += 1;
  return index === lines.length ? ifLast : quoted.test(lines[index] ?? '');
}

const MAX_INTRO_LINES = 4;

/** Finds the introduction that starts on this line: how many lines it takes, and the reply that precedes it there. */
function findIntro(lines: string[], start: number, quoted: RegExp): { length: number; before: string } | undefined {
  const block = lines.slice(start, start + MAX_INTRO_LINES);
  const end = block.findIndex((line) => line.trim() === '' || line.length > 400 || quoted.test(line));
  const candidates = end < 0 ? block : block.slice(0, end);
  const isIntro = (parts: string[], length: number) =>
    isQuoteIntro(parts, (ifLast) => isQuotedBelow(lines, start + length, quoted, ifLast));
  for (let length = 1; length <= candidates.length; length += 1) {
    const parts = candidates.slice(0, length);
    if (!isIntro(parts, length)) continue;
    const [first = '', ...more] = parts;
    const [, before, rest = ''] = INTRO_WITHIN_LINE.exec(first) ?? [];
    if (before !== undefined && isIntro([rest, ...more], length)) return { length, before };
    // The lines above a shorter introduction are the person's own, unless the date is there.
    const isOwnLine =
      !/<$/.test(first.trim()) &&
      !INTRO_START.test(first) &&
      more.some((_, skipped) => isIntro(more.slice(skipped), length));
    return isOwnLine ? undefined : { length, before: '' };
  }
  return undefined;
}

/** Returns whether the lines are `On …, … wrote:`. In front of an unmarked quote, only with a date and an address. */
function isQuoteIntro(lines: string[], isQuoted: (ifLast: boolean) => boolean): boolean {
  const text = lines.join(' ').replace(/<\s+/g, '<').trim();
  if (!/([:：]|-{2})$/.test(text)) return false;
  const [hasWrote = false, hasTime = false, hasDate = false, hasAddress = false] = [WROTE, TIME, DATE, ADDRESS].map(
    (pattern) => pattern.test(text),
  );
  if (hasDate && hasAddress && (hasWrote || hasTime)) return true;
  const isLikely =
    (hasDate && hasTime) ||
    (hasAddress && (hasWrote || hasTime || hasDate)) ||
    (hasWrote && (lines.length === 1 || INTRO_START.test(text)));
  return isLikely && isQuoted(hasDate);
}

/** Returns whether the text still contains what looks like the introduction or the headers of a quote. */
export function hasQuoteRemains(text: string): boolean {
  const lines = text.slice(0, MAX_SCANNED_LENGTH).split('\n');
  return lines.some((line, index) => {
    const joined = `${line} ${lines[index + 1] ?? ''}`.slice(0, 1_000);
    const [hasWrote, hasTime, hasDate] = [WROTE, TIME, DATE].map((pattern) => pattern.test(joined));
    const isHeader = FROM_HEADER.test(line) && HEADER_LINE.test(lines[index + 1] ?? '');
    return (
      isOriginalAt(lines, index) ||
      LONG_QUOTED_LINE.test(line) ||
      findIntro(lines, index, QUOTED_LINE) !== undefined ||
      (ADDRESS.test(joined) && (isHeader || (hasDate && hasTime))) ||
      (hasDate && hasWrote && (hasTime || INTRO_START.test(line)))
    );
  });
}
