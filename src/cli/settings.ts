import { misuse } from './exit';

/** Which Parley, and as whom. */
export interface Settings {
  url: string;
  /** Where the address comes from, for those who wonder. */
  urlFrom: '--url' | 'PARLEY_URL' | 'PORT' | 'default';
  key: string | undefined;
}

const DEFAULT_PORT = '3000';

/** A variable that is set to nothing counts as not set. A key is never taken from the command line: others could read it there. */
export function settingsFrom(env: NodeJS.ProcessEnv, given?: string): Settings {
  const [written, urlFrom] = addressIn(env, given);
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw misuse(
      `${urlFrom} is ${JSON.stringify(masked(written))}, which is no web address. Write it as http://127.0.0.1:3000.`,
    );
  if (url.username !== '' || url.password !== '')
    throw misuse(
      `${urlFrom} is ${JSON.stringify(masked(written))}, with a user or a password in it. Leave them out: a key goes into PARLEY_API_KEY.`,
    );
  return { url: written.replace(/\/+$/, ''), urlFrom, key: env.PARLEY_API_KEY?.trim() || undefined };
}

function addressIn(env: NodeJS.ProcessEnv, given: string | undefined): [string, Settings['urlFrom']] {
  if (given) return [given, '--url'];
  if (env.PARLEY_URL) return [env.PARLEY_URL, 'PARLEY_URL'];
  if (env.PORT) return [`http://127.0.0.1:${portIn(env.PORT)}`, 'PORT'];
  return [`http://127.0.0.1:${DEFAULT_PORT}`, 'default'];
}

const LAST_PORT = 65_535;

function portIn(written: string): string {
  const port = written.trim();
  if (!/^\d+$/.test(port) || Number(port) > LAST_PORT)
    throw misuse(
      `PORT is ${JSON.stringify(written)}, which is no port. Make it a number such as ${DEFAULT_PORT}, or set PARLEY_URL.`,
    );
  return port;
}

/** Without whatever may be a user and a password, though the rest be no address either. */
function masked(written: string): string {
  return written.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@');
}
