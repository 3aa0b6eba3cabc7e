import type { Channel } from '#channels/channel';
import { findPersonNameByEmail } from '#channels/people';
import { createEmailRoutes } from './inbound/router';
import { createEmailSender } from './sender';
import { EmailEnvironment, type EmailSettings, readEmailSettings } from './settings';

/** Sends emails with a link to answer. If replies are configured, a reply answers too. */
export const emailChannel: Channel<EmailSettings> = {
  name: 'email',
  target: {
    pattern: /^[^\s@<>,;:"()[\]\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/,
    example: 'an address such as ops@example.com',
    forms: ['address'],
  },
  label: 'Email',
  environment: EmailEnvironment,
  requires: [
    ['PARLEY_SMTP_URL', 'PARLEY_EMAIL_FROM', 'email needs a sender address'],
    ['PARLEY_EMAIL_FROM', 'PARLEY_SMTP_URL', 'email is sent over SMTP'],
    ['PARLEY_EMAIL_REPLY_TO', 'PARLEY_EMAIL_SECRET', 'the webhook that delivers replies authenticates with it'],
  ],
  readSettings: readEmailSettings,
  setupVariables: ['PARLEY_SMTP_URL', 'PARLEY_EMAIL_FROM'],
  createSender: (settings, { people, allowAnyone, secret }) =>
    createEmailSender(settings, { people, allowAnyone }, secret),
  createInboundRoutes: createEmailRoutes,
  findPersonAt: (target, people) => findPersonNameByEmail(people, target),
  test: {
    describeInbound: ({ replyTo }, publicUrl) =>
      replyTo ? [`Forward email for ${replyTo} to ${publicUrl}/email/inbound`] : [],
  },
};
