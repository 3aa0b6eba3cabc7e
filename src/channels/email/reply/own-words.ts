import EmailReplyParser from 'email-reply-parser';

/** Its patterns are much work on long texts, and nobody writes an answer of this length by hand. */
const PARSED_LENGTH = 3_000;
const PARSED_LINE = 1_000;

/** What they wrote themselves: nothing quoted, no signature, wherever the program put them. */
export function ownWords(text: string): string {
  const plain = unarmoured(
    text
      .replace(/\r\n?/g, '\n')
      .replace(/\u00a0/g, ' ')
      .replace(/[\u200b\ufeff]/g, ''),
  );
  const above = beforeOriginal(plain.split('\n'));
  const own = withoutSignature(withoutQuotes(above)).join('\n').trim();
  const isParsed = own.length <= PARSED_LENGTH && own.split('\n').every((line) => line.length <= PARSED_LINE);
  return (isParsed ? new EmailReplyParser().parseReply(own) : own).trim();
}

const SIGNED = '-----BEGIN PGP SIGNED MESSAGE-----\n';
const SIGNATURE_OF_IT = '\n-----BEGIN PGP SIGNATURE-----';

/** A signed text is within what signs it, below a head of its own. */
function unarmoured(text: string): string {
  const begin = text.indexOf(SIGNED);
  const end = text.indexOf(SIGNATURE_OF_IT, begin);
  const head = text.indexOf('\n\n', begin);
  if (begin < 0 || head < 0 || end < head) return text;
  return text.slice(head + 2, end).replace(/^- /gm, '');
}

const ORIGINAL =
  /^\s*[-_]{2,}\s*(original (message|appointment)|forwarded message|urspr(ü|ue)ngliche nachricht|weitergeleitete nachricht|message d['’]origine|message original|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|oprindelig (besked|meddelelse)|ursprungligt meddelande|alkuperäinen viesti|wiadomość oryginalna|исходное сообщение|元のメッセージ|原始邮件)\s*[-_]{2,}\s*$/iu;
const FROM = /^[\s>*]*(from|von|de|da|van|fra|från|lähettäjä|od|от|差出人|发件人|보낸 사람)\*?\s?[:：]/iu;
const BLOCK =
  /^[\s>*]*(sent|date|to|cc|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|para|asunto|assunto|inviato|oggetto|verzonden|aan|onderwerp|skickat|sendt|til|emne|till|ämne|送信日時|宛先|件名|发送时间|收件人|主题)\*?\s?[:：]/iu;

/** Outlook and others put the whole mail below, with nothing in front of its lines. */
function beforeOriginal(lines: string[]): string[] {
  const at = lines.findIndex((line, index) => ORIGINAL.test(line) || isBlockAt(lines, index));
  if (at < 0) return lines;
  const isRuled = /^\s*_{5,}\s*$/.test(lines[at - 1] ?? '');
  return lines.slice(0, isRuled ? at - 1 : at);
}

function isBlockAt(lines: string[], at: number): boolean {
  if (!FROM.test(lines[at] ?? '')) return false;
  const next = lines.slice(at + 1, at + 6);
  return next.filter((line) => BLOCK.test(line)).length >= 2;
}

const QUOTED = /^\s*>/;
const INTRODUCTION =
  /^(?=.*\d)\s*(on|le|el|il|em|am|op|den|dnia|w dniu|pe)\s.{4,300}\s(wrote|a écrit|escribió|ha scritto|escreveu|schrieb|schreef|skrev|pisze|napisał(\(a\))?|kirjoitti)\b.{0,200}[:：]\s*$/isu;

/** Quoted lines, and the line above them that says whose they are, which may be broken in three. */
function withoutQuotes(lines: string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const length = introductionAt(lines, at);
    if (length === 0) {
      if (!QUOTED.test(lines[at] ?? '')) kept.push(lines[at] ?? '');
      continue;
    }
    const below = lines.slice(at + length).find((line) => line.trim() !== '');
    // With no marks in front, all that follows is what they replied to.
    if (below !== undefined && !QUOTED.test(below)) break;
    at += length - 1;
  }
  return kept;
}

function introductionAt(lines: string[], at: number): number {
  const length = [1, 2, 3].find((count) => {
    const joined = lines.slice(at, at + count).join(' ');
    return joined.length < 600 && INTRODUCTION.test(joined);
  });
  return length ?? 0;
}

const SIGNATURE = /^-- ?$/;
const SENT_FROM =
  /^\s*(sent (from|via)|get outlook for|envoyé (de|depuis|à partir)|gesendet (von|mit)|von meinem .* gesendet|enviado (desde|do)|inviato da|verzonden (vanaf|met)|verstuurd vanaf|skickat från|sendt fra|wysłane z)\b.{0,80}$/iu;

function withoutSignature(lines: string[]): string[] {
  const at = lines.findIndex((line) => SIGNATURE.test(line));
  return (at < 0 ? lines : lines.slice(0, at)).filter((line) => !SENT_FROM.test(line));
}
