import type { AddressObject, HeaderLines } from 'mailparser';
import { type Parsed, parseMail } from './parse-mail';

/** A mail that came in, as far as a reply is concerned. */
export interface Incoming {
  messageId: string | undefined;
  /** Every address that it says it is from. */
  from: string[];
  subject: string;
  /** The values of a header, unfolded, in order; none where it is not there. */
  header(name: string): string[];
  /** Media types of the whole and of what is attached. */
  types: string[];
  text: string;
}

/** Any charset and transfer encoding; text is made of HTML where that is all there is. */
export async function readMail(raw: Buffer): Promise<Incoming> {
  const mail = await parseMail(raw);
  const header = (name: string) => valuesOf(mail.lines, name);
  return {
    messageId: /<[^<>\s]{3,500}>/.exec(header('message-id')[0] ?? '')?.[0],
    from: header('from').length > 1 ? header('from') : sendersOf(mail),
    subject: String(mail.headers.get('subject') ?? ''),
    header,
    types: [typeOf(header('content-type')[0]), ...mail.attached],
    text: await textOf(mail),
  };
}

/** HTML that is beside something attached is not made text of by itself: alone it is. */
async function textOf({ text, html }: Parsed): Promise<string> {
  if (text.trim() !== '' || !html) return text;
  const alone = `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  return (await parseMail(Buffer.from(alone + Buffer.from(html).toString('base64')))).text;
}

function sendersOf({ headers }: Parsed): string[] {
  const from = headers.get('from') as AddressObject | undefined;
  const all = from?.value.flatMap(({ address, group }) => [
    address,
    ...(group ?? []).map((one) => one.address),
  ]);
  return (all ?? []).flatMap((address) => (address ? [address.toLowerCase()] : []));
}

/** More than a program writes into one: whatever is looked for in it stands before. */
const HEADER_LENGTH = 8_192;

function valuesOf(lines: HeaderLines, name: string): string[] {
  const own = lines.filter(({ key }) => key === name);
  return own.map(({ line }) => {
    const from = line.indexOf(':') + 1;
    return line
      .slice(from, from + HEADER_LENGTH)
      .replace(/\r?\n[ \t]+/g, ' ')
      .trim();
  });
}

function typeOf(value = 'text/plain'): string {
  return value.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
