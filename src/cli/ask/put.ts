import type { Context } from '#cli/context';
import type { Question } from '#contract/question';
import type { Asker } from './asker';
import type { Put } from './reply';
import { type End, gone, untilDone } from './until-done';

/** Whoever listens tells it here when somebody else settles the question: the signal's reason is the question as it stands. */
export type Gone = AbortSignal;

/** Puts a question to whoever is at the terminal, by keys or line by line, until it is settled or left; says what came of it. */
export async function put(context: Context, question: Question, given: Gone): Promise<Put> {
  if (context.isJson) return { kind: 'later', question };
  const { terminal } = context;
  const end =
    question.status === 'pending' ? await asking(context, question, given) : gone(context, question, []);
  if (end.put.kind === 'refused') terminal.complain(...end.lines);
  else terminal.print(...end.lines);
  return end.put;
}

async function asking(context: Context, question: Question, given: Gone): Promise<End> {
  const asker = await askerFor(context, question, given);
  try {
    return await untilDone(context, question, asker);
  } finally {
    asker.close();
  }
}

/** Each is loaded only where it is used. */
async function askerFor({ terminal }: Context, question: Question, given: Gone): Promise<Asker> {
  if (terminal.isInteractive) return (await import('./screen.js')).byKeys(terminal, question, given);
  return (await import('./plain/by-lines.js')).byLines(terminal, question, given);
}
