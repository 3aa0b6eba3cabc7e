import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type Anthropic from '@anthropic-ai/sdk';
import type { Speech } from './rehearsal-reply';

type StreamEvent = Anthropic.RawMessageStreamEvent | { type: 'ping' };
type Delta = Anthropic.RawContentBlockDelta;

/** Stream a message as the API does. False where the script has the connection cut. */
export async function streamMessage(
  res: ServerResponse,
  message: Anthropic.Message,
  speech: Speech,
  gone: AbortSignal,
): Promise<boolean> {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  res.flushHeaders();
  let sent = 0;
  for (const event of eventsOf(message)) {
    if (sent === speech.cutAfter) return false;
    if (sent === speech.errorAfter) break;
    if (sent === speech.holdAfter) await unlessGone(speech.hold, gone);
    if (event.type === 'content_block_delta') await pause(speech.chunkMs, gone);
    if (gone.aborted) return true;
    await send(res, event.type, event);
    sent += 1;
  }
  if (sent === speech.cutAfter) return false;
  if (sent === speech.errorAfter) await send(res, 'error', OVERLOADED);
  res.end();
  return true;
}

export async function pause(ms: number | undefined, gone: AbortSignal): Promise<void> {
  if (ms) await sleep(ms, undefined, { signal: gone }).catch(() => {});
}

/** A client that hangs up must not leave a reply waiting for ever. */
export async function unlessGone(hold: Promise<unknown> | undefined, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return;
  const left = new Promise((resolve) => gone.addEventListener('abort', resolve, { once: true }));
  await Promise.race([hold, left]);
}

const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

/** Waits until the event is out, so that a cut after it comes after it. */
function send(res: ServerResponse, name: string, data: unknown): Promise<void> {
  return new Promise((resolve) => {
    res.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`, () => resolve());
  });
}

function* eventsOf(message: Anthropic.Message): Generator<StreamEvent> {
  const { content, stop_reason, usage } = message;
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  yield { type: 'message_start', message: begun };
  yield { type: 'ping' };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptied(block) };
    for (const delta of deltasOf(block)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null, stop_details: null, container: null },
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

function emptied(block: Anthropic.ContentBlock): Anthropic.ContentBlock {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function deltasOf(block: Anthropic.ContentBlock): Delta[] {
  if (block.type === 'text') return pieces(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'thinking') {
    const thoughts = pieces(block.thinking).map((thinking): Delta => ({ type: 'thinking_delta', thinking }));
    return [...thoughts, { type: 'signature_delta', signature: block.signature }];
  }
  if (block.type !== 'tool_use') return [];
  // The API opens every input with an empty piece.
  const parts = ['', ...pieces(JSON.stringify(block.input ?? {}))];
  return parts.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
}

/** A few words each, cut between words where there are any, and never within a character. */
function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,24}(?=\s|$)|[\s\S]{1,24}/gu) ?? [];
}
