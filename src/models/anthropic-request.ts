import type Anthropic from '@anthropic-ai/sdk';
import { hasPreservedThinking } from '#core/transcript/prefix';
import type { ModelCall } from './model';

type RequestParams = Anthropic.MessageStreamParams;

/** The request of a call, and its beta headers. */
export function toRequest(
  call: ModelCall,
  withBetas = true,
): { params: RequestParams; headers: Record<string, string> } {
  const isPreserved = withBetas && hasPreservedThinking(call.model);
  const thinking = thinkingConfig(call, isPreserved);
  const cacheControl: Anthropic.CacheControlEphemeral = {
    type: 'ephemeral',
    ...(withBetas && call.waitsForPeople && { ttl: '1h' }),
  };
  const params: RequestParams = {
    model: call.model,
    max_tokens: call.maxTokens,
    ...(thinking && { thinking: thinking as Anthropic.ThinkingConfigParam }),
    ...(call.effort && { output_config: { effort: call.effort } }),
    system: [{ type: 'text', text: call.system, cache_control: cacheControl }],
    tools: call.tools as Anthropic.Tool[],
    // The API rejects a tool choice without tools.
    ...(call.toolChoice && call.tools.length > 0 ? { tool_choice: { type: call.toolChoice } } : {}),
    messages: withCachePoints(call.messages as Anthropic.MessageParam[], cacheControl),
  };
  const betas = [
    ...(isPreserved ? ['inline-tools-2026-09-15'] : []),
    ...(thinking?.type === 'adaptive' && thinking.block_binding ? ['thinking-binding-controls-2026-08-01'] : []),
    ...(thinking?.type === 'adaptive' && thinking.display ? ['thinking-display-updates-2026-08-18'] : []),
  ];
  return { params, headers: betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {} };
}

/**
 * What is sent about thinking; nothing if that is left to a model without preserved thinking. With it, invalid thinking
 * is dropped rather than the request rejected, and the updates that the model writes between tool calls are readable.
 */
function thinkingConfig(
  { model, thinking }: ModelCall,
  isPreserved: boolean,
): Anthropic.Beta.BetaThinkingConfigParam | undefined {
  // Opus, Fable and Mythos always think.
  if (thinking === 'off' && isPreserved && model.includes('sonnet')) return { type: 'between_tools' };
  if (thinking === 'off' && (!isPreserved || model.includes('haiku'))) return { type: 'disabled' };
  if (!isPreserved) return thinking && { type: 'adaptive' };
  return {
    type: 'adaptive',
    ...(model.includes('haiku') ? {} : { display: 'updates' }),
    block_binding: { prefix_mismatch_behavior: 'drop_block' },
  };
}

/** The API looks back 20 blocks from a cache point, which parallel calls may exceed: the last requests' ends get one. */
const CACHED_REQUESTS = 3;

function withCachePoints(
  messages: Anthropic.MessageParam[],
  cacheControl: Anthropic.CacheControlEphemeral,
): Anthropic.MessageParam[] {
  const requestEnds = messages.flatMap((_, index) =>
    (messages[index + 1]?.role ?? 'assistant') === 'assistant' ? [index] : [],
  );
  const points = new Set(requestEnds.slice(-CACHED_REQUESTS));
  return messages.map((message, index) => {
    if (!points.has(index)) return message;
    const content = message.content as Anthropic.TextBlockParam[];
    return {
      ...message,
      content: content.with(-1, { ...(content.at(-1) as Anthropic.TextBlockParam), cache_control: cacheControl }),
    };
  });
}
