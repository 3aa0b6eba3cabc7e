import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { Refusal } from '#api/errors';
import { multipartFields, urlencodedFields } from './form';

/** What services call the field that the whole mail is in: Postmark, Mailgun, SendGrid. */
const FIELDS = ['RawEmail', 'body-mime', 'email'];

type Part = { get(name: string): unknown };

/** The mail itself, out of whatever the mail service wraps it in. */
export function rawMailIn(request: Pick<Request, 'body' | 'get'>): Buffer {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const type = request.get('content-type') ?? '';
  switch (type.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'application/json':
      return mailIn(fieldsOf(body));
    case 'application/x-www-form-urlencoded':
      return mailIn(urlencodedFields(body));
    case 'multipart/form-data':
      return mailIn(formOf(body, type));
    case '':
    case 'message/rfc822':
    case 'text/plain':
    case 'application/octet-stream':
      return filled(body);
    default:
      throw new Refusal(
        'unsupported_media_type',
        'Send the mail as message/rfc822, or as JSON or a form that has all of it in RawEmail, body-mime or email.',
      );
  }
}

function fieldsOf(body: Buffer): Part {
  try {
    const fields = Object(JSON.parse(body.toString())) as Record<string, unknown>;
    return { get: (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined) };
  } catch {
    throw new Refusal('invalid_json', 'The body is not a JSON object.');
  }
}

function formOf(body: Buffer, type: string): Part {
  const fields = multipartFields(body, type);
  if (fields) return fields;
  throw new Refusal('invalid_request', 'The form cannot be read.');
}

function mailIn(fields: Part): Buffer {
  const [value] = FIELDS.map((name) => fields.get(name)).filter(
    (given) => given !== undefined && given !== null,
  );
  if (Buffer.isBuffer(value)) return filled(value);
  if (typeof value === 'string') return filled(bytesOf(value));
  throw new Refusal(
    'invalid_request',
    'The whole mail has to be in RawEmail, body-mime or email: have the mail service send it raw.',
  );
}

const BEYOND_A_BYTE = /[\u0100-\uffff]/;

/** JSON has no bytes: a letter up to ÿ is one where the mail says that it is not in UTF-8, or is that byte by byte. */
function bytesOf(mail: string): Buffer {
  const inUtf8 = Buffer.from(mail);
  if (BEYOND_A_BYTE.test(mail)) return inUtf8;
  const bytes = Buffer.from(mail, 'latin1');
  return isUtf8(bytes) || !/charset="?utf-?8/i.test(mail) ? bytes : inUtf8;
}

function filled(mail: Buffer): Buffer {
  if (mail.length > 0) return mail;
  throw new Refusal('invalid_request', 'There is no mail in the request.');
}
