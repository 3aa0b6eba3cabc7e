import { readConfig } from '#channels/read-config';
import { type Config, ConfigError } from '#infra/config';

/** Variables that a function requires, as it has no persistent disk. */
const REQUIRED_VARIABLES = {
  PARLEY_SECRET: 'there is no disk to keep one on, and every invocation has to know the same',
  TEMPORAL_ADDRESS: 'there is no Temporal server in a function',
};

/** Reads the configuration and checks that it suits a Lambda function. */
export function readLambdaConfig(moreRequired: Record<string, string> = {}): Config {
  const config = readConfig();
  const issues = Object.entries({ ...REQUIRED_VARIABLES, ...moreRequired })
    .filter(([name]) => !config.environment[name])
    .map(([name, reason]) => `  ${name}: is needed: ${reason}`);
  for (const [name, location] of Object.entries({
    PARLEY_STORAGE: config.storage,
    PARLEY_EXPORTS: config.exports,
  }))
    if (location?.kind === 'folder') issues.push(`  ${name}: must be a bucket: a function has no disk that lasts`);
  if (issues.length > 0) throw new ConfigError(`Invalid environment variables:\n${issues.join('\n')}`);
  return config;
}
