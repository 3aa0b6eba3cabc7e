import type { Request } from 'express';
import { Refusal } from '../errors';

/** What services call the field that the whole mail is in: Postmark, Mailgun, SendGrid. */
const FIELDS = ['RawEmail', 'body-mime', 'email'];

type Part = { get(name: string): unknown };

/** The mail itself, out of whatever the mail service wraps it in. */
export async function rawMailIn(request: Pick<Request, 'body' | 'get'>): Promise<Buffer> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const type = request.get('content-type') ?? '';
  switch (type.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'application/json':
      return mailIn(fieldsOf(body));
    case 'application/x-www-form-urlencoded':
      return mailIn(new URLSearchParams(body.toString()));
    case 'multipart/form-data':
      return mailIn(await formOf(body, type));
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

async function formOf(body: Buffer, type: string): Promise<Part> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch {
    throw new Refusal('invalid_request', 'The form cannot be read.');
  }
}

async function mailIn(fields: Part): Promise<Buffer> {
  const [value] = FIELDS.map((name) => fields.get(name)).filter(
    (given) => given !== undefined && given !== null,
  );
  if (typeof value === 'string') return filled(Buffer.from(value));
  if (value instanceof Blob) return filled(Buffer.from(await value.arrayBuffer()));
  throw new Refusal(
    'invalid_request',
    'The whole mail has to be in RawEmail, body-mime or email: have the mail service send it raw.',
  );
}

function filled(mail: Buffer): Buffer {
  if (mail.length > 0) return mail;
  throw new Refusal('invalid_request', 'There is no mail in the request.');
}
