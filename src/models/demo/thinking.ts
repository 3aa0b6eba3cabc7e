import { createHash } from 'node:crypto';
import type Anthropic from '@anthropic-ai/sdk';
import { hasPreservedThinking } from '#core/transcript/prefix';

type Body = Anthropic.MessageCreateParams;
type ThinkingBlock = Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam;

/** A thinking block that was left out of the request, as the API reports it in `input_transformations`. */
export interface DroppedThinking {
  type: 'thinking_dropped';
  path: string;
  reason: 'prefix_binding_mismatch' | 'model_binding_mismatch';
}

/** Whether the model thinks before it replies: by default, on models with preserved thinking. */
export function thinksUpFront({ model, thinking }: Body): boolean {
  return hasPreservedThinking(model) && thinking?.type !== 'disabled' && thinking?.type !== 'between_tools';
}

/** Signs the thinking of a reply over everything before it: `system`, `tools`, the messages and earlier thinking. */
export function signThinking(body: Body, content: Anthropic.ContentBlock[]): void {
  const reply: Anthropic.MessageParam = { role: 'assistant', content };
  walkThinking(body, [...body.messages, reply], (block, signature, messageIndex) => {
    if (messageIndex === body.messages.length) Object.assign(block, toSigned(block, signature));
  });
}

/** Finds the thinking blocks that are no longer behind what they were written after, or are of another model. */
export function findInvalidThinking(body: Body): DroppedThinking[] {
  const dropped: DroppedThinking[] = [];
  let isBroken = false;
  walkThinking(body, body.messages, (block, expected, messageIndex, index) => {
    const [model, digest, previous] = (block.type === 'thinking' ? block.signature : block.data).split('/');
    const [, expectedDigest, expectedPrevious] = expected.split('/');
    // The oldest blocks may be left out, but none between others.
    isBroken ||= model === body.model && (digest !== expectedDigest || !['', previous].includes(expectedPrevious));
    const reason = model === body.model ? 'prefix_binding_mismatch' : 'model_binding_mismatch';
    if (isBroken || model !== body.model)
      dropped.push({ type: 'thinking_dropped', path: `messages.${messageIndex}.content.${index}`, reason });
  });
  return dropped;
}

function toSigned(block: ThinkingBlock, signature: string): ThinkingBlock {
  return block.type === 'thinking' ? { ...block, signature } : { ...block, data: signature };
}

/** Visits each thinking block with the signature that it should have. */
function walkThinking(
  { model, system, tools }: Body,
  messages: Anthropic.MessageParam[],
  visit: (block: ThinkingBlock, signature: string, messageIndex: number, index: number) => void,
): void {
  const hash = createHash('sha256').update(toSignedText([system, tools]));
  let previous = '';
  for (const [messageIndex, { role, content }] of messages.entries()) {
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    for (const [index, block] of blocks.entries()) {
      if (block.type === 'thinking' || block.type === 'redacted_thinking') {
        const digest = hash.copy().digest('hex').slice(0, 32);
        visit(block, `${model}/${digest}/${previous}`, messageIndex, index);
        previous = digest;
      } else hash.update(toSignedText([role, block]));
    }
  }
}

/** Cache points may move, and fields of replies need not be sent back. */
const UNSIGNED_FIELDS = ['cache_control', 'caller', 'citations'];

function toSignedText(value: unknown): string {
  return JSON.stringify(value, (key, member) => (UNSIGNED_FIELDS.includes(key) ? undefined : member));
}
