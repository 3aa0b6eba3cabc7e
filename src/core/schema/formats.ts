import type { TextFormat } from '#contract/question';

interface StringFormat {
  description: string;
  example: string;
  matches(text: string): boolean;
  /** In characters, so that a length no such text can have is seen when the question is put. */
  minLength: number;
  maxLength: number;
}

/** What each format takes, in words for people. Written out: no world's own parser, whose rules differ. */
export const STRING_FORMATS: Record<TextFormat, StringFormat> = {
  email: {
    description: 'an e-mail address',
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
/** Letters of any script, digits, and hyphens within. */
const HOST_LABEL = /^(?!-)[^\s!-,./:-@[-`{-~]{1,63}(?<!-)$/;

/** One that mail could be sent to: whether anybody reads it there is not for us to know. */
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
/** Those with no host that people have at hand. Any other `word:` is more likely a host with its port. */
const WITHOUT_HOST = /^(?:mailto:[^@]+@[^@]+|tel:\+?[\d().-]+|urn:[a-z\d][a-z\d-]*:.+)$/i;

/** Absolute, and nothing that runs when it is followed. */
function isUri(text: string): boolean {
  if (!URI_CHARACTERS.test(text)) return false;
  return WEB.test(text) ? WEB_HOST.test(text) : WITH_HOST.test(text) || WITHOUT_HOST.test(text);
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A day there is in the calendar, as YYYY-MM-DD. */
function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (MONTHS[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339, with its zone: without one nobody knows which moment is meant. */
function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^t$/i.test(text.charAt(10)) && TIME.test(text.slice(11));
}
