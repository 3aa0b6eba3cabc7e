import { createTransport } from 'nodemailer';
import { ChannelError } from '#channels/channel';
import type { OutgoingEmail } from './outbound/envelope';

/** Their sum is well below the one-minute limit of a notification. */
const SMTP_TIMEOUTS = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
};

export type SendEmail = (mail: OutgoingEmail) => Promise<void>;

/** Creates a function that sends email through the configured server: with TLS, unless the URL says `?requireTLS=false`. */
export function createEmailTransport(smtpUrl: string): SendEmail {
  const transport = createTransport({
    url: smtpUrl,
    pool: false,
    disableFileAccess: true,
    disableUrlAccess: true,
    requireTLS: new URL(smtpUrl).searchParams.get('requireTLS') !== 'false',
    ...SMTP_TIMEOUTS,
  });
  return async (mail) => {
    try {
      await transport.sendMail(mail);
    } catch (error) {
      throw toEmailChannelError(error as Error, smtpUrl, mail.to.address);
    }
  };
}

/** An error thrown by nodemailer. */
interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

const CHECK_SMTP_URL = 'Check PARLEY_SMTP_URL';

/**
 * Converts an SMTP error, described for the operator. A refused email is permanent; a refused sender or login can be
 * fixed while it waits.
 */
function toEmailChannelError(error: SmtpError, smtpUrl: string, to: string): ChannelError {
  const { hostname, port, password, username } = new URL(smtpUrl);
  const server = `The mail server ${hostname}${port ? `:${port}` : ''}`;
  const secrets = [password, decodePercent(password)];
  const response = redactSecrets(error.response ?? error.message, secrets);
  const isPermanent = (error.responseCode ?? 0) >= 500 && !isSenderError(error);
  return new ChannelError(describeSmtpError(error, { server, response, to, user: decodePercent(username) }), {
    isPermanent,
  });
}

function isSenderError({ code, command }: SmtpError): boolean {
  return code === 'EAUTH' || command?.startsWith('AUTH') === true || command === 'MAIL FROM';
}

type SmtpErrorContext = { server: string; response: string; to: string; user: string };

function describeSmtpError(
  { code, command, responseCode, message }: SmtpError,
  { server, response, to, user }: SmtpErrorContext,
): string {
  if (code === 'EAUTH' || command?.startsWith('AUTH'))
    return `${server} rejected the login of ${user || 'Parley'}: ${response}. ${CHECK_SMTP_URL}: the user and password, with @ : / and % percent-encoded.`;
  if (code === 'ETLS' || /certificate|wrong version number|\bSSL\b|\bTLS\b/i.test(message))
    return `${server} failed to set up TLS: ${response}. ${CHECK_SMTP_URL}: smtps:// uses TLS from the start (port 465), smtp:// upgrades to it (port 587). For a server without TLS, add ?requireTLS=false.`;
  if (command === 'RCPT TO') return `${server} rejected the recipient ${to}: ${response}. Check the address.`;
  if (command === 'MAIL FROM') return `${server} rejected the sender: ${response}. Check PARLEY_EMAIL_FROM.`;
  if (responseCode !== undefined) return `${server} rejected the email: ${response}.`;
  return `${server} could not be reached: ${response}. ${CHECK_SMTP_URL}.`;
}

/** Removes the password from a server's response, which may repeat it. */
function redactSecrets(text: string, secrets: string[]): string {
  const secretForms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]);
  const clean = secretForms.reduce((redacted, secret) => redacted.replaceAll(secret, '…'), text);
  return clean.replace(/\s+/g, ' ').trim().replace(/\.$/, '').slice(0, 300);
}

function decodePercent(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
