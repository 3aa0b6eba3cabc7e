import Anthropic from '@anthropic-ai/sdk';
import type { ContentBlock } from '#core/transcript/transcript';
import { type Model, type ModelCall, ModelError, type ModelResponse } from './model';

/** A reply without a byte for this long counts as dead, even if its connection is still open. */
const IDLE_TIMEOUT_MS = 120_000;

export interface AnthropicOptions {
  apiKey: string;
  baseURL?: string;
}

/** Creates a model on Anthropic's Messages API. The SDK's own retries are off: Temporal retries. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const client = new Anthropic({ ...options, authToken: null, maxRetries: 0, timeout: 30 * 60_000 });
  const contextWindow = createContextWindowLookup(client);
  return {
    contextWindow,
    async generate(call) {
      // Fills the cache in parallel with the call, which takes longer.
      contextWindow(call.model);
      try {
        return await streamResponse(client, call);
      } catch (error) {
        if (call.signal.aborted) throw error;
        throw toModelError(error);
      }
    },
  };
}

async function streamResponse(client: Anthropic, call: ModelCall): Promise<ModelResponse> {
  const idleAbort = new AbortController();
  const signal = AbortSignal.any([call.signal, idleAbort.signal]);
  const timer = setTimeout(() => idleAbort.abort(), IDLE_TIMEOUT_MS);
  const watched = client.withOptions({ fetch: fetchReportingBytes(() => void timer.refresh()) });
  try {
    const reply = watched.messages.stream(toRequestParams(call), { signal });
    reply.on('text', (_delta, textSoFar) => call.onText(textSoFar));
    return toModelResponse(await reply.finalMessage());
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

const CACHE_CONTROL = { cache_control: { type: 'ephemeral' } } as const;

/** Sets two cache points: tools with the system prompt, and the transcript so far. */
function toRequestParams(call: ModelCall): Anthropic.MessageStreamParams {
  const messages = call.messages.map(({ role, content }, index) => {
    const isLast = index === call.messages.length - 1;
    return {
      role,
      content: isLast ? [...content.slice(0, -1), { ...content.at(-1), ...CACHE_CONTROL }] : content,
    };
  });
  return {
    model: call.model,
    max_tokens: call.maxTokens,
    system: [{ type: 'text', text: call.system, ...CACHE_CONTROL }],
    tools: call.tools as Anthropic.Tool[],
    // The API rejects a tool choice without tools.
    ...(call.toolChoice && call.tools.length > 0 ? { tool_choice: { type: call.toolChoice } } : {}),
    messages: messages as Anthropic.MessageParam[],
  };
}

function toModelResponse(message: Anthropic.Message): ModelResponse {
  if (!message.stop_reason) throw new ModelError('model_unavailable', "The model's reply was cut off.");
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = message.usage;
  const inputTokens = input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
  return {
    content: message.content.flatMap(toBlocks),
    stopReason: message.stop_reason,
    usage: { inputTokens, outputTokens: output_tokens },
  };
}

/** Converts a block to what may be sent back: the API rejects empty texts and its own output-only fields. */
function toBlocks(block: Anthropic.ContentBlock): ContentBlock[] {
  if (block.type === 'text') return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
  if (block.type === 'tool_use')
    return [{ type: 'tool_use', id: block.id, name: block.name, input: block.input ?? {} }];
  return [block as unknown as ContentBlock];
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
  return new ModelError(code, describeModelError(code, status, reason), retryAfterMs, overflow, status);
}

/** The API has no error code for this. The second pattern means that the reply would not fit beside the input. */
const CONTEXT_OVERFLOW_PATTERNS = [
  /prompt is too long(?:: (\d+) tokens > (\d+) maximum)?/i,
  /exceed context limit(?:: (\d+) \+ \d+ > (\d+))?/i,
];

function parseContextOverflow(reason: string): ModelError['overflow'] {
  for (const pattern of CONTEXT_OVERFLOW_PATTERNS) {
    const [match, tokens, limit] = pattern.exec(reason) ?? [];
    if (match) return tokens && limit ? { tokens: Number(tokens), limit: Number(limit) } : {};
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
