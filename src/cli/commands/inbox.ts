import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';
import type { InboxScope } from '#cli/inbox/state';
import { hasNoWorker } from '#cli/lookups';
import { askStandaloneQuestion } from '#cli/prompt/ask-question';
import { sanitizeLine } from '#cli/render/sanitize';
import { lineReaderFor } from '#cli/tty/line-reader';
import type { Question } from '#contract/question';
import { describeUnreadable, NO_WORKER_MESSAGE, questionSummaryLine } from '#presentation/labels';
import { type QuestionKey, sortByUrgency, toQuestionKey } from '#presentation/question-list';

interface Options extends InboxScope {
  list?: boolean;
  fields?: boolean;
}

export const runInbox: CommandHandler<Options> = async (
  context,
  { options: { list, fields, agent, conversation } },
) => {
  const { terminal, isJson } = context;
  const filter = { agent, conversation };
  if (isJson || list || fields) {
    const [{ items, ...rest }, isWithoutWorker] = await Promise.all([
      readWaitingQuestions(context, filter),
      hasNoWorker(context),
    ]);
    if (isJson) terminal.printJson({ items, ...rest });
    else terminal.print(...(fields ? items.flatMap(formatQuestionFieldRows) : items.map(formatQuestionRow)));
    if (rest.unreadable) terminal.printError(describeUnreadable(rest.unreadable));
    if (isWithoutWorker) terminal.printError(NO_WORKER_MESSAGE);
    return EXIT.completed;
  }
  if (!terminal.isInteractive) return answerLineByLine(context, filter);
  return (await import('#cli/inbox/interactive')).runInteractiveInbox(context, filter);
};

const PAGE_SIZE = 100;

/** Reads the open questions, most urgent first. */
async function readWaitingQuestions(
  { parley }: CommandContext,
  filter: InboxScope,
): Promise<{ items: Question[]; isMore: boolean; unreadable?: number }> {
  const items: Question[] = [];
  let unreadable = 0;
  let cursor: string | undefined;
  do {
    const page = await parley.inbox({ ...filter, limit: PAGE_SIZE, cursor });
    items.push(...page.items);
    unreadable = Math.max(unreadable, page.unreadable ?? 0);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length < MAX_QUESTIONS);
  const unreadableCount = unreadable > 0 ? { unreadable } : {};
  return { items: sortByUrgency(items), isMore: cursor !== undefined, ...unreadableCount };
}

const MAX_QUESTIONS = 1_000;

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
    const { items, unreadable } = await readWaitingQuestions(context, filter);
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
  if (remaining === 0) terminal.printError('No open questions.');
  else
    terminal.printError(
      `${remaining} open ${remaining === 1 ? 'question' : 'questions'} left. List with: parley inbox --list`,
    );
  return remaining === 0 ? EXIT.completed : EXIT.waiting;
}
