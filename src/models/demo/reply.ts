import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type Anthropic from '@anthropic-ai/sdk';
import { type DroppedThinking, signThinking, thinksUpFront } from './thinking';

export interface ModelRequest {
  body: Anthropic.MessageCreateParams;
  headers: IncomingHttpHeaders;
  /** When the request head arrived, by `performance.now()`: before the body was read and checked. */
  arrivedAt: number;
  /** Thinking that is no longer valid. */
  invalidThinking: DroppedThinking[];
  /** The client disconnected before the reply was complete. */
  aborted: boolean;
  /** Resolves when the exchange has ended for any reason. */
  closed: Promise<void>;
}

export type ReplyBlock =
  | Anthropic.TextBlockParam
  | Anthropic.ToolUseBlockParam
  | Anthropic.ThinkingBlockParam
  | Anthropic.RedactedThinkingBlockParam;

/** A reply of the model. Counts of streamed events include `message_start` and `ping`, but not thinking. */
export interface ScriptedMessage {
  text?: string;
  calls?: { name: string; input: unknown; id?: string }[];
  /** The thinking before the reply, if the model thinks on this request. Empty by default, as the API sends it. */
  thinking?: string;
  /** Waits for this promise in the middle of the thinking. */
  holdThinking?: Promise<unknown>;
  /** Replaces `text` and `calls`. Its thinking gets valid signatures. */
  content?: ReplyBlock[];
  stopReason?: string;
  /** Why the model refused. */
  stopDetails?: Partial<Anthropic.RefusalStopDetails>;
  usage?: Partial<Anthropic.Usage>;
  /** Delay before the reply starts. */
  delayMs?: number;
  /** Delay before each streamed chunk. */
  chunkMs?: number;
  /** Destroys the socket after that many streamed events. */
  cutAfter?: number;
  /** Sends the stream's `error` event (overloaded) after that many streamed events. */
  errorAfter?: number;
  /** Waits for this promise before the reply starts, or after `holdAfter` streamed events if that is set. */
  hold?: Promise<unknown>;
  holdAfter?: number;
}

export interface ScriptedError {
  error: { status: number; type?: string; message?: string; retryAfter?: number | string };
}

/** The script's reply to one request. */
export type ScriptedReply = ScriptedMessage | ScriptedError;

export type ModelScript = (request: ModelRequest, index: number) => ScriptedReply | Promise<ScriptedReply>;

export function composeMessage(
  body: Anthropic.MessageCreateParams,
  reply: ScriptedMessage,
  dropped: DroppedThinking[] = [],
): Anthropic.Message & { input_transformations: DroppedThinking[] } {
  const blocks = reply.content ?? toReplyBlocks(reply);
  const hasThinking = blocks.some(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  const thinking: ReplyBlock = { type: 'thinking', thinking: reply.thinking ?? '', signature: '' };
  const content = [...(thinksUpFront(body) && !hasThinking ? [thinking] : []), ...blocks].map(toContentBlock);
  if (thinksUpFront(body)) signThinking(body, content);
  const stopReason = reply.stopReason ?? (content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn');
  return {
    id: `msg_${generateApiId()}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content,
    container: null,
    diagnostics: null,
    stop_reason: stopReason as Anthropic.StopReason,
    stop_sequence: null,
    stop_details: reply.stopDetails
      ? { type: 'refusal', category: null, explanation: null, ...reply.stopDetails }
      : null,
    usage: { ...estimateUsage(body, content), ...reply.usage },
    input_transformations: dropped,
  };
}

function toReplyBlocks({ text, calls = [] }: ScriptedMessage): ReplyBlock[] {
  const toolUses = calls.map(({ name, input, id }) => ({
    type: 'tool_use' as const,
    id: id ?? `toolu_${generateApiId()}`,
    name,
    input,
  }));
  return text === undefined ? toolUses : [{ type: 'text', text }, ...toolUses];
}

function toContentBlock(block: ReplyBlock): Anthropic.ContentBlock {
  if (block.type === 'text') return { type: 'text', text: block.text, citations: null };
  if (block.type !== 'tool_use') return { ...block };
  return { type: 'tool_use', id: block.id, name: block.name, input: block.input, caller: { type: 'direct' } };
}

/** Estimates 4 characters per token, close enough for realistic budgets and compaction. */
const estimateTokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);

export function countInputTokens(body: Anthropic.MessageCreateParams): number {
  return estimateTokens([body.system ?? '', body.tools ?? [], body.messages]);
}

function estimateUsage(body: Anthropic.MessageCreateParams, content: unknown[]): Anthropic.Usage {
  return {
    input_tokens: countInputTokens(body),
    output_tokens: estimateTokens(content),
    output_tokens_details: null,
    cache_creation: null,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    inference_geo: null,
    server_tool_use: null,
    service_tier: 'standard',
    speed: null,
  };
}

/** Generates a random id, like the API's own: the next request may not repeat a `tool_use` id. */
export function generateApiId(): string {
  return `01${randomUUID().replaceAll('-', '').slice(0, 22)}`;
}

type StreamEvent = Anthropic.RawMessageStreamEvent | { type: 'ping' };
type Delta = Anthropic.RawContentBlockDelta;

/** How often the stream pings while the model thinks. */
const PING_MS = 15_000;

/** Streams a message as the API does. Returns false if the script cuts the connection. */
export async function streamMessage(
  res: ServerResponse,
  message: Anthropic.Message,
  reply: ScriptedMessage,
  signal: AbortSignal,
): Promise<boolean> {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  res.flushHeaders();
  const pings = setInterval(() => void writeStreamEvent(res, 'ping', { type: 'ping' }), PING_MS);
  res.once('close', () => clearInterval(pings));
  let sent = 0;
  for (const event of toStreamEvents(message)) {
    const isThinking = 'index' in event && !['text', 'tool_use'].includes(message.content[event.index]?.type ?? '');
    if (!isThinking) {
      if (sent === reply.cutAfter) return false;
      if (sent === reply.errorAfter) break;
      if (sent === reply.holdAfter) await waitUnlessAborted(reply.hold, signal);
      sent += 1;
    }
    if (event.type === 'content_block_delta') await delayReply(reply.chunkMs, signal);
    if (signal.aborted) return true;
    await writeStreamEvent(res, event.type, event);
    if (isThinking && event.type === 'content_block_start') await waitUnlessAborted(reply.holdThinking, signal);
  }
  if (sent === reply.cutAfter) return false;
  if (sent === reply.errorAfter) await writeStreamEvent(res, 'error', OVERLOADED_EVENT);
  res.end();
  return true;
}

export async function delayReply(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms) await sleep(ms, undefined, { signal }).catch(() => {});
}

/** Waits for `hold`, or until the client disconnects, so that no reply waits forever. */
export async function waitUnlessAborted(hold: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await Promise.race([hold, aborted]);
}

const OVERLOADED_EVENT = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

/** Waits until the event is sent, so that a later cut cannot lose it. */
function writeStreamEvent(res: ServerResponse, name: string, data: unknown): Promise<void> {
  return new Promise((resolve) => {
    res.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`, () => resolve());
  });
}

function* toStreamEvents(message: Anthropic.Message): Generator<StreamEvent> {
  const { content, stop_reason, stop_details, usage } = message;
  const startedMessage = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  yield { type: 'message_start', message: startedMessage };
  yield { type: 'ping' };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: toEmptyBlock(block) };
    for (const delta of toDeltas(block)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null, stop_details, container: null },
    usage: {
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      output_tokens_details: usage.output_tokens_details,
      cache_creation_input_tokens: usage.cache_creation_input_tokens,
      cache_read_input_tokens: usage.cache_read_input_tokens,
      server_tool_use: usage.server_tool_use,
    },
  };
  yield { type: 'message_stop' };
}

function toEmptyBlock(block: Anthropic.ContentBlock): Anthropic.ContentBlock {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function toDeltas(block: Anthropic.ContentBlock): Delta[] {
  if (block.type === 'text') return splitText(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'thinking') {
    const thoughts = splitText(block.thinking).map((thinking): Delta => ({ type: 'thinking_delta', thinking }));
    return [...thoughts, { type: 'signature_delta', signature: block.signature }];
  }
  if (block.type !== 'tool_use') return [];
  // The API starts every input with an empty chunk.
  const parts = ['', ...splitText(JSON.stringify(block.input ?? {}))];
  return parts.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
}

/** Splits text into chunks of a few words, at spaces if there are any, and never within a character. */
function splitText(text: string): string[] {
  return text.match(/[\s\S]{1,24}(?=\s|$)|[\s\S]{1,24}/gu) ?? [];
}
