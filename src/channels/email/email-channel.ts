import type { Channel } from '#channels/channel';
import { findPersonNameByEmail } from '#channels/people';
import { CHANNEL_LABELS } from '#presentation/labels';
import { createEmailRoutes } from './inbound/router';
import { createEmailSender } from './sender';
import { EmailEnvironment, type EmailSettings, readEmailSettings } from './settings';

/** Sends emails with a link to answer. If replies are configured, a reply answers too. */
export const emailChannel: Channel<EmailSettings> = {
  name: 'email',
  target: {
    pattern: /^[^\s@<>,;:"()[\]\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/,
    example: 'an address as ops@example.com',
    forms: ['address'],
  },
  label: CHANNEL_LABELS.email,
  environment: EmailEnvironment,
  requires: [
    ['PARLEY_SMTP_URL', 'PARLEY_EMAIL_FROM', 'mail has to come from somebody'],
    ['PARLEY_EMAIL_FROM', 'PARLEY_SMTP_URL', 'mail goes out by SMTP'],
    ['PARLEY_EMAIL_REPLY_TO', 'PARLEY_EMAIL_SECRET', 'replies come in by a webhook, which has to show that it may'],
  ],
  readSettings: readEmailSettings,
  setupVariables: ['PARLEY_SMTP_URL', 'PARLEY_EMAIL_FROM'],
  createSender: (settings, { people, allowAnyone, secret }) =>
    createEmailSender(settings, { people, allowAnyone }, secret),
  createInboundRoutes: createEmailRoutes,
  findPersonAt: (target, people) => findPersonNameByEmail(people, target),
  test: {
    describeInbound: ({ replyTo }, publicUrl) =>
      replyTo ? [`What comes for ${replyTo} has to be posted to ${publicUrl}/email/inbound`] : [],
  },
};
