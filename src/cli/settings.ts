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
  if (!URL.canParse(written) || !/^https?:$/.test(new URL(written).protocol))
    throw misuse(
      `${urlFrom === 'PORT' ? 'PORT' : urlFrom} is ${JSON.stringify(written)}, which is no web address. Write it as http://127.0.0.1:3000.`,
    );
  return { url: written.replace(/\/+$/, ''), urlFrom, key: env.PARLEY_API_KEY?.trim() || undefined };
}

function addressIn(env: NodeJS.ProcessEnv, given: string | undefined): [string, Settings['urlFrom']] {
  if (given) return [given, '--url'];
  if (env.PARLEY_URL) return [env.PARLEY_URL, 'PARLEY_URL'];
  if (env.PORT) return [`http://127.0.0.1:${env.PORT}`, 'PORT'];
  return [`http://127.0.0.1:${DEFAULT_PORT}`, 'default'];
}
