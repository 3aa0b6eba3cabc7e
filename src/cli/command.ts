import type { Run } from './context';

/** One command, as far as it can be told without running it: `--help` loads nothing else. */
export interface Command {
  name: string;
  /** The words it takes, as in `<id> [message]`. */
  takes: string;
  summary: string;
  /** What else there is to know, for its own help. */
  about?: string;
  options: readonly Option[];
  /** Each with what it does. */
  examples: readonly (readonly [command: string, does: string])[];
  load(): Promise<Run<never>>;
}

export interface Option {
  /** As commander writes them: `--comment <text>`. */
  flags: string;
  does: string;
  /** May be given several times; the command gets a list. */
  isList?: true;
}
