import { Readable } from 'node:stream';
import { type AddressObject, type HeaderLines, type Headers, MailParser } from 'mailparser';

/** A mail that came in, as far as a reply is concerned. */
export interface IncomingEmail {
  messageId: string | undefined;
  /** Every address that it says it is from. */
  from: string[];
  subject: string;
  /** The values of a header, unfolded, in order; none where it is not there. */
  header(name: string): string[];
  /** Media types of the whole and of what is attached. */
  mediaTypes: string[];
  text: string;
}

/** Any charset and transfer encoding; text is made of HTML where that is all there is. */
export async function parseIncomingEmail(raw: Buffer): Promise<IncomingEmail> {
  const mail = await parseMime(raw);
  const header = (name: string) => readHeader(mail.lines, name);
  return {
    messageId: /<[^<>\s]{3,500}>/.exec(header('message-id')[0] ?? '')?.[0],
    from: header('from').length > 1 ? header('from') : readSenders(mail),
    subject: String(mail.headers.get('subject') ?? ''),
    header,
    mediaTypes: [parseMediaType(header('content-type')[0]), ...mail.attachmentTypes],
    text: await readText(mail),
  };
}

/** HTML that is beside something attached is not made text of by itself: alone it is. */
async function readText({ text, html }: ParsedMime): Promise<string> {
  if (text.trim() !== '' || !html) return text;
  const htmlHeader = `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  return (await parseMime(Buffer.from(htmlHeader + Buffer.from(html).toString('base64')))).text;
}

function readSenders({ headers }: ParsedMime): string[] {
  const from = headers.get('from') as AddressObject | undefined;
  const addresses = from?.value.flatMap(({ address, group }) => [
    address,
    ...(group ?? []).map((member) => member.address),
  ]);
  return (addresses ?? []).flatMap((address) => (address ? [address.toLowerCase()] : []));
}

/** More than a program writes into one: whatever is looked for in it stands before. */
const MAX_HEADER_LENGTH = 8_192;

function readHeader(lines: HeaderLines, name: string): string[] {
  const matching = lines.filter(({ key }) => key === name);
  return matching.map(({ line }) => {
    const start = line.indexOf(':') + 1;
    return line
      .slice(start, start + MAX_HEADER_LENGTH)
      .replace(/\r?\n[ \t]+/g, ' ')
      .trim();
  });
}

function parseMediaType(value = 'text/plain'): string {
  return value.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

interface ParsedMime {
  headers: Headers;
  lines: HeaderLines;
  /** Media types of what is attached. */
  attachmentTypes: string[];
  text: string;
  html: string;
}

const MAX_HTML_LENGTH = 200_000;
const PARSER_OPTIONS = {
  skipImageLinks: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  maxHtmlLengthToParse: MAX_HTML_LENGTH,
};

/** Where its HTML is too much to be made text of, it has none. What is no mail at all is thrown. */
async function parseMime(raw: Buffer): Promise<ParsedMime> {
  try {
    return await runMailParser(raw, PARSER_OPTIONS);
  } catch {
    return runMailParser(raw, { ...PARSER_OPTIONS, skipHtmlToText: true });
  }
}

/** What is attached is passed over, and never held. */
function runMailParser(raw: Buffer, options: object): Promise<ParsedMime> {
  return new Promise((resolve, reject) => {
    const parser = new MailParser(options);
    const mail: ParsedMime = { headers: new Map(), lines: [], attachmentTypes: [], text: '', html: '' };
    parser.on('headers', (headers) => {
      mail.headers = headers;
      mail.lines = (parser as unknown as { headerLines: HeaderLines }).headerLines;
    });
    parser.on('data', (data) => {
      if (data.type === 'text') {
        mail.text = data.text ?? '';
        mail.html = data.html || '';
        return;
      }
      mail.attachmentTypes.push(data.contentType);
      data.content.on('end', () => data.release());
      data.content.resume();
    });
    parser.once('error', reject);
    parser.once('end', () => resolve(mail));
    Readable.from(splitIntoChunks(raw)).pipe(parser);
  });
}

const CHUNK_BYTES = 64 * 1024;

/** So that a large one lets others have their turn. */
function* splitIntoChunks(raw: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < raw.length; offset += CHUNK_BYTES) yield raw.subarray(offset, offset + CHUNK_BYTES);
}
