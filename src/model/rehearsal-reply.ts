import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type Anthropic from '@anthropic-ai/sdk';

export interface ModelRequest {
  body: Anthropic.MessageCreateParams;
  headers: IncomingHttpHeaders;
  /** When its head came in, by `performance.now()`: before it was read and checked. */
  arrivedAt: number;
  /** The client hung up before it had the whole reply. */
  aborted: boolean;
  /** Resolves when the exchange is over, whichever way. */
  closed: Promise<void>;
}

export type ReplyBlock =
  | Anthropic.TextBlockParam
  | Anthropic.ToolUseBlockParam
  | Anthropic.ThinkingBlockParam;

/** What the model says. Streamed events are counted as sent, from 1: `message_start`, and `ping` too. */
export interface Speech {
  text?: string;
  calls?: { name: string; input: unknown; id?: string }[];
  /** In place of `text` and `calls`. */
  content?: ReplyBlock[];
  stopReason?: string;
  usage?: Partial<Anthropic.Usage>;
  /** Wait before the reply starts. */
  delayMs?: number;
  /** Pause before each streamed piece. */
  chunkMs?: number;
  /** Destroy the socket after that many streamed events. */
  cutAfter?: number;
  /** Send the stream's `error` event (overloaded) after that many streamed events. */
  errorAfter?: number;
  /** Wait for it before the reply starts, or within the stream where `holdAfter` is set. */
  hold?: Promise<unknown>;
  holdAfter?: number;
}

export interface Refusal {
  error: { status: number; type?: string; message?: string; retryAfter?: number | string };
}

/** What the script says to one request. */
export type Reply = Speech | Refusal;

export type Script = (request: ModelRequest, index: number) => Reply | Promise<Reply>;

export function compose(body: Anthropic.MessageCreateParams, speech: Speech): Anthropic.Message {
  const content = (speech.content ?? blocksOf(speech)).map(asSent);
  const stop =
    speech.stopReason ?? (content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn');
  return {
    id: `msg_${token()}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content,
    container: null,
    diagnostics: null,
    stop_reason: stop as Anthropic.StopReason,
    stop_sequence: null,
    stop_details: null,
    usage: { ...countTokens(body, content), ...speech.usage },
  };
}

function blocksOf({ text, calls = [] }: Speech): ReplyBlock[] {
  const uses = calls.map(({ name, input, id }) => ({
    type: 'tool_use' as const,
    id: id ?? `toolu_${token()}`,
    name,
    input,
  }));
  return text === undefined ? uses : [{ type: 'text', text }, ...uses];
}

function asSent(block: ReplyBlock): Anthropic.ContentBlock {
  if (block.type === 'text') return { type: 'text', text: block.text, citations: null };
  if (block.type === 'thinking') return block;
  return { type: 'tool_use', id: block.id, name: block.name, input: block.input, caller: { type: 'direct' } };
}

/** About 4 characters a token, which is near enough for budgets and compaction to behave as they would. */
const tokensOf = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);

export function inputTokens(body: Anthropic.MessageCreateParams): number {
  return tokensOf([body.system ?? '', body.tools ?? [], body.messages]);
}

function countTokens(body: Anthropic.MessageCreateParams, content: unknown[]): Anthropic.Usage {
  return {
    input_tokens: inputTokens(body),
    output_tokens: tokensOf(content),
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

/** Random, as the API's own ids are: a repeated `tool_use` id is refused in the next request. */
export function token(): string {
  return `01${randomUUID().replaceAll('-', '').slice(0, 22)}`;
}
