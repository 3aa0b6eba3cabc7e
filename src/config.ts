import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { z } from 'zod';

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port, a number from 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port, a number from 0 to 65535');
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a web address, with http:// or https://' });

/** An empty variable is one that is not set. */
const Environment = z.object({
  PORT: port.optional(),
  HOST: z
    .string()
    .regex(
      /^(127(\.\d{1,3}){3}|::1|localhost)$/,
      'Parley answers without a key, so it listens on loopback only: leave HOST at 127.0.0.1',
    )
    .default('127.0.0.1'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_CLI: z.string().refine(existsSync, 'there is no such file').optional(),
  TEMPORAL_UI_URL: httpUrl.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: httpUrl.optional(),
  PARLEY_AGENTS: z.string().default('agents'),
  PARLEY_DATA: z.string().default('.parley'),
  PARLEY_PUBLIC_URL: httpUrl.optional(),
  // Kept out until it is checked: whoever sets it believes that the API is locked.
  PARLEY_API_KEYS: z
    .never({ error: 'keys are not supported yet; unset it. Parley listens on loopback only' })
    .optional(),
  PARLEY_SECRET: z.string().min(16, 'must be at least 16 characters').optional(),
});

type Connection = ReturnType<typeof loadClientConnectConfig>;

export interface Config {
  /** Undefined where any port will do and 3000 is only preferred. */
  port: number | undefined;
  host: string;
  temporal: {
    address: string | undefined;
    namespace: string;
    connection: Connection['connectionOptions'];
    uiUrl: string | undefined;
  };
  /** Undefined where there is neither a key nor another model to talk to: then the rehearsal model plays. */
  model: { apiKey: string; baseURL?: string } | undefined;
  agents: string;
  data: string;
  publicUrl: string | undefined;
  secret: string | undefined;
  logLevel: string | undefined;
}

/** Read and check the environment once, and name every fault. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`The environment has faults:\n${faults.join('\n')}`);
  }
  const values = parsed.data;
  const { connectionOptions, namespace } = temporalOf(given);
  return {
    port: values.PORT,
    host: values.HOST,
    temporal: {
      address: values.TEMPORAL_ADDRESS,
      namespace: namespace ?? 'default',
      connection: connectionOptions,
      uiUrl: values.TEMPORAL_UI_URL?.replace(/\/+$/, ''),
    },
    model: modelOf(values),
    agents: path.resolve(values.PARLEY_AGENTS),
    data: path.resolve(values.PARLEY_DATA),
    publicUrl: values.PARLEY_PUBLIC_URL?.replace(/\/+$/, ''),
    secret: values.PARLEY_SECRET,
    logLevel: values.LOG_LEVEL,
  };
}

/** A mistake in how Parley was started: shown without a stack. */
export class ConfigError extends Error {}

/** The environment only: a profile on somebody's disk must not send a local start to their production. */
function temporalOf(env: Record<string, string | undefined>): Connection {
  try {
    return loadClientConnectConfig({ disableFile: true, overrideEnvVars: env as Record<string, string> });
  } catch (error) {
    throw new ConfigError(`The TEMPORAL_* variables have a fault: ${(error as Error).message}`);
  }
}

function modelOf(values: z.infer<typeof Environment>): Config['model'] {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseURL } = values;
  if (!apiKey && !baseURL) return undefined;
  // A gateway of one's own may need no key; the SDK insists on one.
  return { apiKey: apiKey ?? 'none', ...(baseURL ? { baseURL } : {}) };
}
