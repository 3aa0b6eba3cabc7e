import type { PayloadCodec } from '@temporalio/common';
import type { AgentsByName } from '#agents/load-agents';
import type { Channel } from '#channels/channel';
import type { Agent } from '#contract/agent';
import type { ChannelSettings } from '#infra/config';
import type { SafeHttpClient } from '#infra/http-client/client';
import type { Log } from '#infra/log';
import type { FindModelPrice } from '#infra/model-prices';
import type { ObjectStore } from '#infra/storage/object-store';
import type { Tracing } from '#infra/telemetry/tracing';
import type { Metrics } from '#telemetry/telemetry';
import type { Principal } from './middleware/authentication';
import type { createStreamLimiter } from './middleware/rate-limit';
import type { TriggerSecrets } from './routes/webhook-triggers';
import type { BuildLinks } from './services/read-conversation';
import type { StreamHub } from './streaming/hub';
import type { TemporalGateway } from './temporal/gateway';

/** What the routes need, from the code that starts the API. */
export interface ApiDeps {
  /** Public URL of the API, without a trailing slash. */
  url: string;
  gateway: TemporalGateway;
  /** Whether the process is shutting down. It still answers, but /readyz fails. */
  isStopping(): boolean;
  streamHub: StreamHub;
  /** Serves a stream, unless this caller has too many open. */
  withStreamLimit: ReturnType<typeof createStreamLimiter>;
  agents: AgentsByName;
  findModelPrice: FindModelPrice;
  /** Storage for large results, if any. */
  storage: ObjectStore | undefined;
  /** Returns the names of the tools that an agent may use. */
  toolNames(agent: Agent): string[];
  triggerSecrets: TriggerSecrets;
  buildLinks: BuildLinks;
  /** Codecs that encode payloads for Temporal. */
  codecs: PayloadCodec[];
  /** Origins of the Temporal UI. */
  uiOrigins: string[];
  /** Folder of the built web app. */
  webFolder: string;
  secret: string;
  /**
   * Salt for names in Temporal's search attributes. Set only with encryption: without it, names are stored in plain text.
   */
  audienceSalt: string | undefined;
  /** Whether API keys are configured, and so required. */
  hasKeys: boolean;
  channels: readonly Channel[];
  channelSettings: ChannelSettings;
  /**
   * Returns the principal of a person who answers without an API key. They have the rights of their name and no others.
   */
  principalFor(name: string): Principal;
  /** HTTP client for webhook receivers. */
  httpClient: SafeHttpClient;
  log: Log;
  metrics: Metrics;
  /** Set if tracing is on. */
  tracing?: Tracing;
  /** Logs an error caused by a missing encryption key. Returns false for any other error. */
  reportMissingKey(error: unknown): boolean;
  now(): number;
}
