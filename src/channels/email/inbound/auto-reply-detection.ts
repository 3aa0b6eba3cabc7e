import type { IncomingEmail } from './parse-email';

/**
 * Returns why an email is automatic, and so neither an answer nor worth a reply; undefined if a person may have written
 * it.
 */
export function detectAutomaticEmail(mail: IncomingEmail): string | undefined {
  return detectBounce(mail) ?? detectAutoReply(mail);
}

function detectBounce({ header, mediaTypes, from }: IncomingEmail): string | undefined {
  const isReport = mediaTypes.some((type) =>
    /^(multipart\/report|message\/(delivery-status|disposition-notification))$/.test(type),
  );
  const isReturned = header('return-path')[0]?.replaceAll(' ', '') === '<>';
  const isDaemon = from.some((address) => /^(mailer-daemon|postmaster|mail-daemon)@/.test(address));
  const hasFailed = header('x-failed-recipients').length > 0;
  return isReport || isReturned || isDaemon || hasFailed ? 'bounce' : undefined;
}

const AUTO_REPLY_HEADERS = [
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-auto-response-suppress',
  'x-mail-autoreply',
];

/** Mailing lists. */
const LIST_HEADERS = ['list-id', 'list-post'];

function detectAutoReply({ header, mediaTypes }: IncomingEmail): string | undefined {
  const submitted = header('auto-submitted').map((value) => value.split(';', 1)[0]?.trim().toLowerCase());
  if (submitted.some((value) => value !== 'no')) return 'automatic';
  if (AUTO_REPLY_HEADERS.some((name) => header(name).some((value) => !/^(no|none|false)?$/i.test(value))))
    return 'automatic';
  if (header('precedence').some((value) => /^(bulk|junk|list|auto[_-]?reply)$/i.test(value))) return 'automatic';
  if (LIST_HEADERS.some((name) => header(name).length > 0)) return 'automatic';
  return mediaTypes.includes('text/calendar') ? 'calendar' : undefined;
}

/** Returns whether DMARC failed. */
export function hasFailedDmarc(mail: IncomingEmail): boolean {
  return /\bdmarc\s*=\s*fail\b/i.test(readAuthentication(mail));
}

/** Reads only the topmost result, which the receiving server adds; those below may be forged. */
function readAuthentication({ header }: IncomingEmail): string {
  return (header('authentication-results')[0] ?? '').replace(/\([^()]*\)/g, '');
}

/**
 * Returns whether the receiving server reports checks of the sender, of which none passed for the sender's own domain: DMARC,
 * or an aligned DKIM signature or SPF check.
 */
export function isSenderUnproven(mail: IncomingEmail): boolean {
  const results = readAuthentication(mail).toLowerCase().split(';');
  const isReported = results.some((result) => /\b(dmarc|dkim|spf)\s*=/.test(result));
  const domain = mail.from[0]?.split('@').at(-1) ?? '';
  const isProof = (result: string) => {
    const [, method] = /^\s*(dmarc|dkim|spf)\s*=\s*pass\b/.exec(result) ?? [];
    const [, checked = ''] = /\b(?:header\.[di]|smtp\.mailfrom)\s*=\s*"?(?:[^\s"]*@)?([^\s"@]+)/.exec(result) ?? [];
    return method === 'dmarc' || (method !== undefined && isAligned(checked, domain));
  };
  return isReported && !results.some(isProof);
}

/** Relaxed alignment: one domain is the other, or below it. */
function isAligned(checked: string, domain: string): boolean {
  if (!checked.includes('.') || !domain.includes('.')) return false;
  return checked === domain || checked.endsWith(`.${domain}`) || domain.endsWith(`.${checked}`);
}

const AWAY_SUBJECT =
  /^(auto(matic)?[ -]?(reply|response)|auto:|out of (the )?office|vacation|abwesenheit|automatische (antwort|beantwortung)|afwezigheid|automatisch antwoord|r[ée]ponse automatique|absence du bureau|respuesta autom[áa]tica|fuera de (la )?oficina|resposta autom[áa]tica|risposta automatica|fuori ufficio|autosvar|automaattinen vastaus|odpowied[źz] automatyczna|автоответ|自動応答|自动(回复|答复)|자동 회신)/iu;

/** Only a hint, since a sender may write any subject. */
export function isLikelyAwayReply({ subject }: IncomingEmail): boolean {
  return AWAY_SUBJECT.test(subject.trim());
}
