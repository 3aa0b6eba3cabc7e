import type { PayloadCodec } from '@temporalio/common';
import type { AgentsByName } from '#agents/load-agents';
import type { Agent } from '#contract/agent';
import type { ChannelSettings } from '#contract/channel-settings';
import type { SafeHttpClient } from '#infra/http-client/client';
import type { Log } from '#infra/log';
import type { ObjectStore } from '#infra/storage/object-store';
import type { Tracing } from '#infra/telemetry/tracing';
import type { Metrics } from '#telemetry/telemetry';
import type { Principal } from './middleware/authentication';
import type { createStreamLimiter } from './middleware/rate-limit';
import type { TriggerSecrets } from './routes/webhook-triggers';
import type { BuildLinks } from './services/read-conversation';
import type { StreamHub } from './streaming/hub';
import type { TemporalGateway } from './temporal/gateway';

/** What the routes need, handed in by whoever starts the API. */
export interface ApiDeps {
  /** Where the API is to be reached, with no slash at the end. */
  url: string;
  gateway: TemporalGateway;
  /** Whether the process is shutting down. It still answers, but /readyz fails. */
  isStopping(): boolean;
  streamHub: StreamHub;
  /** Serves a stream, unless this caller has too many open. */
  withStreamLimit: ReturnType<typeof createStreamLimiter>;
  agents: AgentsByName;
  /** Where large results are kept, if anywhere. */
  storage: ObjectStore | undefined;
  /** The names of the tools an agent may use. */
  toolNames(agent: Agent): string[];
  triggerSecrets: TriggerSecrets;
  buildLinks: BuildLinks;
  /** What payloads go through on their way to Temporal. */
  codecs: PayloadCodec[];
  /** Where pages of the Temporal UI come from. */
  uiOrigins: string[];
  /** Where the web app was built into. */
  webFolder: string;
  secret: string;
  /** Salt for names in Temporal's search attributes. Set only with encryption: without it, names are stored in clear. */
  audienceSalt: string | undefined;
  /** Whether nobody gets in without a key. */
  hasKeys: boolean;
  channels: ChannelSettings;
  /** The principal of a person who answers without an API key. They have the rights of their name and no others. */
  principalFor(name: string): Principal;
  /** HTTP client for webhook receivers. */
  httpClient: SafeHttpClient;
  log: Log;
  metrics: Metrics;
  /** Where traces are made. */
  tracing?: Tracing;
  /** Logs an error caused by a missing encryption key. Returns false for any other error. */
  reportMissingKey(error: unknown): boolean;
  now(): number;
}
