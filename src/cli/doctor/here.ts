import type { Settings } from '#cli/settings';
import type { Terminal } from '#cli/terminal';
import { type Check, fail, ok, warn } from './check';

/** What can be told without asking anybody. */
export function here(settings: Settings, terminal: Terminal, env: NodeJS.ProcessEnv): Check[] {
  return [address(settings), key(settings), node(process.versions.node), screen(terminal, env)];
}

const FROM: Record<Settings['urlFrom'], string> = {
  '--url': 'from --url',
  PARLEY_URL: 'from PARLEY_URL',
  PORT: 'from PORT',
  default: 'as nothing else is set',
};

export function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

export function address({ url, urlFrom, key: given }: Settings): Check {
  const said = `${url}, ${FROM[urlFrom]}.`;
  return new URL(url).protocol === 'http:' && given && !isLoopback(url)
    ? warn(
        'Address',
        `${said} Your key travels in the clear.`,
        'Use https:// where Parley is reached over a network.',
      )
    : ok('Address', said);
}

const SHOWN = 10;
const LONG = 32;

/** Keys are ASCII without spaces: anything else came with copying, and cannot even be sent. */
export function isSendable(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export function key({ key: given }: Settings): Check {
  if (given === undefined) return ok('Key', 'PARLEY_API_KEY is not set.');
  if (!isSendable(given) || /^["']|["']$/.test(given))
    return fail(
      'Key',
      'PARLEY_API_KEY has quotes, spaces or other characters that no key has.',
      'Copy it again, without what is around it.',
    );
  const said = `PARLEY_API_KEY is set${given.length >= LONG ? ` (${given.slice(0, SHOWN)}…)` : ''}.`;
  return given.startsWith('parley_')
    ? ok('Key', said)
    : warn(
        'Key',
        `${said} It is no key as Parley makes them.`,
        'Those begin with parley_: `npm run key` makes one.',
      );
}

/** As package.json has it: ^20.19 || >=22.12. */
export function node(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isGood = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return isGood
    ? ok('Node', `${version}.`)
    : fail(
        'Node',
        `${version} is not one that Parley runs on.`,
        'Install Node 20.19 or later (of Node 22, 22.12).',
      );
}

const NARROW = 40;

export function screen(terminal: Terminal, env: NodeJS.ProcessEnv): Check {
  if (!terminal.isInteractive)
    return ok(
      'Terminal',
      'None here: questions are asked line by line, and there are no colours unless FORCE_COLOR is set.',
    );
  const width = terminal.width();
  const said = `${width} columns, ${terminal.style.isColored ? 'with' : 'without'} colours.`;
  if (!isUnicode(env))
    return warn(
      'Terminal',
      `${said} Its locale is not UTF-8: some signs may not show.`,
      'Set LANG to one that is, such as C.UTF-8.',
    );
  if (width < NARROW)
    return warn('Terminal', `${said} That is narrow.`, `Make the window at least ${NARROW} columns wide.`);
  return ok('Terminal', said);
}

function isUnicode({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  return process.platform === 'win32' || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}
