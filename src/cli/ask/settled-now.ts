import type { Parley } from '#client/parley';
import type { Question } from '#contract/question';

/** The question as it was settled; nothing while it waits on, or where that cannot be found out. */
export async function settledNow(
  parley: Pick<Parley, 'question'>,
  { conversationId, id }: Question,
  signal?: AbortSignal,
): Promise<Question | undefined> {
  const now = await parley.question(conversationId, id, { signal }).catch(() => undefined);
  return now && now.status !== 'pending' ? now : undefined;
}
