import { type RequestHandler, Router, raw } from 'express';
import { createPost } from '#channels/email/post';
import type { Context } from './context';
import { showsSecret } from './email/authorized';
import { rawMailIn } from './email/raw-mail';
import { takingReplies } from './email/take-reply';
import { onlyMethods, Refusal } from './errors';

/** As much as mail services take. What is attached is not looked at. */
const MAIL_BYTES = 30 * 1024 * 1024;

/** Where the mail service hands replies over. Nothing is there unless it is set up. */
export function email(context: Context): Router {
  const router = Router();
  const settings = context.channels.email;
  const { inboundSecret } = settings ?? {};
  if (!settings?.replyTo || !inboundSecret) return router;
  const take = takingReplies(context, settings, createPost(settings.smtpUrl));
  router
    .route('/email/inbound')
    .post(showsSecret(inboundSecret), readBody, async (request, response) => {
      response.setHeader('Cache-Control', 'no-store');
      response.json(await take(rawMailIn(request)));
    })
    .all(onlyMethods('POST'));
  return router;
}

const parse = raw({ type: () => true, limit: MAIL_BYTES });

const readBody: RequestHandler = (request, response, next) => {
  parse(request, response, (error?: unknown) => {
    const isTooLarge = (error as { type?: string } | undefined)?.type === 'entity.too.large';
    next(isTooLarge ? new Refusal('too_large', 'A mail is at most 30 MB.') : error);
  });
};
