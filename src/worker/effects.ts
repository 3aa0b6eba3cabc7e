import type { Dependencies } from '#activities/activities';
import type { Channel } from '#channels/channel';
import { createChannels } from '#channels/channels';
import { receiversInside } from '#channels/webhook/receivers';
import type { Config } from '#config';
import { keptSecret } from '#kept-secret';
import { type Log, sayUnusable } from '#log';
import type { Metrics } from '#metrics/metrics';
import { chooseModel } from '#model/choose';
import { createNetwork } from '#network/guarded';
import { openExports, openStorage } from '#storage/open-store';
import { createMcpServers } from '#tools/mcp/servers';
import { tracedModel } from '#tracing/model';
import { tracedNetwork } from '#tracing/network';
import type { Tracing } from '#tracing/tracing';

/** What activities reach the world by. */
export interface Effects {
  forActivities: Omit<Dependencies, 'tools' | 'vouches' | 'readTranscript' | 'client'>;
  /** What the model is called by, for people to read. */
  model: string;
  close(): Promise<void>;
}

/** Who looks on at what a worker does. */
export interface Onlookers {
  metrics?: Metrics;
  tracing?: Tracing;
}

export async function openEffects(
  config: Config,
  log: Log,
  given?: Channel[],
  { metrics, tracing }: Onlookers = {},
): Promise<Effects> {
  const model = await chooseModel(config.model);
  const network = createNetwork({ internal: config.internalHosts });
  const mcp = createMcpServers({ variables: config.environment });
  const way = createNetwork({ internal: receiversInside(config) });
  const outside = tracing ? tracedNetwork(way, tracing) : way;
  const channels =
    given ??
    createChannels({
      settings: config.channels,
      secret: keptSecret(config.secret, config.data),
      network: outside,
      log,
      isOpen: !config.keys,
      isPrivate: config.temporal.encryption !== undefined,
    });
  const storage = openStorage(config.storage, config, config.temporal.encryption);
  const exports = config.exports && openExports(config.exports, config);
  const ended = new AbortController();
  sayUnusable(log, 'PARLEY_STORAGE', storage?.tryOut('write'), ended.signal);
  sayUnusable(log, 'PARLEY_EXPORTS', exports?.tryOut('write'), ended.signal);
  const { environment: variables } = config;
  const counted = metrics ? metrics.model(model.model) : model.model;
  const called = tracing ? tracedModel(counted, tracing) : counted;
  return {
    forActivities: { model: called, network, mcp, channels, variables, storage, exports },
    model: model.name,
    async close() {
      ended.abort();
      await Promise.all([model.stop(), mcp.close(), network.close(), outside.close()]);
      storage?.close();
      exports?.close();
    },
  };
}
