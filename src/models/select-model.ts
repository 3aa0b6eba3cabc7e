import { type AnthropicOptions, createAnthropicModel } from './anthropic';
import { demoScript } from './demo/script';
import { startDemoModelServer } from './demo/server';
import type { Model } from './model';

export interface SelectedModel {
  model: Model;
  /** For people to read. */
  name: string;
  stop(): Promise<void>;
}

/** The real model where there is a key; otherwise the rehearsal, spoken to by the same SDK. */
export async function selectModel(given: AnthropicOptions | undefined): Promise<SelectedModel> {
  if (given) {
    const where = given.baseURL ? `Anthropic's API at ${given.baseURL}` : "Anthropic's API";
    return { model: createAnthropicModel(given), name: where, stop: async () => undefined };
  }
  const rehearsal = await startDemoModelServer(demoScript, { record: false });
  const name = 'the REHEARSAL model: scripted, no key needed. Set ANTHROPIC_API_KEY for the real one';
  return {
    model: createAnthropicModel({ apiKey: 'rehearsal', baseURL: rehearsal.url }),
    name,
    stop: () => rehearsal.stop(),
  };
}
