import { beforeOriginal, withoutQuotes } from './quotes';

/** Nobody writes as much by hand. It is not looked through, and is too long for any answer. */
const LOOKED_THROUGH = 200_000;

/** What they wrote themselves: nothing quoted, no signature, wherever the program put them. */
export function ownWords(text: string): string {
  if (text.length > LOOKED_THROUGH) return text.slice(0, LOOKED_THROUGH);
  const plain = unarmoured(
    text
      .replace(/\r\n?/g, '\n')
      .replace(/\u00a0/g, ' ')
      .replace(/[\u200b\ufeff]/g, ''),
  );
  const above = withoutQuotes(beforeOriginal(plain.split('\n')));
  return withoutEnding(withoutSignature(above)).join('\n').trim();
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

const SIGNATURE = /^-- ?$/;

function withoutSignature(lines: string[]): string[] {
  const at = lines.findIndex((line) => SIGNATURE.test(line));
  return at < 0 ? lines : lines.slice(0, at);
}

const RULE = /^\s*[-_*=]{3,}\s*$/;
const SENT_FROM =
  /^\s*(sent (from|via)|get outlook for|envoyé (de|depuis|à partir)|gesendet (von|mit)|von meinem .{1,40} gesendet|enviado (desde|do)|inviato da|verzonden (vanaf|met)|verstuurd vanaf|skickat från|sendt fra|lähetetty|wysłane z|odesláno z|отправлено с|iphone'umdan gönderildi|iphoneから送信|从我的.{1,20}发送|나의 .{1,20}에서 보냄)(?=[\s,.]|$).{0,80}$/iu;

/** What programs put between one's own words and the rest; the same among the words stays. */
function withoutEnding(lines: string[]): string[] {
  let end = lines.length;
  while (end > 0 && isEnding(lines[end - 1] ?? '')) end -= 1;
  return lines.slice(0, end);
}

function isEnding(line: string): boolean {
  return line.trim() === '' || (line.length <= 200 && (RULE.test(line) || SENT_FROM.test(line)));
}
