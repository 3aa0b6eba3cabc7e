import { type Config, ConfigError, readConfig } from '#infra/config';

/** What a function cannot do without, as it has no disk that lasts. */
const REQUIRED_VARIABLES = {
  PARLEY_SECRET: 'there is no disk to keep one on, and every invocation has to know the same',
  TEMPORAL_ADDRESS: 'there is no Temporal server in a function',
};

/** The configuration, and that it suits a function. */
export function readLambdaConfig(more: Record<string, string> = {}): Config {
  const config = readConfig();
  const faults = Object.entries({ ...REQUIRED_VARIABLES, ...more })
    .filter(([name]) => !config.environment[name])
    .map(([name, why]) => `  ${name}: is needed: ${why}`);
  for (const [name, place] of Object.entries({
    PARLEY_STORAGE: config.storage,
    PARLEY_EXPORTS: config.exports,
  }))
    if (place?.kind === 'folder') faults.push(`  ${name}: must be a bucket: a function has no disk that lasts`);
  if (faults.length > 0) throw new ConfigError(`The environment has faults:\n${faults.join('\n')}`);
  return config;
}
