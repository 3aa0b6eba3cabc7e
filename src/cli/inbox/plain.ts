import { linesOf } from '#cli/ask/plain/lines';
import { putAlone } from '#cli/ask/put-alone';
import type { Context } from '#cli/context';
import { EXIT, type Exit } from '#cli/exit';
import { safeLine } from '#cli/text/safe';
import type { Question } from '#contract/question';
import { keyOf, type QuestionKey } from '#core/question-key';
import { mostUrgentFirst } from '#core/urgency';
import { headline, unreadableText } from '#core/words';
import type { Filter } from './filter';

const PAGE = 100;

/** What waits now, most urgent first. */
export async function waiting(
  { parley }: Context,
  filter: Filter,
): Promise<{ items: Question[]; isMore: boolean; unreadable?: number }> {
  const items: Question[] = [];
  let unreadable = 0;
  let cursor: string | undefined;
  do {
    const page = await parley.inbox({ ...filter, limit: PAGE, cursor });
    items.push(...page.items);
    unreadable = Math.max(unreadable, page.unreadable ?? 0);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length < MOST);
  const left = unreadable > 0 ? { unreadable } : {};
  return { items: mostUrgentFirst(items), isMore: cursor !== undefined, ...left };
}

const MOST = 1_000;

/** For other programs: what does not change its place or its meaning, with tabs between. */
export function asFields(question: Question): string {
  const { conversationId, id, agent, expiresAt } = question;
  return [conversationId, id, agent, expiresAt ?? '-', headline(question)].map(safeLine).join('\t');
}

/** A line for each of its fields, for programs that answer by text. */
export function asFieldLines({ conversationId, id, fields }: Question): string[] {
  return fields.map(({ key, header, question }) =>
    // Shells take two tabs in a row for one.
    [conversationId, id, key, header, question].map((text) => safeLine(text) || '-').join('\t'),
  );
}

/** One question after the other, line by line, until none is left that was not passed over, or nobody answers any more. */
export async function answerInTurn(context: Context, filter: Filter): Promise<Exit> {
  const seen = new Set<QuestionKey>();
  const kept = new Set<QuestionKey>();
  let isTold = false;
  for (;;) {
    const { items, unreadable } = await waiting(context, filter);
    if (unreadable && !isTold) context.terminal.complain(unreadableText(unreadable));
    isTold ||= unreadable !== undefined;
    const open = items.filter((question) => !kept.has(keyOf(question)));
    const fresh = open.filter((question) => !seen.has(keyOf(question)));
    if (fresh.length === 0) return done(context, open.length);
    for (const question of fresh) {
      seen.add(keyOf(question));
      const { kind, isInputSpoilt } = await putAlone(context, question);
      if (kind === 'kept') kept.add(keyOf(question));
      if (isInputSpoilt) return spoilt(context);
      if (kind === 'left' || (kind === 'later' && linesOf(context.terminal.input).isAtEnd()))
        return EXIT.waiting;
    }
  }
}

/** What is written next was meant for the question that is gone, and must answer no other. */
function spoilt({ terminal }: Context): Exit {
  terminal.complain('The rest of the input was for that question, and is not used. Run parley inbox again.');
  return EXIT.waiting;
}

function done({ terminal }: Context, left: number): Exit {
  if (left === 0) terminal.complain('Nothing waits for an answer.');
  else
    terminal.complain(
      `${left} ${left === 1 ? 'question waits' : 'questions wait'} on. See parley inbox --list.`,
    );
  return left === 0 ? EXIT.completed : EXIT.waiting;
}
