import type Anthropic from '@anthropic-ai/sdk';
import { SUMMARY_REQUEST } from '#core/summary-request';
import type { Speech } from './rehearsal-reply';

/** Is this asked for, in place of the next step of the play? */
export function isSummaryRequest({ messages }: Anthropic.MessageCreateParams): boolean {
  const { content = '' } = messages.at(-1) ?? {};
  const last = typeof content === 'string' ? content : content.at(-1);
  const text = typeof last === 'string' ? last : last?.type === 'text' ? last.text : '';
  return text.startsWith(SUMMARY_REQUEST);
}

/** So many of the newest lines; those of before are in the summary above, if there is one. */
const LINES = 40;
const LINE_LENGTH = 160;

/** A summary as the rehearsal can make one: a line for each thing that was said or done. */
export function summary({ messages }: Anthropic.MessageCreateParams): Speech {
  const lines = messages.slice(1).flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return blocks.flatMap((block) => {
      if (block.type === 'tool_use') return [`- Called ${block.name}.`];
      if (block.type !== 'text' || block.text.startsWith('[Parley:')) return [];
      return [`- ${role === 'user' ? 'The person' : 'I'} said: ${lineOf(block.text)}`];
    });
  });
  return {
    text: ['What happened so far, as the rehearsal model noted it:', ...lines.slice(-LINES)].join('\n'),
  };
}

function lineOf(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH - 1)}…` : line;
}
