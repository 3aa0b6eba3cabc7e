import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';
import { findTargetQuestion } from '#cli/lookups';
import { QUEUED_NOTE } from '#cli/prompt/ask-question';
import type { SubmittedAnswer } from '#client/options';

interface Options {
  reason?: string;
  question?: string;
}

export const runDecline: CommandHandler<Options> = async (context, { args: [id = ''], options }) => {
  const { id: question, conversationId } = await findTargetQuestion(context.parley, id, options.question);
  const result = await context.parley.decline(conversationId, { question, reason: options.reason });
  return printAnswerResult(context, result, 'Question skipped. The agent continues.');
};

/** Prints whether an answer or decline was accepted or is queued until a worker is running. */
export function printAnswerResult(
  { terminal, isJson }: CommandContext,
  result: SubmittedAnswer,
  acceptedMessage: string,
): ExitCode {
  if (isJson) terminal.printJson(result);
  else if (result.question.status !== 'pending') terminal.print(acceptedMessage);
  else terminal.print(QUEUED_NOTE);
  return EXIT.completed;
}
