import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { z } from 'zod';
import { entriesOf } from '#contract/error-messages';
import { PeopleList, type Person } from '#contract/people';
import { ApiKeys } from '#contract/permissions';
import { FiniteDuration } from '#contract/time';
import { EncryptionKeys } from './crypto/encryption-keys';
import { parseInternalHost } from './http-client/internal-hosts';
import { isLoopbackHost } from './loopback';
import { ModelPrices } from './model-prices';
import { StorageLocation } from './storage/storage-location';
import { readTracingSettings, TracingEnvironment } from './telemetry/tracing-settings';

const portSchema = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number from 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port number from 0 to 65535');
const httpUrlSchema = z.url({
  protocol: /^https?$/,
  error: 'must be an http:// or https:// URL',
});

const countSchema = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'must be a whole number of at least 1')
  .transform(Number);
const originsSchema = entriesOf(
  z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, {
    error: 'must be comma-separated origins without a path, such as https://app.example.com',
  }),
  /[\s,]+/,
);

const internalHostsSchema = entriesOf(
  z.string().refine((text) => parseInternalHost(text) !== undefined, {
    error: ({ input }) =>
      `"${input}" is not a host or network: use a comma-separated list such as wiki.corp, build:8080, 10.1.2.3, [fd00::1]:8080, 10.0.0.0/8`,
  }),
  /[\s,]+/,
);

export const DAY_MS = 86_400_000;
/** Temporal's minimum is a day. */
const retentionSchema = z
  .string()
  .transform((text) => FiniteDuration.safeParse(text).data ?? 0)
  .refine((ms) => ms >= DAY_MS, 'must be a duration such as 30d or 72h, from 1 day to 10 years');

/** Temporal writes a version as deployment.build and splits it at the first dot. */
const versionSchema = z
  .string()
  .regex(/^[A-Za-z0-9_+-][A-Za-z0-9._+-]{0,127}$/, 'must contain only letters, digits and ._+-');

/** Checks that links can start with this URL. */
function isBaseUrl(url: string): boolean {
  const { username, password, search, hash } = new URL(url);
  return [username, password, search, hash].every((part) => part === '');
}

/** The environment variables. Empty ones count as not set. */
export const Environment = z.object({
  PARLEY_PEOPLE: PeopleList.optional(),
  PORT: portSchema.optional(),
  HOST: z.string().default('127.0.0.1'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_CLI: z.string().refine(existsSync, 'file not found').optional(),
  TEMPORAL_UI_URL: httpUrlSchema.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: httpUrlSchema.optional(),
  PARLEY_MODEL_PRICES: ModelPrices,
  PARLEY_AGENTS: z.string().default('agents'),
  PARLEY_DATA: z.string().default('.parley'),
  PARLEY_PUBLIC_URL: httpUrlSchema.refine(isBaseUrl, 'must be a URL without user name, query or #').optional(),
  PARLEY_API_KEYS: ApiKeys.optional(),
  PARLEY_CORS_ORIGINS: originsSchema.optional(),
  PARLEY_RATE_LIMIT: countSchema.default(100),
  PARLEY_REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' }).optional(),
  PARLEY_TRUST_PROXY: z
    .string()
    .regex(/^[0-9]$/, 'must be the number of proxies in front of the API, from 0 to 9')
    .transform(Number)
    .default(0),
  PARLEY_INTERNAL_HOSTS: internalHostsSchema.optional(),
  PARLEY_SECRET: z
    .string()
    .min(43, 'must be 32 random bytes, as from `openssl rand -hex 32`; or unset it, and Parley generates one')
    .optional(),
  PARLEY_DRAIN: FiniteDuration.optional(),
  PARLEY_IDLE: FiniteDuration.default(5_000),
  PARLEY_OVERLOAD_LIMIT: FiniteDuration.default(DAY_MS),
  PARLEY_WAKE: z.string().optional(),
  PARLEY_ENCRYPTION_KEYS: EncryptionKeys.optional(),
  PARLEY_STORAGE: StorageLocation.optional(),
  PARLEY_EXPORTS: StorageLocation.optional(),
  PARLEY_S3_ENDPOINT: httpUrlSchema.optional(),
  PARLEY_RETENTION: retentionSchema.default(30 * DAY_MS),
  PARLEY_DEPLOYMENT: versionSchema.refine((name) => !name.includes('.'), 'must not contain a dot').default('parley'),
  PARLEY_BUILD_ID: versionSchema.optional(),
  PARLEY_WORKER_PORT: portSchema.optional(),
  PARLEY_DEADLOCK_DETECTOR: z.enum(['sdk', 'parley']).default('parley'),
  ...TracingEnvironment.shape,
});

type EnvironmentValues = z.infer<typeof Environment> & Record<string, unknown>;

/** A part of Parley with its own environment variables, such as a channel. */
export interface EnvironmentSection {
  name: string;
  /** Set if the channel accepts answers. */
  createInboundRoutes?: unknown;
  environment?: z.ZodObject;
  /** Variables that are needed together. */
  requires?: readonly [present: string, required: string, reason: string][];
  /** The settings; undefined if it is not configured. */
  readSettings(values: Record<string, unknown>): unknown;
}

/** Validates all variables, including those of the channels. */
function createEnvironmentSchema(channels: readonly EnvironmentSection[]): z.ZodType<EnvironmentValues> {
  const shape = Object.assign({}, ...channels.map(({ environment }) => environment?.shape ?? {}));
  // Only the sections know the types of their own variables.
  const extended = Environment.extend(shape) as unknown as z.ZodType<EnvironmentValues>;
  const schema = extended.refine(({ HOST, PARLEY_API_KEYS }) => PARLEY_API_KEYS || isLoopbackHost(HOST), {
    path: ['HOST'],
    error:
      'without PARLEY_API_KEYS, anyone can use Parley, so it listens on loopback only: create a key with `parley admin key`, or use 127.0.0.1',
    when: () => true,
  });
  return channels
    .flatMap(({ requires = [] }) => requires)
    .reduce(
      (checked, [present, required, reason]) =>
        checked.refine((values) => !values[present] || values[required], {
          path: [required],
          error: `is required with ${present}: ${reason}`,
          when: () => true,
        }),
      schema,
    );
}

type TemporalConnection = ReturnType<typeof loadClientConnectConfig>;

/** The known people, and the settings of each configured channel by name. */
export interface ChannelSettings {
  people: Person[];
  byName: Readonly<Record<string, unknown>>;
  /** The channels that answers may come by, configured here or not. */
  answerNames: string[];
}

export type Config = ReturnType<typeof parseEnvironment>;

/** Validates the environment, that of the channels included, and reports every issue. */
export function parseEnvironment(env: NodeJS.ProcessEnv, channels: readonly EnvironmentSection[]) {
  const environment = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = createEnvironmentSchema(channels).safeParse(environment);
  if (!result.success) {
    const issues = result.error.issues.map((issue) => `  ${String(issue.path[0])}: ${issue.message}`);
    throw new ConfigError(`Invalid environment variables:\n${issues.join('\n')}`);
  }
  const values = result.data;
  const { connectionOptions, namespace } = readTemporalConnection(environment);
  return {
    /** `undefined` to prefer 3000 and fall back to any free port. */
    port: values.PORT,
    host: values.HOST,
    temporal: {
      address: values.TEMPORAL_ADDRESS,
      namespace: namespace ?? 'default',
      connection: connectionOptions,
      uiUrl: values.TEMPORAL_UI_URL?.replace(/\/+$/, ''),
      /** Keys for payloads: the first encrypts, the others decrypt older payloads. */
      encryption: values.PARLEY_ENCRYPTION_KEYS,
      /** Retention of closed workflows, if Parley creates the namespace. */
      retentionMs: values.PARLEY_RETENTION,
    },
    /** `undefined` without an API key and base URL: then the demo model is used. */
    model: readModelSettings(values),
    /** How long a model call may wait for a model that is overloaded. */
    overloadLimitMs: values.PARLEY_OVERLOAD_LIMIT,
    findModelPrice: values.PARLEY_MODEL_PRICES,
    agentsFolder: path.resolve(values.PARLEY_AGENTS),
    dataFolder: path.resolve(values.PARLEY_DATA),
    publicUrl: values.PARLEY_PUBLIC_URL?.replace(/\/+$/, ''),
    secret: values.PARLEY_SECRET,
    /** How long running work may take at shutdown. `undefined` if a user waits at a terminal. */
    drainMs: values.PARLEY_DRAIN,
    /** How long a worker may be idle before it stops, where it runs only while there is work. */
    idleMs: values.PARLEY_IDLE,
    /** The Lambda function that runs a worker; the API invokes it when work is pending. */
    workerFunctionName: values.PARLEY_WAKE,
    /** `undefined` if no keys are set: then every user of this machine may do everything. */
    apiKeys: values.PARLEY_API_KEYS,
    corsOrigins: values.PARLEY_CORS_ORIGINS ?? [],
    /** Requests per second, for each API key and for each address without one. */
    rateLimit: values.PARLEY_RATE_LIMIT,
    redisUrl: values.PARLEY_REDIS_URL,
    trustedProxies: values.PARLEY_TRUST_PROXY,
    /** Internal hosts that agents may call: a name allows any address, a network allows any name. */
    internalHosts: values.PARLEY_INTERNAL_HOSTS ?? [],
    channels: {
      people: values.PARLEY_PEOPLE ?? [],
      byName: readSectionSettings(channels, values),
      answerNames: channels.flatMap(({ name, createInboundRoutes }) => (createInboundRoutes ? [name] : [])),
    } satisfies ChannelSettings,
    /** Storage for large results and old entries. */
    storage: values.PARLEY_STORAGE,
    /** Storage for exports of ended conversations. */
    exports: values.PARLEY_EXPORTS,
    /** Endpoint of an S3-compatible store other than AWS. */
    s3Endpoint: values.PARLEY_S3_ENDPOINT,
    /** The worker's build, if workers are versioned. */
    build: values.PARLEY_BUILD_ID
      ? { deploymentName: values.PARLEY_DEPLOYMENT, buildId: values.PARLEY_BUILD_ID }
      : undefined,
    /** The environment, for variables that agent files refer to. */
    environment,
    logLevel: values.LOG_LEVEL,
    /** Port of the worker's health and metrics server; `undefined` for none. */
    workerPort: values.PARLEY_WORKER_PORT,
    /** What notices workflow code that does not return: the SDK, or Parley's detector, which takes less CPU. */
    deadlockDetector: values.PARLEY_DEADLOCK_DETECTOR,
    /** Where to send traces; undefined if tracing is off. */
    tracing: readTracingSettings(values),
  };
}

function readSectionSettings(sections: readonly EnvironmentSection[], values: Record<string, unknown>) {
  const entries = sections.map((section) => [section.name, section.readSettings(values)] as const);
  return Object.fromEntries(entries.filter(([, settings]) => settings !== undefined));
}

/** A configuration error: printed without a stack trace. */
export class ConfigError extends Error {}

/** Reads only the environment: a Temporal profile on the user's disk could point a local start at production. */
function readTemporalConnection(env: Record<string, string | undefined>): TemporalConnection {
  try {
    return loadClientConnectConfig({ disableFile: true, overrideEnvVars: env as Record<string, string> });
  } catch (error) {
    throw new ConfigError(`Invalid TEMPORAL_* variables: ${(error as Error).message}`);
  }
}

function readModelSettings({ ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseURL }: z.infer<typeof Environment>) {
  if (!apiKey && !baseURL) return undefined;
  // The SDK requires a key, even if a custom gateway needs none.
  return { apiKey: apiKey ?? 'none', ...(baseURL ? { baseURL } : {}) };
}
