import { type HeaderLines, type ParsedMail, simpleParser } from 'mailparser';

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

const HTML_LENGTH = 200_000;
const OPTIONS = {
  skipImageLinks: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  maxHtmlLengthToParse: HTML_LENGTH,
};

/** Any charset and transfer encoding; text is made of HTML where that is all there is. */
export async function readMail(raw: Buffer): Promise<Incoming> {
  const mail = await parsed(raw);
  const header = (name: string) => valuesOf(mail.headerLines, name);
  return {
    messageId: /<[^<>\s]{3,500}>/.exec(header('message-id')[0] ?? '')?.[0],
    from: header('from').length > 1 ? header('from') : sendersOf(mail),
    subject: mail.subject ?? '',
    header,
    types: [typeOf(header('content-type')[0]), ...mail.attachments.map(({ contentType }) => contentType)],
    text: await textOf(mail),
  };
}

/** HTML that is beside something attached is not made text of by itself: alone it is. */
async function textOf({ text = '', html }: ParsedMail): Promise<string> {
  if (text.trim() !== '' || !html) return text;
  const alone = `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  return (await parsed(Buffer.from(alone + Buffer.from(html).toString('base64')))).text ?? '';
}

/** Where its HTML is too much to be made text of, it has none. What is no mail at all is thrown. */
async function parsed(raw: Buffer): Promise<ParsedMail> {
  try {
    return await simpleParser(raw, OPTIONS);
  } catch {
    return simpleParser(raw, { ...OPTIONS, skipHtmlToText: true });
  }
}

function sendersOf({ from }: ParsedMail): string[] {
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
