import type { ParleyClient } from '#client/parley';
import { type ExitCode, usageError } from './errors';
import type { Terminal } from './tty/terminal';

/** What every command has to hand. */
export interface CommandContext {
  parley: ParleyClient;
  settings: ConnectionSettings;
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** One JSON document on stdout, and nobody is asked anything. */
  isJson: boolean;
}

/** What was given on the command line: the words, and the options by name. */
export interface CommandArguments<Options = Record<string, unknown>> {
  words: string[];
  options: Options;
}

export type CommandHandler<Options = Record<string, unknown>> = (
  context: CommandContext,
  given: CommandArguments<Options>,
) => Promise<ExitCode>;

/** Which Parley, and as whom. */
export interface ConnectionSettings {
  url: string;
  /** Where the address comes from, for those who wonder. */
  urlFrom: '--url' | 'PARLEY_URL' | 'PORT' | 'default';
  key: string | undefined;
}

const DEFAULT_PORT = '3000';

/** A variable that is set to nothing counts as not set. A key is never taken from the command line: others could read it there. */
export function readConnectionSettings(env: NodeJS.ProcessEnv, given?: string): ConnectionSettings {
  const [written, urlFrom] = findAddress(env, given);
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw usageError(
      `${urlFrom} is ${JSON.stringify(maskCredentials(written))}, which is no web address. Write it as http://127.0.0.1:3000.`,
    );
  if (url.username !== '' || url.password !== '')
    throw usageError(
      `${urlFrom} is ${JSON.stringify(maskCredentials(written))}, with a user or a password in it. Leave them out: a key goes into PARLEY_API_KEY.`,
    );
  return { url: written.replace(/\/+$/, ''), urlFrom, key: env.PARLEY_API_KEY?.trim() || undefined };
}

function findAddress(env: NodeJS.ProcessEnv, given: string | undefined): [string, ConnectionSettings['urlFrom']] {
  if (given) return [given, '--url'];
  if (env.PARLEY_URL) return [env.PARLEY_URL, 'PARLEY_URL'];
  if (env.PORT) return [`http://127.0.0.1:${parsePort(env.PORT)}`, 'PORT'];
  return [`http://127.0.0.1:${DEFAULT_PORT}`, 'default'];
}

const MAX_PORT = 65_535;

function parsePort(written: string): string {
  const port = written.trim();
  if (!/^\d+$/.test(port) || Number(port) > MAX_PORT)
    throw usageError(
      `PORT is ${JSON.stringify(written)}, which is no port. Make it a number such as ${DEFAULT_PORT}, or set PARLEY_URL.`,
    );
  return port;
}

/** Without whatever may be a user and a password, though the rest be no address either. */
function maskCredentials(written: string): string {
  return written.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@');
}
