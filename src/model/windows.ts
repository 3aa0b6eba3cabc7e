import type Anthropic from '@anthropic-ai/sdk';

const DEADLINE_MS = 10_000;
const AGAIN_MS = 60 * 60_000;

/**
 * How much each model reads at most, as the Models API tells. Asked in the background, once for each model; where a gateway
 * has no such address, again after an hour. Nobody waits for it.
 */
export function windows(client: Anthropic): (model: string) => number | undefined {
  const known = new Map<string, { window?: number; askAgainAt: number }>();
  return (model) => {
    const found = known.get(model);
    if (found && (found.window !== undefined || Date.now() < found.askAgainAt)) return found.window;
    const entry: { window?: number; askAgainAt: number } = { askAgainAt: Date.now() + AGAIN_MS };
    known.set(model, entry);
    client.models.retrieve(model, {}, { timeout: DEADLINE_MS }).then(
      ({ max_input_tokens: most }) => {
        if (typeof most === 'number' && most > 0) entry.window = most;
      },
      () => undefined,
    );
    return undefined;
  };
}
