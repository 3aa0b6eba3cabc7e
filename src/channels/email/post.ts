import { createTransport } from 'nodemailer';
import type { Mail } from './envelope';
import { troubleIn } from './trouble';

/** Together well below the minute that a notice may take. */
const TIMEOUTS = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
};

export type Post = (mail: Mail) => Promise<void>;

/** Hands mail to the server that the operator named; with TLS wherever it is offered. */
export function createPost(smtpUrl: string): Post {
  const transport = createTransport({
    url: smtpUrl,
    pool: false,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
  });
  return async (mail) => {
    try {
      await transport.sendMail(mail);
    } catch (error) {
      throw troubleIn(error as Error, smtpUrl, mail.to.address);
    }
  };
}
