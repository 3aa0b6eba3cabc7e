import type { RequestHandler } from 'express';
import { Refusal } from '#api/errors';
import { isSame } from '#signing/same';

/** Lets on a mail service that shows the secret: as a bearer, or as the password in the address it was told to call. */
export function showsSecret(secret: string): RequestHandler {
  return (request, response, next) => {
    if (isSame(shown(request.get('authorization') ?? ''), secret)) return next();
    response.setHeader('WWW-Authenticate', 'Bearer, Basic realm="parley"');
    throw new Refusal(
      'unauthenticated',
      'Send PARLEY_EMAIL_SECRET, as in: Authorization: Bearer …  or as the password of https://parley:…@host/email/inbound.',
    );
  };
}

function shown(header: string): string {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+) *$/i.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value;
  const pair = Buffer.from(value, 'base64').toString();
  const at = pair.indexOf(':');
  return at < 0 ? '' : pair.slice(at + 1);
}
