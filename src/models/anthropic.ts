import Anthropic from '@anthropic-ai/sdk';
import type { TokenUsage } from '#contract/conversation';
import { byteLength } from '#core/json';
import { hasPreservedThinking, isThinking } from '#core/transcript/prefix';
import { estimateTokens } from '#core/transcript/token-budget';
import { type ContentBlock, joinTextBlocks } from '#core/transcript/transcript';
import { type BilledTokens, costOfCall, type FindModelPrice, type ModelPrice } from '#infra/model-prices';
import { toRequest } from './anthropic-request';
import { type Model, type ModelCall, ModelError, type ModelResponse } from './model';

/** A reply without a byte for this long counts as dead, even if its connection is still open. */
const IDLE_TIMEOUT_MS = 120_000;

export interface AnthropicOptions {
  apiKey: string;
  baseURL?: string;
  /** Without it, calls have no cost. */
  findPrice?: FindModelPrice;
}

/** Creates a model on Anthropic's Messages API. The SDK's own retries are off: Temporal retries. */
export function createAnthropicModel({ findPrice, ...options }: AnthropicOptions): Model {
  const client = new Anthropic({ ...options, authToken: null, maxRetries: 0, timeout: 30 * 60_000 });
  const contextWindow = createContextWindowLookup(client);
  const modelsWithoutBetas = new Set<string>();
  return {
    contextWindow,
    async generate(call) {
      // Fills the cache in parallel with the call, which takes longer.
      contextWindow(call.model);
      const send = (withBetas: boolean) =>
        streamResponse(client, call, toRequest(call, withBetas), findPrice?.(call.model));
      try {
        return await send(!modelsWithoutBetas.has(call.model)).catch(async (error) => {
          if (call.signal.aborted || !UNSUPPORTED_PATTERN.test(toModelError(error).message)) throw error;
          const response = await send(false);
          modelsWithoutBetas.add(call.model);
          return response;
        });
      } catch (error) {
        if (call.signal.aborted) throw error;
        throw toModelError(error);
      }
    },
  };
}

/** How gateways reject the API's newer features. Without those, thinking is invisible and cached for minutes only. */
const UNSUPPORTED_PATTERN = /beta (flag|header)|for the `anthropic-beta`|extra inputs are not permitted/i;

async function streamResponse(
  client: Anthropic,
  call: ModelCall,
  { params, headers }: ReturnType<typeof toRequest>,
  price?: ModelPrice,
): Promise<ModelResponse> {
  const idleAbort = new AbortController();
  const signal = AbortSignal.any([call.signal, idleAbort.signal]);
  const timer = setTimeout(() => idleAbort.abort(), IDLE_TIMEOUT_MS);
  const watched = client.withOptions({ fetch: fetchReportingBytes(() => void timer.refresh()) });
  const withUpdates = hasPreservedThinking(call.model);
  let earlierText = '';
  let outputBytes = 0;
  const showText = (_delta: string, textSoFar: string) => {
    if (textSoFar.trim() !== '') call.onText(earlierText + textSoFar);
  };
  try {
    const reply = watched.messages.stream(params, { signal, headers });
    reply.on('streamEvent', (event, message) => {
      if (event.type === 'content_block_delta') {
        const {
          text,
          thinking,
          partial_json: json,
        } = event.delta as Partial<Record<'text' | 'thinking' | 'partial_json', string>>;
        outputBytes += byteLength(text ?? thinking ?? json ?? '');
      }
      // The API counts the output last, so that of a reply that is cut off is estimated.
      const output = Math.max(message.usage.output_tokens, estimateTokens(outputBytes));
      call.onUsage?.(toUsage({ ...message.usage, output_tokens: output }, price));
      if (event.type === 'content_block_start') {
        call.onThinking?.(isThinking(event.content_block as ContentBlock));
        const earlier = joinTextBlocks(toBlocks(message.content.slice(0, event.index)), { withUpdates });
        earlierText = earlier && `${earlier}\n\n`;
      }
    });
    reply.on('text', showText);
    if (withUpdates) reply.on('thinking', showText);
    return toModelResponse(await reply.finalMessage(), price);
  } catch (error) {
    if (!idleAbort.signal.aborted) throw error;
    throw new ModelError('model_unavailable', `The model did not respond for ${IDLE_TIMEOUT_MS / 1000} seconds.`);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `onBytes` for all that arrives: the SDK hides the pings of a model that thinks for minutes. */
function fetchReportingBytes(onBytes: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    onBytes();
    const transform = (chunk: Uint8Array, out: TransformStreamDefaultController<Uint8Array>) => {
      onBytes();
      out.enqueue(chunk);
    };
    return new Response(response.body?.pipeThrough(new TransformStream({ transform })), response);
  };
}

function toModelResponse(message: Anthropic.Message, price?: ModelPrice): ModelResponse {
  if (!message.stop_reason) throw new ModelError('model_unavailable', "The model's reply was cut off.");
  return {
    content: toBlocks(message.content),
    droppedThinking: countDroppedThinking(message),
    stopReason: message.stop_reason,
    ...describeRefusal(message.stop_details),
    usage: toUsage(message.usage, price),
  };
}

function toUsage({ cache_creation, ...usage }: Anthropic.Usage, price?: ModelPrice): TokenUsage {
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  const cacheWrite1h = cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const tokens: BilledTokens = {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite5m: Math.max(cacheWrite - cacheWrite1h, 0),
    cacheWrite1h,
  };
  return {
    inputTokens: tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h,
    outputTokens: tokens.output,
    cachedTokens: tokens.cacheRead,
    modelCalls: 1,
    ...(price ? { cost: costOfCall(price, tokens) } : {}),
  };
}

/**
 * Converts a reply to what is sent back: all of it, since thinking is bound to what is before it, without output-only
 * fields. Without thinking, blank texts are left out, which some models reject.
 */
function toBlocks(content: Anthropic.ContentBlock[]): ContentBlock[] {
  const blocks = content.map((block): ContentBlock => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    if (block.type === 'tool_use')
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input ?? {} };
    return block as unknown as ContentBlock;
  });
  return blocks.some(isThinking) ? blocks : blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

function describeRefusal(details: Anthropic.RefusalStopDetails | null): { refusal?: string } {
  const { explanation, category } = details ?? {};
  const refusal = explanation ?? (category && `the request falls under ${category}.`);
  return refusal ? { refusal } : {};
}

function countDroppedThinking(message: Anthropic.Message): number {
  const { input_transformations: changes } = message as Partial<Anthropic.Beta.BetaMessage>;
  const dropped = changes?.filter(({ type }) => type === 'thinking_dropped') ?? [];
  // A fallback model may not read the thinking of another one.
  return dropped.filter(({ reason }) => reason !== 'model_binding_mismatch').length;
}

const ERROR_CODES: Record<number, ModelError['code']> = {
  400: 'model_rejected',
  401: 'model_unauthorized',
  403: 'model_unauthorized',
  404: 'model_rejected',
  413: 'model_rejected',
  429: 'model_overloaded',
  529: 'model_overloaded',
};

/** A stream that fails after it started has an error type but no status. */
const ERROR_STATUSES: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  overloaded_error: 529,
  rate_limit_error: 429,
  api_error: 500,
};

/** Converts an error by its shape rather than its class: a module that is loaded twice has two classes. */
function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const failure = error as Partial<InstanceType<typeof Anthropic.APIError>> & { error?: unknown };
  const apiError = (failure.error as { error?: { type?: string; message?: string } } | undefined)?.error;
  const status = failure.status ?? ERROR_STATUSES[apiError?.type ?? ''];
  const reason = apiError?.message ?? failure.message ?? String(error);
  const code = ERROR_CODES[status ?? 0] ?? 'model_unavailable';
  const overflow = status === 400 ? parseContextOverflow(reason) : undefined;
  const retryAfterMs = parseRetryAfter(failure.headers);
  return new ModelError(
    code,
    describeModelError(code, status, reason),
    retryAfterMs,
    overflow,
    status,
    status === 400 && REJECTED_HISTORY_PATTERN.test(reason),
  );
}

/** The API has no error codes for these. */
const REJECTED_HISTORY_PATTERN = /thinking|signature|tool_addition|tool_removal|inline-tools|messages\.\d+\.role/i;

/** The second pattern means that the reply would not fit beside the input. The third is LiteLLM's. */
const CONTEXT_OVERFLOW_PATTERNS = [
  /prompt is too long(?:: (?<tokens>\d+) tokens > (?<limit>\d+) maximum)?/i,
  /exceed context limit(?:: (?<tokens>\d+) \+ \d+ > (?<limit>\d+))?/i,
  /ContextWindowExceededError(?:.*maximum context length is (?<limit>\d+))?/,
];

function parseContextOverflow(reason: string): ModelError['overflow'] {
  for (const pattern of CONTEXT_OVERFLOW_PATTERNS) {
    const match = pattern.exec(reason);
    if (!match) continue;
    const { tokens, limit } = match.groups ?? {};
    return { ...(tokens ? { tokens: Number(tokens) } : {}), ...(limit ? { limit: Number(limit) } : {}) };
  }
  return undefined;
}

function describeModelError(code: ModelError['code'], status: number | undefined, reason: string): string {
  const reasonWithStatus = status ? `${reason} (status ${status})` : reason;
  if (code === 'model_unauthorized') return `The model rejected the key: ${reasonWithStatus}. Check ANTHROPIC_API_KEY.`;
  if (code === 'model_rejected') return `The model rejected the request: ${reasonWithStatus}`;
  if (code === 'model_overloaded') return `The model is overloaded: ${reasonWithStatus}`;
  return `The model call failed: ${reasonWithStatus}`;
}

/** Parses seconds or a date, as HTTP allows both. */
function parseRetryAfter(headers: Headers | undefined): number | undefined {
  const value = headers?.get?.('retry-after');
  if (!value) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 3_600_000) : undefined;
}

const LOOKUP_TIMEOUT_MS = 10_000;
const LOOKUP_RETRY_MS = 60 * 60_000;

/**
 * Looks up each model's context window in the Models API, in the background and once per model, so that no call waits
 * for it. A failed lookup, as with a gateway without this endpoint, is retried after an hour.
 */
function createContextWindowLookup(client: Anthropic): (model: string) => number | undefined {
  const lookups = new Map<string, { contextWindow?: number; retryAt: number }>();
  return (model) => {
    const lookup = lookups.get(model);
    if (lookup && (lookup.contextWindow !== undefined || Date.now() < lookup.retryAt)) return lookup.contextWindow;
    const newLookup: { contextWindow?: number; retryAt: number } = { retryAt: Date.now() + LOOKUP_RETRY_MS };
    lookups.set(model, newLookup);
    client.models.retrieve(model, {}, { timeout: LOOKUP_TIMEOUT_MS }).then(
      ({ max_input_tokens: maxInputTokens }) => {
        if (typeof maxInputTokens === 'number' && maxInputTokens > 0) newLookup.contextWindow = maxInputTokens;
      },
      () => undefined,
    );
    return undefined;
  };
}
