import { readConfig } from '#channels/read-config';
import { type Config, ConfigError } from '#infra/config';

/** Variables that a function requires, as it has no persistent disk. */
const REQUIRED_VARIABLES = {
  PARLEY_SECRET: 'Lambda has no persistent disk, and all invocations must share it',
  TEMPORAL_ADDRESS: 'there is no Temporal server on Lambda',
};

/** Reads the configuration and checks that it suits a Lambda function. */
export function readLambdaConfig(moreRequired: Record<string, string> = {}): Config {
  const config = readConfig();
  const issues = Object.entries({ ...REQUIRED_VARIABLES, ...moreRequired })
    .filter(([name]) => !config.environment[name])
    .map(([name, reason]) => `  ${name}: is required: ${reason}`);
  for (const [name, location] of Object.entries({ PARLEY_STORAGE: config.storage, PARLEY_EXPORTS: config.exports }))
    if (location?.kind === 'folder') issues.push(`  ${name}: must be a bucket: Lambda has no persistent disk`);
  if (issues.length > 0) throw new ConfigError(`Invalid environment variables:\n${issues.join('\n')}`);
  return config;
}
