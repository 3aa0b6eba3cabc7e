import type { ConnectionSettings } from '#cli/context';
import type { Terminal } from '#cli/tty/terminal';
import { isLoopbackUrl } from '#infra/loopback';

/** Runs the checks that need no server. */
export function runLocalChecks(
  settings: ConnectionSettings,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): DoctorCheck[] {
  return [checkAddress(settings), checkKey(settings), checkTerminal(terminal, env)];
}

export function checkAddress({ url, urlSource, key }: ConnectionSettings): DoctorCheck {
  const message = `${url} (${urlSource})`;
  return new URL(url).protocol === 'http:' && key && !isLoopbackUrl(url)
    ? warningCheck(
        'Address',
        `${message}: your key is sent unencrypted`,
        'Use https:// to reach Parley over a network.',
      )
    : passedCheck('Address', message);
}

const SHOWN_KEY_CHARACTERS = 10;
const LONG_KEY_LENGTH = 32;

/** Returns whether a key can be sent. Keys are ASCII without spaces; other characters come from a copying mistake. */
export function isSendableKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export function checkKey({ key }: ConnectionSettings): DoctorCheck {
  if (key === undefined) return passedCheck('Key', 'PARLEY_API_KEY is not set');
  if (!isSendableKey(key) || /^["']|["']$/.test(key))
    return failedCheck(
      'Key',
      'PARLEY_API_KEY contains quotes, spaces or other invalid characters',
      'Copy the key again, without anything around it.',
    );
  const message = `PARLEY_API_KEY is set${key.length >= LONG_KEY_LENGTH ? ` (${key.slice(0, SHOWN_KEY_CHARACTERS)}…)` : ''}`;
  return key.startsWith('parley_')
    ? passedCheck('Key', message)
    : warningCheck(
        'Key',
        `${message}, but is not a Parley key`,
        'Parley keys start with parley_. `parley admin key` creates one.',
      );
}

const MIN_COLUMNS = 40;

export function checkTerminal(terminal: Terminal, env: NodeJS.ProcessEnv): DoctorCheck {
  if (!terminal.isInteractive)
    return passedCheck(
      'Terminal',
      'Not a terminal: prompts are line by line, without colors unless FORCE_COLOR is set',
    );
  const width = terminal.width();
  const message = `${width} columns, ${terminal.style.isColored ? 'with' : 'without'} colors`;
  if (!isUtf8Locale(env))
    return warningCheck(
      'Terminal',
      `${message}; the locale is not UTF-8, so some characters may not display`,
      'Set LANG to a UTF-8 locale, such as C.UTF-8.',
    );
  if (width < MIN_COLUMNS)
    return warningCheck(
      'Terminal',
      `${message}; this is narrow`,
      `Make the window at least ${MIN_COLUMNS} columns wide.`,
    );
  return passedCheck('Terminal', message);
}

function isUtf8Locale({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  return process.platform === 'win32' || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

/** The result of one check, as `parley doctor --json` prints it. */
export interface DoctorCheck {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  /** The finding. */
  said: string;
  /** How to fix the problem, if there is one. */
  next?: string;
}

export function passedCheck(name: string, message: string): DoctorCheck {
  return { name, state: 'ok', said: message };
}

export function warningCheck(name: string, message: string, next: string): DoctorCheck {
  return { name, state: 'warn', said: message, next };
}

export function failedCheck(name: string, message: string, next: string): DoctorCheck {
  return { name, state: 'fail', said: message, next };
}
