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
  /** Whether it has been told to stop: it goes on answering, but nobody should be sent here any more. */
  isLeaving(): boolean;
  live: StreamHub;
  /** Shows a stream, unless this caller has too many. */
  stream: ReturnType<typeof createStreamLimiter>;
  agents: AgentsByName;
  /** Where large results are kept, if anywhere. */
  storage: ObjectStore | undefined;
  /** The names of those an agent may use. */
  tools(agent: Agent): string[];
  hookSecrets: TriggerSecrets;
  linksOf: BuildLinks;
  /** What payloads go through on their way to Temporal. */
  codecs: PayloadCodec[];
  /** Where pages of the Temporal UI come from. */
  uiOrigins: string[];
  /** Where the web app was built into. */
  webFolder: string;
  secret: string;
  /** What conversations that begin now hide names by in Temporal's index: with encryption, they do. */
  hiddenBy: string | undefined;
  /** Whether nobody gets in without a key. */
  hasKeys: boolean;
  channels: ChannelSettings;
  /** Somebody who answers by another way than with a key: they may by their name, and by nothing else. */
  callerNamed(name: string): Principal;
  /** The way to receivers of webhooks. */
  network: SafeHttpClient;
  log: Log;
  metrics: Metrics;
  /** Where traces are made. */
  tracing?: Tracing;
  /** Whether it is about a key that is missing: then that is in the log. */
  sayMissing(error: unknown): boolean;
  now(): number;
}
