import type { Context } from '#cli/context';
import type { Question } from '#contract/question';
import { put } from './put';
import type { Put } from './reply';
import { watchFor } from './watch-for';

/** Puts a question where nothing else is listened to: this listens for it to be settled elsewhere. */
export async function putAlone(context: Context, question: Question): Promise<Put> {
  const { gone, stop } = watchFor(context.parley, question);
  try {
    return await put(context, question, gone);
  } finally {
    stop();
  }
}
