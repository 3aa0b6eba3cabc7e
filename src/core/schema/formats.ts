import type { TextFormat } from '#contract/question';

interface StringFormat {
  description: string;
  example: string;
  matches(text: string): boolean;
  /** In characters, to detect impossible lengths when the question is created. */
  minLength: number;
  maxLength: number;
}

/** The string formats. Checked by hand-written rules, since built-in parsers differ between platforms. */
export const STRING_FORMATS: Record<TextFormat, StringFormat> = {
  email: {
    description: 'an email address',
    example: 'ada@example.org',
    matches: isEmail,
    minLength: 5,
    maxLength: 254,
  },
  uri: {
    description: 'a web address',
    example: 'https://example.org/page',
    matches: isUri,
    minLength: 5,
    maxLength: Number.POSITIVE_INFINITY,
  },
  date: { description: 'a date', example: '2026-11-16', matches: isDate, minLength: 10, maxLength: 10 },
  'date-time': {
    description: 'a date and time',
    example: '2026-11-16T09:30:00Z',
    matches: isDateTime,
    minLength: 20,
    maxLength: Number.POSITIVE_INFINITY,
  },
};

const LOCAL_PART = /^(?!\.)(?!.*\.\.)[^\s"(),:;<>@[\\\]]{1,64}(?<!\.)$/;
/** Letters of any script, digits, and inner hyphens. */
const HOST_LABEL = /^(?!-)[^\s!-,./:-@[-`{-~]{1,63}(?<!-)$/;

/** True if the address is well-formed; whether it exists is unknown. */
function isEmail(text: string): boolean {
  if (text.length > 254) return false;
  const [local = '', host = '', ...more] = text.split('@');
  const labels = host.split('.');
  return (
    more.length === 0 && LOCAL_PART.test(local) && labels.length > 1 && labels.every((label) => HOST_LABEL.test(label))
  );
}

const URI_CHARACTERS = /^[^\s\p{Cc}"<>\\^`{|}]+$/u;
const WITH_HOST = /^(?!javascript:|vbscript:|data:)[a-z][a-z\d+.-]*:\/\/[^/?#]/i;
const WEB = /^https?:/i;
const WEB_HOST = /^https?:\/\/(?:[^/?#@]*@)?(?:[^\s!-/:-@[-`{-~][^/?#@]*|\[[\da-f:.]+\](?::\d+)?)(?:[/?#]|$)/i;
/** Schemes without a host. Any other `word:` is more likely a host with its port. */
const WITHOUT_HOST = /^(?:mailto:[^@]+@[^@]+|tel:\+?[\d().-]+|urn:[a-z\d][a-z\d-]*:.+)$/i;

/** True for absolute URIs that run no code when opened. */
function isUri(text: string): boolean {
  if (!URI_CHARACTERS.test(text)) return false;
  return WEB.test(text) ? WEB_HOST.test(text) : WITH_HOST.test(text) || WITHOUT_HOST.test(text);
}

/** True for an existing day as YYYY-MM-DD. `Date` turns February 30 into March. */
function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** True for RFC 3339 with a time zone; without one the moment is ambiguous. */
function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^t$/i.test(text.charAt(10)) && TIME.test(text.slice(11));
}
