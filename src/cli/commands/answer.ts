import { put } from '../ask/put';
import type { Put } from '../ask/reply';
import { watchFor } from '../ask/watch-for';
import type { Run } from '../context';
import { EXIT, type Exit } from '../exit';

const EXITS: Record<Put['kind'], Exit> = {
  settled: EXIT.completed,
  kept: EXIT.completed,
  later: EXIT.waiting,
  left: EXIT.waiting,
  gone: EXIT.refused,
  refused: EXIT.refused,
};

export const run: Run = async (context, { words: [id = ''] }) => {
  const question = await context.parley.question(id);
  const { gone, stop } = watchFor(context.parley, question);
  try {
    const { kind } = await put(context, question, { gone, isSudden: false });
    return EXITS[kind];
  } finally {
    stop();
  }
};
