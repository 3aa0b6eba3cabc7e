import { type AnthropicOptions, anthropic } from './anthropic';
import type { Model } from './model';
import { startRehearsal } from './rehearsal';
import { demonstration } from './rehearsal-script';

export interface ChosenModel {
  model: Model;
  /** For people to read. */
  name: string;
  stop(): Promise<void>;
}

/** The real model where there is a key; otherwise the rehearsal, spoken to by the same SDK. */
export async function chooseModel(given: AnthropicOptions | undefined): Promise<ChosenModel> {
  if (given) {
    const where = given.baseURL ? `Anthropic's API at ${given.baseURL}` : "Anthropic's API";
    return { model: anthropic(given), name: where, stop: async () => undefined };
  }
  const rehearsal = await startRehearsal(demonstration, { record: false });
  const name = 'the REHEARSAL model: scripted, no key needed. Set ANTHROPIC_API_KEY for the real one';
  return {
    model: anthropic({ apiKey: 'rehearsal', baseURL: rehearsal.url }),
    name,
    stop: () => rehearsal.stop(),
  };
}
