import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** The headers of Standard Webhooks: a signature for each secret, so that a receiver may change over when it likes. */
export function signedHeaders(
  id: string,
  body: string,
  secrets: string[],
  at: Date,
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  const messageId = messageIdOf(id);
  const signatures = secrets.map((secret) => new Webhook(secret).sign(messageId, at, body));
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** The id is signed with dots around it, so it must hold none: those of conversations may. */
function messageIdOf(id: string): string {
  return `msg_${createHash('sha256').update(id).digest('hex')}`;
}
