import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { InboundError } from '#channels/inbound';
import { isJsonObject, parseJson } from '#core/json';

/** Where Postmark, Mailgun and SendGrid put the raw email. */
const RAW_EMAIL_FIELDS = ['RawEmail', 'body-mime', 'email'];

type FieldReader = { get(name: string): unknown };

/** Extracts the raw email from the mail service's format. */
export function extractRawEmail(request: Pick<Request, 'body' | 'get'>): Buffer {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const type = request.get('content-type') ?? '';
  switch (type.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'application/json':
      return readEmailField(parseJsonFields(body));
    case 'application/x-www-form-urlencoded':
      return readEmailField(parseUrlencodedFields(body));
    case 'multipart/form-data':
      return readEmailField(parseForm(body, type));
    case '':
    case 'message/rfc822':
    case 'text/plain':
    case 'application/octet-stream':
      return requireNonEmpty(body);
    default:
      throw new InboundError(
        'unsupported_media_type',
        'Send the raw email as message/rfc822, or in the RawEmail, body-mime or email field of JSON or a form.',
      );
  }
}

function parseJsonFields(body: Buffer): FieldReader {
  const fields = parseJson(body.toString());
  if (!isJsonObject(fields)) throw new InboundError('invalid_json', 'The body is not a JSON object.');
  return new Map(Object.entries(fields));
}

function parseForm(body: Buffer, type: string): FieldReader {
  const fields = parseMultipartFields(body, type);
  if (fields) return fields;
  throw new InboundError('invalid_request', 'The form could not be parsed.');
}

function readEmailField(fields: FieldReader): Buffer {
  const [value] = RAW_EMAIL_FIELDS.map((name) => fields.get(name)).filter(
    (candidate) => candidate !== undefined && candidate !== null,
  );
  if (Buffer.isBuffer(value)) return requireNonEmpty(value);
  if (typeof value === 'string') return requireNonEmpty(toEmailBytes(value));
  throw new InboundError(
    'invalid_request',
    'RawEmail, body-mime or email must contain the raw email. Configure your mail service to send it.',
  );
}

const NON_LATIN1 = /[\u0100-\uffff]/;

/**
 * Restores the bytes of an email in JSON. A character up to ÿ may stand for one byte, if the email is not in UTF-8 or
 * was decoded byte by byte.
 */
function toEmailBytes(mail: string): Buffer {
  const utf8Bytes = Buffer.from(mail);
  if (NON_LATIN1.test(mail)) return utf8Bytes;
  const bytes = Buffer.from(mail, 'latin1');
  return isUtf8(bytes) || !/charset="?utf-?8/i.test(mail) ? bytes : utf8Bytes;
}

function requireNonEmpty(mail: Buffer): Buffer {
  if (mail.length > 0) return mail;
  throw new InboundError('invalid_request', 'The request contains no email.');
}

/** The fields of a form, as bytes: an email may be in any charset. */
type EmailFormFields = Map<string, Buffer>;

/** Decodes a form to bytes; `%FC` is a byte, in whatever charset. */
function parseUrlencodedFields(body: Buffer): EmailFormFields {
  const pairs = body.toString('latin1').split('&');
  return new Map(
    pairs.map((pair): [string, Buffer] => {
      const separator = pair.indexOf('=');
      const [name, value] = separator < 0 ? [pair, ''] : [pair.slice(0, separator), pair.slice(separator + 1)];
      return [decodeUrlencoded(name).toString(), decodeUrlencoded(value)];
    }),
  );
}

/** Decodes in place: a replacement for each of many escapes would take long. */
function decodeUrlencoded(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('+', ' '), 'latin1');
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const [high, low] = bytes[index] === PERCENT ? [hexDigit(bytes[index + 1]), hexDigit(bytes[index + 2])] : [-1, -1];
    const isEscape = high >= 0 && low >= 0;
    bytes[length] = isEscape ? high * 16 + low : (bytes[index] ?? 0);
    length += 1;
    if (isEscape) index += 2;
  }
  return bytes.subarray(0, length);
}

const PERCENT = 0x25;

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;
const HEADER_END = '\r\n\r\n';
const MAX_PART_HEADER_BYTES = 4_096;

/** Parses a multipart form; undefined if it is incomplete. */
function parseMultipartFields(body: Buffer, type: string): EmailFormFields | undefined {
  const [, quoted, bare] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? bare;
  if (!boundary) return undefined;
  const fields: EmailFormFields = new Map();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let offset = body.indexOf(delimiter.subarray(2)) + delimiter.length - 2;
  if (offset < delimiter.length - 2) return undefined;
  while (body.toString('latin1', offset, offset + 2) !== '--') {
    const end = body.indexOf(delimiter, offset);
    if (end < 0) return undefined;
    addFormPart(fields, body.subarray(offset, end));
    offset = end + delimiter.length;
  }
  return fields;
}

function addFormPart(fields: EmailFormFields, part: Buffer): void {
  const headerEnd = part.indexOf(HEADER_END);
  const header = part.toString('utf8', 0, Math.min(Math.max(headerEnd, 0), MAX_PART_HEADER_BYTES));
  const name = /^content-disposition:[^\r\n]*?[;\s]name="?([^"\r\n;]{1,200})/im.exec(header)?.[1];
  if (name && !fields.has(name)) fields.set(name, part.subarray(headerEnd + HEADER_END.length));
}
