import type { loadCurrentWorkflowCode } from '#cli/admin/replay/replay-histories';
import type { ParleyClient } from '#client/parley';
import { type ExitCode, usageError } from './errors';
import type { Terminal } from './tty/terminal';

/** What an admin command works with: it calls no API. */
export interface AdminContext {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** Print one JSON document on stdout, and never prompt. */
  isJson: boolean;
  /** Loads the workflows to replay histories against; those of this build unless set. */
  loadWorkflowCode?: typeof loadCurrentWorkflowCode;
}

/** Everything a command works with. */
export interface CommandContext extends AdminContext {
  parley: ParleyClient;
  settings: ConnectionSettings;
}

/** A parsed command line: the positional arguments, and the options by name. */
export interface CommandArguments<Options = Record<string, unknown>> {
  args: string[];
  options: Options;
}

export type CommandHandler<Options = Record<string, unknown>, Context = CommandContext> = (
  context: Context,
  commandArguments: CommandArguments<Options>,
) => Promise<ExitCode>;
export type AdminHandler<Options = Record<string, unknown>> = CommandHandler<Options, AdminContext>;

/** Which Parley to call, and with which key. */
export interface ConnectionSettings {
  url: string;
  /** Where the address comes from, to name it in error messages. */
  urlSource: '--url' | 'PARLEY_URL' | 'PORT' | 'default';
  key: string | undefined;
}

const DEFAULT_PORT = '3000';

/** A variable that is set to nothing counts as not set. A key is never taken from the command line: others could read it there. */
export function readConnectionSettings(env: NodeJS.ProcessEnv, urlOption?: string): ConnectionSettings {
  const [address, urlSource] = findAddress(env, urlOption);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw usageError(
      `${urlSource} is ${JSON.stringify(maskCredentials(address))}, which is no web address. Write it as http://127.0.0.1:3000.`,
    );
  if (url.username !== '' || url.password !== '')
    throw usageError(
      `${urlSource} is ${JSON.stringify(maskCredentials(address))}, with a user or a password in it. Leave them out: a key goes into PARLEY_API_KEY.`,
    );
  return { url: address.replace(/\/+$/, ''), urlSource, key: env.PARLEY_API_KEY?.trim() || undefined };
}

function findAddress(env: NodeJS.ProcessEnv, urlOption: string | undefined): [string, ConnectionSettings['urlSource']] {
  if (urlOption) return [urlOption, '--url'];
  if (env.PARLEY_URL) return [env.PARLEY_URL, 'PARLEY_URL'];
  if (env.PORT) return [`http://127.0.0.1:${parsePort(env.PORT)}`, 'PORT'];
  return [`http://127.0.0.1:${DEFAULT_PORT}`, 'default'];
}

const MAX_PORT = 65_535;

function parsePort(value: string): string {
  const port = value.trim();
  if (!/^\d+$/.test(port) || Number(port) > MAX_PORT)
    throw usageError(
      `PORT is ${JSON.stringify(value)}, which is no port. Make it a number such as ${DEFAULT_PORT}, or set PARLEY_URL.`,
    );
  return port;
}

/** Hides anything that may be a user and a password, even if the rest is not a URL. */
function maskCredentials(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@');
}
