import type { Answered } from '#client/input';
import type { Context } from './context';
import { EXIT, type Exit } from './exit';

/** Says what came of an answer or a refusal: it counts, or is kept until a worker is up. */
export function sayStanding({ terminal, isJson }: Context, standing: Answered, settled: string): Exit {
  if (isJson) terminal.printJson(standing);
  else if (standing.question.status !== 'pending') terminal.print(settled);
  else terminal.print('Kept. No worker is up: it is acted on as soon as one is.');
  return EXIT.completed;
}
