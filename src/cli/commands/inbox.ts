import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';
import type { InboxScope } from '#cli/inbox/state';
import { hasNoWorker, type ListedItems, printListNotices, readPages } from '#cli/lookups';
import { askStandaloneQuestion } from '#cli/prompt/ask-question';
import { sanitizeLine } from '#cli/render/sanitize';
import { lineReaderFor } from '#cli/tty/line-reader';
import type { Question } from '#contract/question';
import { describeUnreadable, questionSummaryLine } from '#presentation/labels';
import { type QuestionKey, sortByUrgency, toQuestionKey } from '#presentation/question-list';

interface Options extends InboxScope {
  list?: boolean;
  fields?: boolean;
}

export const runInbox: CommandHandler<Options> = async (context, { options }) => {
  const { terminal, isJson } = context;
  const { list, fields, agent, conversation } = options;
  const filter = { agent, conversation };
  if (isJson || list || fields) {
    const [questions, isWithoutWorker] = await Promise.all([readOpenQuestions(context, filter), hasNoWorker(context)]);
    if (isJson) terminal.printJson(questions);
    else terminal.print(...questions.items.flatMap(fields ? formatQuestionFieldRows : formatQuestionRow));
    printListNotices(context, questions, isWithoutWorker, 'question');
    return EXIT.completed;
  }
  if (!terminal.isInteractive) return answerLineByLine(context, filter);
  return (await import('#cli/inbox/interactive')).runInteractiveInbox(context, filter);
};

const MAX_QUESTIONS = 1_000;

/** Reads the open questions, most urgent first. */
async function readOpenQuestions({ parley }: CommandContext, filter: InboxScope): Promise<ListedItems<Question>> {
  // Each page reports how many questions are unreadable in all.
  const list = await readPages((page) => parley.inbox({ ...filter, ...page }), MAX_QUESTIONS, Math.max);
  return { ...list, items: sortByUrgency(list.items) };
}

/** Formats a question as a tab-separated line for scripts, with stable columns only. */
function formatQuestionRow(question: Question): string {
  const { conversationId, id, agent, expiresAt } = question;
  return [conversationId, id, agent, expiresAt ?? '-', questionSummaryLine(question)].map(sanitizeLine).join('\t');
}

/** Formats one line per field, for scripts that answer by text. */
function formatQuestionFieldRows({ conversationId, id, fields }: Question): string[] {
  return fields.map(({ key, header, question }) =>
    // Shells treat two consecutive tabs as one.
    [conversationId, id, key, header, question].map((text) => sanitizeLine(text) || '-').join('\t'),
  );
}

/** Prompts for one question after another until each was offered once or stdin ends. */
async function answerLineByLine(context: CommandContext, filter: InboxScope): Promise<ExitCode> {
  const seen = new Set<QuestionKey>();
  const queued = new Set<QuestionKey>();
  let hasReportedUnreadable = false;
  for (;;) {
    const { items, unreadable } = await readOpenQuestions(context, filter);
    if (unreadable && !hasReportedUnreadable) context.terminal.printError(describeUnreadable(unreadable));
    hasReportedUnreadable ||= unreadable !== undefined;
    const open = items.filter((question) => !queued.has(toQuestionKey(question)));
    const unseen = open.filter((question) => !seen.has(toQuestionKey(question)));
    if (unseen.length === 0) return printRemaining(context, open.length);
    for (const question of unseen) {
      seen.add(toQuestionKey(question));
      const { kind, isInputDiscarded } = await askStandaloneQuestion(context, question);
      if (kind === 'queued') queued.add(toQuestionKey(question));
      if (isInputDiscarded) return stopReadingInput(context);
      if (kind === 'quit' || (kind === 'later' && lineReaderFor(context.terminal.input).isAtEnd())) return EXIT.waiting;
    }
  }
}

/** Stops, because the remaining stdin may be meant for a resolved question and must not answer another one. */
function stopReadingInput({ terminal }: CommandContext): ExitCode {
  terminal.printError(
    'The rest of stdin was ignored: it may have been meant for that question. Run parley inbox again.',
  );
  return EXIT.waiting;
}

function printRemaining({ terminal }: CommandContext, remaining: number): ExitCode {
  const count = `${remaining} open ${remaining === 1 ? 'question' : 'questions'}`;
  terminal.printError(remaining === 0 ? 'No open questions.' : `${count} left. List with: parley inbox --list`);
  return remaining === 0 ? EXIT.completed : EXIT.waiting;
}
