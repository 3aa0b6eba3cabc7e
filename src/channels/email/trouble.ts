import { ChannelError } from '#channels/channel';

/** As nodemailer throws it. */
interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

const CHECK = 'Check PARLEY_SMTP_URL';

/** What went wrong, in words for whoever runs Parley. A mail that is refused for good stays so; who sends it can be mended. */
export function troubleIn(error: SmtpError, smtpUrl: string, to: string): ChannelError {
  const { hostname, port, password, username } = new URL(smtpUrl);
  const server = `The mail server ${hostname}${port ? `:${port}` : ''}`;
  const secrets = [password, decoded(password)];
  const said = unsecret(error.response ?? error.message, secrets);
  const isFinal = (error.responseCode ?? 0) >= 500 && !isOfSender(error);
  return new ChannelError(sentence(error, { server, said, to, user: decoded(username) }), {
    isFinal,
  });
}

function isOfSender({ code, command }: SmtpError): boolean {
  return code === 'EAUTH' || command?.startsWith('AUTH') === true || command === 'MAIL FROM';
}

type About = { server: string; said: string; to: string; user: string };

function sentence(
  { code, command, responseCode, message }: SmtpError,
  { server, said, to, user }: About,
): string {
  if (code === 'EAUTH' || command?.startsWith('AUTH'))
    return `${server} refused to let ${user || 'Parley'} in: ${said}. ${CHECK}: the user and the password, with @ : / and % in them percent-encoded.`;
  if (code === 'EDNS' || /ENOTFOUND|EAI_AGAIN/.test(message))
    return `${server} cannot be found by that name. ${CHECK}.`;
  if (code === 'ETLS' || /certificate|wrong version number|\bSSL\b|\bTLS\b/i.test(message))
    return `${server} and Parley could not agree on TLS: ${said}. ${CHECK}: smtps:// speaks TLS from the start (port 465), smtp:// changes to it (port 587).`;
  if (command === 'RCPT TO') return `${server} does not take mail for ${to}: ${said}. Check the address.`;
  if (command === 'MAIL FROM')
    return `${server} does not take mail from this sender: ${said}. Check PARLEY_EMAIL_FROM.`;
  if (responseCode !== undefined) return `${server} did not take the mail: ${said}.`;
  if (/ECONNREFUSED/.test(message)) return `${server} refuses connections. ${CHECK}, and that it runs.`;
  if (code === 'ETIMEDOUT')
    return `${server} did not answer in time. ${CHECK}, and that nothing is in between.`;
  return `${server} could not be reached: ${said}. ${CHECK}.`;
}

/** A server may say anything, the password too. */
function unsecret(text: string, secrets: string[]): string {
  const hidden = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]);
  const clean = hidden.reduce((said, secret) => said.replaceAll(secret, '…'), text);
  return clean.replace(/\s+/g, ' ').trim().replace(/\.$/, '').slice(0, 300);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
