import { type Config, parseEnvironment } from '#infra/config';
import type { Channel } from './channel';
import { CHANNELS } from './registry';

/** Reads and validates the environment, including every channel's variables, and reports all issues at once. */
export function readConfig(env: NodeJS.ProcessEnv = process.env, channels: readonly Channel[] = CHANNELS): Config {
  return parseEnvironment(env, channels);
}
