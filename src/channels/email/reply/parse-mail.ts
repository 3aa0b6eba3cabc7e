import { Readable } from 'node:stream';
import { type HeaderLines, type Headers, MailParser } from 'mailparser';

export interface Parsed {
  headers: Headers;
  lines: HeaderLines;
  /** Media types of what is attached. */
  attached: string[];
  text: string;
  html: string;
}

const HTML_LENGTH = 200_000;
const OPTIONS = {
  skipImageLinks: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  maxHtmlLengthToParse: HTML_LENGTH,
};

/** Where its HTML is too much to be made text of, it has none. What is no mail at all is thrown. */
export async function parseMail(raw: Buffer): Promise<Parsed> {
  try {
    return await parse(raw, OPTIONS);
  } catch {
    return parse(raw, { ...OPTIONS, skipHtmlToText: true });
  }
}

/** What is attached is passed over, and never held. */
function parse(raw: Buffer, options: object): Promise<Parsed> {
  return new Promise((resolve, reject) => {
    const parser = new MailParser(options);
    const mail: Parsed = { headers: new Map(), lines: [], attached: [], text: '', html: '' };
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
      mail.attached.push(data.contentType);
      data.content.on('end', () => data.release());
      data.content.resume();
    });
    parser.once('error', reject);
    parser.once('end', () => resolve(mail));
    Readable.from(piecesOf(raw)).pipe(parser);
  });
}

const PIECE = 64 * 1024;

/** So that a large one lets others have their turn. */
function* piecesOf(raw: Buffer): Generator<Buffer> {
  for (let at = 0; at < raw.length; at += PIECE) yield raw.subarray(at, at + PIECE);
}
