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
    const [{ items, ...rest }, isAlone] = await Promise.all([
      readWaitingQuestions(context, filter),
      hasNoWorker(context),
    ]);
    if (isJson) terminal.printJson({ items, ...rest });
    else terminal.print(...(fields ? items.flatMap(formatQuestionFieldRows) : items.map(formatQuestionRow)));
    if (rest.unreadable) terminal.complain(describeUnreadable(rest.unreadable));
    if (isAlone) terminal.complain(NO_WORKER_MESSAGE);
    return EXIT.completed;
  }
  if (!terminal.isInteractive) return answerLineByLine(context, filter);
  return (await import('#cli/inbox/interactive')).runInteractiveInbox(context, filter);
};

const PAGE_SIZE = 100;

/** What waits now, most urgent first. */
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
  const left = unreadable > 0 ? { unreadable } : {};
  return { items: sortByUrgency(items), isMore: cursor !== undefined, ...left };
}

const MAX_QUESTIONS = 1_000;

/** For other programs: what does not change its place or its meaning, with tabs between. */
function formatQuestionRow(question: Question): string {
  const { conversationId, id, agent, expiresAt } = question;
  return [conversationId, id, agent, expiresAt ?? '-', questionSummaryLine(question)].map(sanitizeLine).join('\t');
}

/** A line for each of its fields, for programs that answer by text. */
function formatQuestionFieldRows({ conversationId, id, fields }: Question): string[] {
  return fields.map(({ key, header, question }) =>
    // Shells take two tabs in a row for one.
    [conversationId, id, key, header, question].map((text) => sanitizeLine(text) || '-').join('\t'),
  );
}

/** One question after the other, line by line, until none is left that was not passed over, or nobody answers any more. */
async function answerLineByLine(context: CommandContext, filter: InboxScope): Promise<ExitCode> {
  const seen = new Set<QuestionKey>();
  const kept = new Set<QuestionKey>();
  let isTold = false;
  for (;;) {
    const { items, unreadable } = await readWaitingQuestions(context, filter);
    if (unreadable && !isTold) context.terminal.complain(describeUnreadable(unreadable));
    isTold ||= unreadable !== undefined;
    const open = items.filter((question) => !kept.has(toQuestionKey(question)));
    const fresh = open.filter((question) => !seen.has(toQuestionKey(question)));
    if (fresh.length === 0) return printRemaining(context, open.length);
    for (const question of fresh) {
      seen.add(toQuestionKey(question));
      const { kind, isInputSpoilt } = await askStandaloneQuestion(context, question);
      if (kind === 'kept') kept.add(toQuestionKey(question));
      if (isInputSpoilt) return stopReadingInput(context);
      if (kind === 'left' || (kind === 'later' && lineReaderFor(context.terminal.input).isAtEnd())) return EXIT.waiting;
    }
  }
}

/** What is written next was meant for the question that is gone, and must answer no other. */
function stopReadingInput({ terminal }: CommandContext): ExitCode {
  terminal.complain('The rest of the input was for that question, and is not used. Run parley inbox again.');
  return EXIT.waiting;
}

function printRemaining({ terminal }: CommandContext, left: number): ExitCode {
  if (left === 0) terminal.complain('Nothing waits for an answer.');
  else terminal.complain(`${left} ${left === 1 ? 'question waits' : 'questions wait'} on. See parley inbox --list.`);
  return left === 0 ? EXIT.completed : EXIT.waiting;
}
