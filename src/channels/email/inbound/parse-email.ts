import { convert } from 'html-to-text';
import { type AddressObject, type HeaderLines, type Headers, MailParser } from 'mailparser';
import { extractReplyText, MAX_SCANNED_LENGTH, type TextFlow } from './strip-quotes';

/** The parts of an incoming email that a reply needs. */
export interface IncomingEmail extends ParsedEmail {
  /** Returns the values of a header, unfolded, in order; empty if it is absent. */
  header(name: string): string[];
}

/** An email as a thread can pass it on. */
export interface ParsedEmail {
  headerLines: HeaderLines;
  messageId: string | undefined;
  /** All sender addresses. */
  from: string[];
  subject: string;
  /** Media types of the email and its attachments. */
  mediaTypes: string[];
  text: string;
  /** What the sender wrote, without quotes and signatures. */
  reply: string;
}

/** More than any mail program writes. */
const MAX_HEADERS = 2_000;

/** Parses an email of any charset and transfer encoding. HTML is converted to text if there is no text part. */
export async function parseEmail(raw: Buffer): Promise<ParsedEmail> {
  const { headers, headerLines, attachmentTypes, ...mail } = await parseMime(raw);
  if (headerLines.length > MAX_HEADERS) throw new Error(`more than ${MAX_HEADERS} headers`);
  const isHtml = mail.text.trim() === '' && mail.html !== '';
  const text = isHtml ? convertHtml(mail.html) : mail.text;
  const senders = readHeader(headerLines, 'from');
  return {
    headerLines,
    messageId: /<[^<>\s]{3,500}>/.exec(readHeader(headerLines, 'message-id')[0] ?? '')?.[0],
    from: senders.length > 1 ? senders : readSenders(headers),
    subject: String(headers.get('subject') ?? ''),
    mediaTypes: [parseMediaType(readHeader(headerLines, 'content-type')[0]), ...attachmentTypes],
    text: text.slice(0, MAX_SCANNED_LENGTH),
    reply: extractReplyText(text, isHtml ? undefined : mail.flow),
  };
}

/** What mail programs put around a quote and its introduction, besides `blockquote`. */
const QUOTE_SELECTORS =
  '.gmail_quote .gmail_attr .moz-cite-prefix .yahoo_quoted .protonmail_quote .zmail_extra #mail-editor-reference-message-container #isReplyContent'.split(
    ' ',
  );

/** Converts HTML to text of unbroken lines, with the quotes that it marks in the form of quoted text. */
function convertHtml(html: string): string {
  if (html.length > MAX_SCANNED_LENGTH) return '';
  return convert(html, {
    wordwrap: false,
    // A lost character, which is never part of an answer.
    limits: { maxDepth: 200, ellipsis: '\ufffd' },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      ...QUOTE_SELECTORS.map((selector) => ({ selector, format: 'blockquote' })),
    ],
  });
}

function readSenders(headers: Headers): string[] {
  const from = headers.get('from') as AddressObject | undefined;
  const addresses = from?.value.flatMap(({ address, group }) => [
    address,
    ...(group ?? []).map((member) => member.address),
  ]);
  return (addresses ?? []).flatMap((address) => (address ? [address.toLowerCase()] : []));
}

/** Longer than any value a program writes; whatever is searched for comes earlier. */
const MAX_HEADER_LENGTH = 8_192;

export function readHeader(lines: HeaderLines, name: string): string[] {
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
  headerLines: HeaderLines;
  /** Media types of the attachments. */
  attachmentTypes: string[];
  text: string;
  html: string;
  flow?: TextFlow;
}

/** What the parser has and its types omit. */
interface ParserInternals {
  headerLines: HeaderLines;
  processChunk(chunk: { flowed?: boolean; delSp?: boolean }, done: () => void): void;
}

const PARSER_OPTIONS = { skipImageLinks: true, skipTextToHtml: true, skipTextLinks: true, skipHtmlToText: true };

/** Parses MIME. Attachments are skipped and never held in memory. Throws if the input is no email. */
function parseMime(raw: Buffer): Promise<ParsedMime> {
  return new Promise((resolve, reject) => {
    const parser = new MailParser(PARSER_OPTIONS) as MailParser & ParserInternals;
    const mail: ParsedMime = { headers: new Map(), headerLines: [], attachmentTypes: [], text: '', html: '' };
    const processChunk = parser.processChunk.bind(parser);
    // The parser would join a quoted line that ends in a space to the person's own line below it.
    parser.processChunk = (chunk, done) => {
      if (chunk.flowed) mail.flow ??= { deletesSpace: chunk.delSp === true };
      if (chunk.flowed) chunk.flowed = false;
      processChunk(chunk, done);
    };
    parser.on('headers', (headers) => {
      mail.headers = headers;
      mail.headerLines = parser.headerLines;
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
    parser.end(raw);
  });
}
