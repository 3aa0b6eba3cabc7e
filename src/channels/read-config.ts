import { type Config, parseEnvironment } from '#infra/config';
import type { Channel } from './channel';
import { CHANNELS } from './registry';

/** Reads and validates the environment once, the variables of every channel included, and reports every issue. */
export function readConfig(env: NodeJS.ProcessEnv = process.env, channels: readonly Channel[] = CHANNELS): Config {
  return parseEnvironment(env, channels);
}
