import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { z } from 'zod';
import {
  ChannelEnvironment,
  type ChannelSettings,
  REQUIRED_TOGETHER,
  readChannelSettings,
} from '#contract/channel-settings';
import { type ApiKey, ApiKeys } from '#contract/permissions';
import { FiniteDuration } from '#contract/time';
import { type EncryptionKeyRing, EncryptionKeys } from './crypto/encryption-keys';
import { parseInternalHost } from './http-client/internal-hosts';
import { isLoopbackHost } from './loopback';
import { StorageLocation } from './storage/storage-location';
import { readTracingSettings, TracingEnvironment, type TracingSettings } from './telemetry/tracing-settings';

const portSchema = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port, a number from 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port, a number from 0 to 65535');
const httpUrlSchema = z.url({
  protocol: /^https?$/,
  error: 'must be a web address, with http:// or https://',
});

const countSchema = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'must be a whole number, at least 1')
  .transform(Number);
const originsSchema = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((origin) => origin !== ''))
  .pipe(
    z.array(
      z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, {
        error: 'must be origins such as https://app.example.com, with no path, and commas between',
      }),
    ),
  );

const internalHostsSchema = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((host) => host !== ''))
  .pipe(
    z.array(
      z.string().refine((text) => parseInternalHost(text) !== undefined, {
        error: ({ input }) =>
          `"${input}" is no host or network: write wiki.corp, build:8080, 10.1.2.3, [fd00::1]:8080 or 10.0.0.0/8, with commas between`,
      }),
    ),
  );

export const DAY_MS = 86_400_000;
/** Temporal takes no less than a day. */
const retentionSchema = z
  .string()
  .transform((text) => FiniteDuration.safeParse(text).data ?? 0)
  .refine((ms) => ms >= DAY_MS, 'write a duration as 30d or 72h: at least 1d and at most 10 years');

/** Temporal writes a version as deployment.build, and splits it at the first dot. */
const versionSchema = z.string().regex(/^[A-Za-z0-9_+-][A-Za-z0-9._+-]{0,127}$/, 'must be letters, digits, and ._+-');

/** Links begin with it. */
function isBaseUrl(url: string): boolean {
  const { username, password, search, hash } = new URL(url);
  return [username, password, search, hash].every((part) => part === '');
}

/** An empty variable is one that is not set. */
const Environment = ChannelEnvironment.extend({
  PORT: portSchema.optional(),
  HOST: z.string().default('127.0.0.1'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_CLI: z.string().refine(existsSync, 'there is no such file').optional(),
  TEMPORAL_UI_URL: httpUrlSchema.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: httpUrlSchema.optional(),
  PARLEY_AGENTS: z.string().default('agents'),
  PARLEY_DATA: z.string().default('.parley'),
  PARLEY_PUBLIC_URL: httpUrlSchema.refine(isBaseUrl, 'must be an address with no user, query or # in it').optional(),
  PARLEY_API_KEYS: ApiKeys.optional(),
  PARLEY_CORS_ORIGINS: originsSchema.optional(),
  PARLEY_RATE_LIMIT: countSchema.default(100),
  PARLEY_REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be an address with redis:// or rediss://' }).optional(),
  PARLEY_TRUST_PROXY: z
    .string()
    .regex(/^[0-9]$/, 'must be how many proxies stand before the API, from 0 to 9')
    .transform(Number)
    .default(0),
  PARLEY_INTERNAL_HOSTS: internalHostsSchema.optional(),
  PARLEY_SECRET: z.string().min(16, 'must be at least 16 characters').optional(),
  PARLEY_DRAIN: FiniteDuration.optional(),
  PARLEY_IDLE: FiniteDuration.default(5_000),
  PARLEY_WAKE: z.string().optional(),
  PARLEY_ENCRYPTION_KEYS: EncryptionKeys.optional(),
  PARLEY_STORAGE: StorageLocation.optional(),
  PARLEY_EXPORTS: StorageLocation.optional(),
  PARLEY_S3_ENDPOINT: httpUrlSchema.optional(),
  PARLEY_RETENTION: retentionSchema.default(30 * DAY_MS),
  PARLEY_DEPLOYMENT: versionSchema.refine((name) => !name.includes('.'), 'must have no dot').default('parley'),
  PARLEY_BUILD_ID: versionSchema.optional(),
  PARLEY_WORKER_PORT: portSchema.optional(),
  PARLEY_DEADLOCK_DETECTOR: z.enum(['sdk', 'parley']).default('parley'),
  ...TracingEnvironment.shape,
});

const LoopbackCheckedEnvironment = Environment.refine(
  ({ HOST, PARLEY_API_KEYS }) => PARLEY_API_KEYS || isLoopbackHost(HOST),
  {
    path: ['HOST'],
    error:
      'without PARLEY_API_KEYS Parley answers everybody, so it listens on loopback only: make a key with `parley admin key`, or leave HOST at 127.0.0.1',
    when: () => true,
  },
);

/** Checks variables that are needed together. */
const CheckedEnvironment = REQUIRED_TOGETHER.reduce(
  (schema, [present, required, reason]) =>
    schema.refine((values) => !values[present] || values[required], {
      path: [required],
      error: `is needed with ${present}: ${reason}`,
      when: () => true,
    }),
  LoopbackCheckedEnvironment,
);

type TemporalConnection = ReturnType<typeof loadClientConnectConfig>;

export interface Config {
  /** Undefined where any port will do and 3000 is only preferred. */
  port: number | undefined;
  host: string;
  temporal: {
    address: string | undefined;
    namespace: string;
    connection: TemporalConnection['connectionOptions'];
    uiUrl: string | undefined;
    /** What payloads are encrypted with: by the first; the others read what they encrypted once. */
    encryption: EncryptionKeyRing | undefined;
    /** For how long what ended is kept, where Parley makes the namespace. */
    retentionMs: number;
  };
  /** Undefined where there is neither a key nor another model to talk to: then the rehearsal model plays. */
  model: { apiKey: string; baseURL?: string } | undefined;
  agentsFolder: string;
  dataFolder: string;
  publicUrl: string | undefined;
  secret: string | undefined;
  /** How long what is under way may take when the process is told to stop. Undefined where somebody waits at a terminal. */
  drainMs: number | undefined;
  /** Where a worker runs for as long as there is work: after so long without, it ends. */
  idleMs: number;
  /** The Lambda function that runs a worker; the API invokes it when work is pending. */
  workerFunctionName: string | undefined;
  /** Undefined if no keys are set: then anybody on this machine may do everything. */
  apiKeys: ApiKey[] | undefined;
  corsOrigins: string[];
  /** Requests a second, for each key and for each address without one. */
  rateLimit: number;
  redisUrl: string | undefined;
  trustedProxies: number;
  /** On the inside, and agents may call them all the same: a name wherever it leads, a network whatever the name. */
  internalHosts: string[];
  channels: ChannelSettings;
  /** Where large results and old entries are kept. */
  storage: StorageLocation | undefined;
  /** Where a conversation is written down when it ends. */
  exports: StorageLocation | undefined;
  /** Of buckets that are not at AWS. */
  s3Endpoint: string | undefined;
  /** Which build of Parley this worker is, where deploys are told apart. */
  build: { deploymentName: string; buildId: string } | undefined;
  /** For what an agent's file names. */
  environment: Readonly<Record<string, string | undefined>>;
  logLevel: string | undefined;
  /** Where a worker tells how it is; undefined where nobody asks. */
  workerPort: number | undefined;
  /** What notices workflow code that does not return: the SDK, or Parley's detector, which takes less CPU. */
  deadlockDetector: 'sdk' | 'parley';
  /** Where traces are sent; undefined where none are made. */
  tracing: TracingSettings | undefined;
}

/** Reads and validates the environment once, and reports every issue. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const environment = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = CheckedEnvironment.safeParse(environment);
  if (!result.success) {
    const issues = result.error.issues.map((issue) => `  ${String(issue.path[0])}: ${issue.message}`);
    throw new ConfigError(`The environment has faults:\n${issues.join('\n')}`);
  }
  const values = result.data;
  const { connectionOptions, namespace } = readTemporalConnection(environment);
  return {
    port: values.PORT,
    host: values.HOST,
    temporal: {
      address: values.TEMPORAL_ADDRESS,
      namespace: namespace ?? 'default',
      connection: connectionOptions,
      uiUrl: values.TEMPORAL_UI_URL?.replace(/\/+$/, ''),
      encryption: values.PARLEY_ENCRYPTION_KEYS,
      retentionMs: values.PARLEY_RETENTION,
    },
    model: readModelSettings(values),
    agentsFolder: path.resolve(values.PARLEY_AGENTS),
    dataFolder: path.resolve(values.PARLEY_DATA),
    publicUrl: values.PARLEY_PUBLIC_URL?.replace(/\/+$/, ''),
    secret: values.PARLEY_SECRET,
    drainMs: values.PARLEY_DRAIN,
    idleMs: values.PARLEY_IDLE,
    workerFunctionName: values.PARLEY_WAKE,
    apiKeys: values.PARLEY_API_KEYS,
    corsOrigins: values.PARLEY_CORS_ORIGINS ?? [],
    rateLimit: values.PARLEY_RATE_LIMIT,
    redisUrl: values.PARLEY_REDIS_URL,
    trustedProxies: values.PARLEY_TRUST_PROXY,
    internalHosts: values.PARLEY_INTERNAL_HOSTS ?? [],
    channels: readChannelSettings(values),
    storage: values.PARLEY_STORAGE,
    exports: values.PARLEY_EXPORTS,
    s3Endpoint: values.PARLEY_S3_ENDPOINT,
    build: readBuildSettings(values),
    environment,
    logLevel: values.LOG_LEVEL,
    workerPort: values.PARLEY_WORKER_PORT,
    deadlockDetector: values.PARLEY_DEADLOCK_DETECTOR,
    tracing: readTracingSettings(values),
  };
}

/** A mistake in how Parley was started: shown without a stack. */
export class ConfigError extends Error {}

/** The environment only: a profile on somebody's disk must not send a local start to their production. */
function readTemporalConnection(env: Record<string, string | undefined>): TemporalConnection {
  try {
    return loadClientConnectConfig({ disableFile: true, overrideEnvVars: env as Record<string, string> });
  } catch (error) {
    throw new ConfigError(`The TEMPORAL_* variables have a fault: ${(error as Error).message}`);
  }
}

function readBuildSettings({ PARLEY_DEPLOYMENT, PARLEY_BUILD_ID }: z.infer<typeof Environment>): Config['build'] {
  return PARLEY_BUILD_ID ? { deploymentName: PARLEY_DEPLOYMENT, buildId: PARLEY_BUILD_ID } : undefined;
}

function readModelSettings(values: z.infer<typeof Environment>): Config['model'] {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseURL } = values;
  if (!apiKey && !baseURL) return undefined;
  // A gateway of one's own may need no key; the SDK insists on one.
  return { apiKey: apiKey ?? 'none', ...(baseURL ? { baseURL } : {}) };
}
