import { type AnswerFlags, parseAnswerFlags } from '#cli/answer-flags';
import type { CommandContext, CommandHandler } from '#cli/context';
import { CommandError, EXIT, type ExitCode, usageError } from '#cli/errors';
import { findTargetQuestion } from '#cli/lookups';
import { askStandaloneQuestion, type PromptResult } from '#cli/prompt/ask-question';
import { readStdinText, STDIN_MARK } from '#cli/read-stdin';
import type { Question } from '#contract/question';
import { describeOutcome } from '#presentation/labels';
import { printAnswerResult } from './decline';

interface Options {
  field?: string[];
  other?: string[];
  comment?: string;
  question?: string;
}

const EXIT_BY_RESULT: Record<PromptResult['kind'], ExitCode> = {
  accepted: EXIT.completed,
  queued: EXIT.completed,
  later: EXIT.waiting,
  quit: EXIT.waiting,
  resolvedElsewhere: EXIT.refused,
  refused: EXIT.refused,
};

export const runAnswer: CommandHandler<Options> = async (context, { args, options }) => {
  const { question: questionId, field, other, comment } = options;
  const [id] = args.filter((arg) => arg !== STDIN_MARK);
  if (id === undefined) throw usageError('Missing conversation id. List open questions with `parley inbox --list`.');
  const flags: AnswerFlags = { field, other, comment, isBody: args.includes(STDIN_MARK) };
  const hasAnswer = flags.isBody || [field, other, comment].some((flag) => flag !== undefined);
  if (context.isJson && !hasAnswer)
    throw usageError('--json never prompts. Pass the answer with --field, or pipe it in: parley answer ID --json -');
  const question = await findTargetQuestion(context.parley, id, questionId);
  if (hasAnswer) return sendAnswer(context, question, flags);
  return EXIT_BY_RESULT[(await askStandaloneQuestion(context, question)).kind];
};

async function sendAnswer(context: CommandContext, question: Question, flags: AnswerFlags): Promise<ExitCode> {
  const { parley, terminal } = context;
  // Checked before validation: for a resolved question, validation errors no longer matter.
  if (question.status !== 'pending')
    throw new CommandError(
      EXIT.refused,
      `${describeOutcome(question)}. Nothing was sent.`,
      `question_${question.status}`,
    );
  const answer = await parseAnswerFlags(question, flags, () => readStdinText(terminal.input));
  const result = await parley.answer(question.conversationId, { question: question.id, ...answer });
  return printAnswerResult(context, result, 'Answer sent. The agent continues.');
}
