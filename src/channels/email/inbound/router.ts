import { type RequestHandler, raw } from 'express';
import type { InboundRoute } from '#channels/channel';
import type { EmailSettings } from '#channels/email/settings';
import { createEmailTransport } from '#channels/email/transport';
import { type InboundDeps, InboundError } from '#channels/inbound';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';
import { createReplyHandler } from './handle-reply';
import { extractRawEmail } from './provider-payload';

/** Far more than an answer with what it quotes. */
const MAX_EMAIL_BYTES = 2 * 1024 * 1024;

/** Creates the route to which the mail service posts replies, if replies are configured. */
export function createEmailRoutes(settings: EmailSettings, inbound: InboundDeps): InboundRoute[] {
  const { replyTo, inboundSecret, smtpUrl } = settings;
  if (!replyTo || !inboundSecret) return [];
  const handleReply = createReplyHandler(inbound, settings, createEmailTransport(smtpUrl));
  const onReply: RequestHandler = async (request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.json(await handleReply(extractRawEmail(request)));
  };
  return [{ path: '/email/inbound', handlers: [requireInboundSecret(inboundSecret), readEmailBody, onReply] }];
}

const parseRawBody = raw({ type: () => true, limit: MAX_EMAIL_BYTES });

const readEmailBody: RequestHandler = (request, response, next) => {
  parseRawBody(request, response, (error?: unknown) => {
    const isTooLarge = (error as { type?: string } | undefined)?.type === 'entity.too.large';
    next(isTooLarge ? new InboundError('too_large', 'An email can be up to 2 MB, with its attachments.') : error);
  });
};

/** Requires the mail service's secret: as a bearer token, or as the password in the URL that it calls. */
function requireInboundSecret(secret: string): RequestHandler {
  return (request, response, next) => {
    if (isTimingSafeEqual(readPresentedSecret(request.get('authorization') ?? ''), secret)) return next();
    response.setHeader('WWW-Authenticate', 'Bearer, Basic realm="parley"');
    throw new InboundError(
      'unauthenticated',
      'Send PARLEY_EMAIL_SECRET as Authorization: Bearer …, or as the password in https://parley:…@host/email/inbound.',
    );
  };
}

function readPresentedSecret(header: string): string {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+) *$/i.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value;
  const credentials = Buffer.from(value, 'base64').toString();
  const separator = credentials.indexOf(':');
  return separator < 0 ? '' : credentials.slice(separator + 1);
}
