import type { ConnectionSettings } from '#cli/context';
import type { Terminal } from '#cli/tty/terminal';
import { isLoopbackUrl } from '#infra/loopback';

/** The result of one check, as `parley doctor --json` prints it. */
export interface DoctorCheck extends DoctorFinding {
  name: string;
}

export interface DoctorFinding {
  state: 'ok' | 'warn' | 'fail';
  said: string;
  /** How to fix the problem, if there is one. */
  next?: string;
}

export const passed = (said: string): DoctorFinding => ({ state: 'ok', said });
export const warned = (said: string, next: string): DoctorFinding => ({ state: 'warn', said, next });
export const failed = (said: string, next: string): DoctorFinding => ({ state: 'fail', said, next });

export function checkAddress({ url, urlSource, key }: ConnectionSettings): DoctorFinding {
  const address = `${url} (${urlSource})`;
  return new URL(url).protocol === 'http:' && key && !isLoopbackUrl(url)
    ? warned(`${address}: your key is sent unencrypted`, 'Use https:// to reach Parley over a network.')
    : passed(address);
}

const SHOWN_KEY_CHARACTERS = 10;
const LONG_KEY_LENGTH = 32;

/** Returns whether a key can be sent. Keys are ASCII without spaces; other characters come from a copying mistake. */
export function isSendableKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export function checkKey({ key }: ConnectionSettings): DoctorFinding {
  if (key === undefined) return passed('PARLEY_API_KEY is not set');
  if (!isSendableKey(key) || /^["']|["']$/.test(key))
    return failed(
      'PARLEY_API_KEY contains quotes, spaces or other invalid characters',
      'Copy the key again, without anything around it.',
    );
  const start = key.length >= LONG_KEY_LENGTH ? ` (${key.slice(0, SHOWN_KEY_CHARACTERS)}…)` : '';
  const said = `PARLEY_API_KEY is set${start}`;
  if (key.startsWith('parley_')) return passed(said);
  const next = 'Parley keys start with parley_. `parley admin key` creates one.';
  return warned(`${said}, but is not a Parley key`, next);
}

const MIN_COLUMNS = 40;

export function checkTerminal({ isInteractive, width, style }: Terminal, env: NodeJS.ProcessEnv): DoctorFinding {
  if (!isInteractive)
    return passed('Not a terminal: prompts are line by line, without colors unless FORCE_COLOR is set');
  const said = `${width()} columns, ${style.isColored ? 'with' : 'without'} colors`;
  if (!isUtf8Locale(env))
    return warned(
      `${said}; the locale is not UTF-8, so some characters may not display`,
      'Set LANG to a UTF-8 locale, such as C.UTF-8.',
    );
  if (width() >= MIN_COLUMNS) return passed(said);
  return warned(`${said}; this is narrow`, `Make the window at least ${MIN_COLUMNS} columns wide.`);
}

function isUtf8Locale({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  return process.platform === 'win32' || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}
