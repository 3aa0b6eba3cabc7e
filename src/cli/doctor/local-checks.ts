import type { ConnectionSettings } from '#cli/context';
import type { Terminal } from '#cli/tty/terminal';

/** What can be told without asking anybody. */
export function runLocalChecks(
  settings: ConnectionSettings,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): DoctorCheck[] {
  return [
    checkAddress(settings),
    checkKey(settings),
    checkNodeVersion(process.versions.node),
    checkTerminal(terminal, env),
  ];
}

const URL_SOURCES: Record<ConnectionSettings['urlFrom'], string> = {
  '--url': 'from --url',
  PARLEY_URL: 'from PARLEY_URL',
  PORT: 'from PORT',
  default: 'as nothing else is set',
};

export function isLoopbackUrl(url: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

export function checkAddress({ url, urlFrom, key: given }: ConnectionSettings): DoctorCheck {
  const said = `${url}, ${URL_SOURCES[urlFrom]}.`;
  return new URL(url).protocol === 'http:' && given && !isLoopbackUrl(url)
    ? warningCheck(
        'Address',
        `${said} Your key travels in the clear.`,
        'Use https:// where Parley is reached over a network.',
      )
    : passedCheck('Address', said);
}

const SHOWN_KEY_CHARACTERS = 10;
const LONG_KEY_LENGTH = 32;

/** Keys are ASCII without spaces: anything else came with copying, and cannot even be sent. */
export function isSendableKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export function checkKey({ key: given }: ConnectionSettings): DoctorCheck {
  if (given === undefined) return passedCheck('Key', 'PARLEY_API_KEY is not set.');
  if (!isSendableKey(given) || /^["']|["']$/.test(given))
    return failedCheck(
      'Key',
      'PARLEY_API_KEY has quotes, spaces or other characters that no key has.',
      'Copy it again, without what is around it.',
    );
  const said = `PARLEY_API_KEY is set${given.length >= LONG_KEY_LENGTH ? ` (${given.slice(0, SHOWN_KEY_CHARACTERS)}…)` : ''}.`;
  return given.startsWith('parley_')
    ? passedCheck('Key', said)
    : warningCheck(
        'Key',
        `${said} It is no key as Parley makes them.`,
        'Those begin with parley_: `npm run key` makes one.',
      );
}

/** As package.json has it: ^20.19 || >=22.12. */
export function checkNodeVersion(version: string): DoctorCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isGood = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return isGood
    ? passedCheck('Node', `${version}.`)
    : failedCheck(
        'Node',
        `${version} is not one that Parley runs on.`,
        'Install Node 20.19 or later (of Node 22, 22.12).',
      );
}

const MIN_COLUMNS = 40;

export function checkTerminal(terminal: Terminal, env: NodeJS.ProcessEnv): DoctorCheck {
  if (!terminal.isInteractive)
    return passedCheck(
      'Terminal',
      'None here: questions are asked line by line, and there are no colours unless FORCE_COLOR is set.',
    );
  const width = terminal.width();
  const said = `${width} columns, ${terminal.style.isColored ? 'with' : 'without'} colours.`;
  if (!isUtf8Locale(env))
    return warningCheck(
      'Terminal',
      `${said} Its locale is not UTF-8: some signs may not show.`,
      'Set LANG to one that is, such as C.UTF-8.',
    );
  if (width < MIN_COLUMNS)
    return warningCheck('Terminal', `${said} That is narrow.`, `Make the window at least ${MIN_COLUMNS} columns wide.`);
  return passedCheck('Terminal', said);
}

function isUtf8Locale({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  return process.platform === 'win32' || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

/** One thing that was looked at. */
export interface DoctorCheck {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  /** What was found. */
  said: string;
  /** What to do about it, where something is not as it should be. */
  next?: string;
}

export function passedCheck(name: string, said: string): DoctorCheck {
  return { name, state: 'ok', said };
}

export function warningCheck(name: string, said: string, next: string): DoctorCheck {
  return { name, state: 'warn', said, next };
}

export function failedCheck(name: string, said: string, next: string): DoctorCheck {
  return { name, state: 'fail', said, next };
}
