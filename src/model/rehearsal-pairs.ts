export type Json = Record<string, unknown>;
export interface Turn {
  role: unknown;
  content: unknown;
  blocks: Json[];
}

/** One id, one call, in the whole conversation. */
export function repeatFault(turns: Turn[]): string | undefined {
  const seen = new Set<unknown>();
  return firstFault(turns, ({ blocks }, at) =>
    firstFault(blocks, ({ type, id }, index) => {
      if (type !== 'tool_use') return undefined;
      if (seen.has(id)) return `messages.${at}.content.${index}: \`tool_use\` ids must be unique`;
      seen.add(id);
      return undefined;
    }),
  );
}

/** Results come first in the message right after the calls, one for each, and nowhere else. */
export function pairingFault({ blocks }: Turn, at: number, turns: Turn[]): string | undefined {
  const results = blocks.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id);
  const twice = results.find((id, index) => results.indexOf(id) !== index);
  if (twice)
    return `messages.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
  const called = idsOf(turns[at - 1]);
  const stray = blocks.findIndex(
    (block) => block.type === 'tool_result' && !called.includes(block.tool_use_id),
  );
  if (stray >= 0) {
    return `messages.${at}.content.${stray}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${blocks[stray]?.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  const next = turns[at + 1]?.blocks ?? [];
  const end = next.findIndex((block) => block.type !== 'tool_result');
  const answered = (end < 0 ? next : next.slice(0, end)).map((block) => block.tool_use_id);
  const open = idsOf(turns[at]).filter((id) => !answered.includes(id));
  return open.length > 0
    ? `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    : undefined;
}

function idsOf(turn: Turn | undefined): unknown[] {
  return (turn?.blocks ?? []).filter((block) => block.type === 'tool_use').map((block) => block.id);
}

export function firstFault<T>(
  items: T[],
  check: (item: T, at: number, all: T[]) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const fault = check(item, at, items);
    if (fault) return fault;
  }
  return undefined;
}
