import { Readable } from 'node:stream';
import { type AddressObject, type HeaderLines, type Headers, MailParser } from 'mailparser';

/** The parts of an incoming email that a reply needs. */
export interface IncomingEmail {
  messageId: string | undefined;
  /** All sender addresses. */
  from: string[];
  subject: string;
  /** Returns the values of a header, unfolded, in order; empty if it is absent. */
  header(name: string): string[];
  /** Media types of the email and its attachments. */
  mediaTypes: string[];
  text: string;
}

/** Parses an email of any charset and transfer encoding. HTML is converted to text if there is no text part. */
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

/** Returns the text. The parser does not convert HTML that comes with attachments, so it is parsed again on its own. */
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

/** Longer than any value a program writes; whatever is searched for comes earlier. */
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
  /** Media types of the attachments. */
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

/** Parses MIME. If the HTML is too large to convert to text, it is skipped. Throws if the input is no email. */
async function parseMime(raw: Buffer): Promise<ParsedMime> {
  try {
    return await runMailParser(raw, PARSER_OPTIONS);
  } catch {
    return runMailParser(raw, { ...PARSER_OPTIONS, skipHtmlToText: true });
  }
}

/** Runs the parser. Attachments are skipped and never held in memory. */
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

/** Splits a large email, so that parsing it does not block other requests. */
function* splitIntoChunks(raw: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < raw.length; offset += CHUNK_BYTES) yield raw.subarray(offset, offset + CHUNK_BYTES);
}
