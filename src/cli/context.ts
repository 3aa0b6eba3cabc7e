import type { Parley } from '#client/parley';
import type { Exit } from './exit';
import type { Settings } from './settings';
import type { Terminal } from './terminal';

/** What every command has to hand. */
export interface Context {
  parley: Parley;
  settings: Settings;
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** One JSON document on stdout, and nobody is asked anything. */
  isJson: boolean;
}

/** What was given on the command line: the words, and the options by name. */
export interface Given<Options = Record<string, unknown>> {
  words: string[];
  options: Options;
}

export type Run<Options = Record<string, unknown>> = (
  context: Context,
  given: Given<Options>,
) => Promise<Exit>;
