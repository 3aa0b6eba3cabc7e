import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';
import { findTargetQuestion } from '#cli/lookups';
import type { SubmittedAnswer } from '#client/options';

interface Options {
  reason?: string;
  question?: string;
}

export const runDecline: CommandHandler<Options> = async (context, { words: [id = ''], options }) => {
  const { id: question, conversationId } = await findTargetQuestion(context.parley, id, options.question);
  const standing = await context.parley.decline(conversationId, { question, reason: options.reason });
  return printAnswerResult(context, standing, 'Declined. The agent hears so, and goes on.');
};

/** Says what came of an answer or a refusal: it counts, or is kept until a worker is up. */
export function printAnswerResult(
  { terminal, isJson }: CommandContext,
  standing: SubmittedAnswer,
  settled: string,
): ExitCode {
  if (isJson) terminal.printJson(standing);
  else if (standing.question.status !== 'pending') terminal.print(settled);
  else terminal.print('Kept. No worker is up: it is acted on as soon as one is.');
  return EXIT.completed;
}
