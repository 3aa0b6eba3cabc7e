import { z } from 'zod';

const SenderAddress = z
  .string()
  .regex(/^(?:[^<>"\r\n]*<)?[^\s@<>"]+@[^\s@<>"]+>?$/, 'must be an email address such as Parley <parley@example.com>');

export const EmailEnvironment = z.object({
  PARLEY_SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  PARLEY_EMAIL_FROM: SenderAddress.optional(),
  PARLEY_EMAIL_REPLY_TO: z
    .string()
    .regex(/^[^\s@<>"+]+@[^\s@<>"]+$/, 'must be an email address without +, such as reply@in.example.com')
    .optional(),
  PARLEY_EMAIL_SECRET: z.string().min(16, 'must be at least 16 characters').optional(),
});

export interface EmailSettings {
  smtpUrl: string;
  from: string;
  /** The address that accepts replies as answers. Without it replies go to `from`, where Parley does not read them. */
  replyTo: string | undefined;
  /** The secret that the mail service presents when it posts a reply. */
  inboundSecret: string | undefined;
}

export function readEmailSettings({
  PARLEY_SMTP_URL: smtpUrl,
  PARLEY_EMAIL_FROM: from,
  PARLEY_EMAIL_REPLY_TO: replyTo,
  PARLEY_EMAIL_SECRET: inboundSecret,
}: z.infer<typeof EmailEnvironment>): EmailSettings | undefined {
  return smtpUrl && from ? { smtpUrl, from, replyTo, inboundSecret } : undefined;
}
