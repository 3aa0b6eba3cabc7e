import type { loadCurrentWorkflowCode } from '#cli/admin/replay/replay-histories';
import type { ParleyClient } from '#client/parley';
import { type ExitCode, usageError } from './errors';
import type { Terminal } from './tty/terminal';

/** Dependencies of an admin command, which does not call the API. */
export interface AdminContext {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** Print one JSON document on stdout, and never prompt. */
  isJson: boolean;
  /** Loads the workflows to replay histories against. Defaults to those of this build. */
  loadWorkflowCode?: typeof loadCurrentWorkflowCode;
}

/** Dependencies of a command. */
export interface CommandContext extends AdminContext {
  parley: ParleyClient;
  settings: ConnectionSettings;
}

/** A parsed command line: positional arguments, and options by name. */
export interface CommandArguments<Options = Record<string, unknown>> {
  args: string[];
  options: Options;
}

export type CommandHandler<Options = Record<string, unknown>, Context = CommandContext> = (
  context: Context,
  commandArguments: CommandArguments<Options>,
) => Promise<ExitCode>;
export type AdminHandler<Options = Record<string, unknown>> = CommandHandler<Options, AdminContext>;

/** The address and API key of the Parley server. */
export interface ConnectionSettings {
  url: string;
  /** The source of the address, named in error messages. */
  urlSource: '--url' | 'PARLEY_URL' | 'default';
  key: string | undefined;
}

/**
 * Reads the settings. An empty variable counts as unset. The key is never an option, because other users could read it
 * on the command line.
 */
export function readConnectionSettings(env: NodeJS.ProcessEnv, urlOption?: string): ConnectionSettings {
  const [address, urlSource] = findAddress(env, urlOption);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw usageError(
      `${urlSource} must be a URL such as http://127.0.0.1:3000, not ${JSON.stringify(maskCredentials(address))}.`,
    );
  if (url.username !== '' || url.password !== '')
    throw usageError(
      `${urlSource} must not contain a user name or password: ${JSON.stringify(maskCredentials(address))}. Set PARLEY_API_KEY instead.`,
    );
  return { url: address.replace(/\/+$/, ''), urlSource, key: env.PARLEY_API_KEY?.trim() || undefined };
}

function findAddress(env: NodeJS.ProcessEnv, urlOption: string | undefined): [string, ConnectionSettings['urlSource']] {
  if (urlOption) return [urlOption, '--url'];
  if (env.PARLEY_URL) return [env.PARLEY_URL, 'PARLEY_URL'];
  return ['http://127.0.0.1:3000', 'default'];
}

/** Masks anything that may be a user name and password, even if the rest is not a URL. */
function maskCredentials(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@');
}
