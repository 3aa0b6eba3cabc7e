import type { FindModelPrice } from '#infra/model-prices';
import { type AnthropicOptions, createAnthropicModel } from './anthropic';
import { demoScript } from './demo/script';
import { startDemoModelServer } from './demo/server';
import type { Model } from './model';

export interface SelectedModel {
  model: Model;
  /** Display name. */
  name: string;
  stop(): Promise<void>;
}

/** Returns the real model if it is configured, else the demo model, called with the same SDK. */
export async function selectModel(
  options: AnthropicOptions | undefined,
  findPrice: FindModelPrice,
): Promise<SelectedModel> {
  if (options) {
    const displayName = options.baseURL ? `Anthropic's API at ${options.baseURL}` : "Anthropic's API";
    return { model: createAnthropicModel({ ...options, findPrice }), name: displayName, stop: async () => undefined };
  }
  const demoServer = await startDemoModelServer(demoScript, { recordRequests: false });
  const name = 'the demo model: scripted answers, no key needed. Set ANTHROPIC_API_KEY to use a real one';
  return {
    model: createAnthropicModel({ apiKey: 'demo', baseURL: demoServer.url, findPrice }),
    name,
    stop: () => demoServer.stop(),
  };
}
