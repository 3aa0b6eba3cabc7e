import { ApiError } from '#api/middleware/errors';
import { byDeadline, listOpenQuestions } from '#api/services/list-conversations';
import { readQuestion } from '#api/services/read-conversation';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import type { InboxEventsQuery } from '#contract/requests';
import { PollLoop } from './poll-loop';
import type { SseConnection } from './sse-connection';
import { encodeSseEvent, frameLength } from './sse-encoding';
import { Subscribers } from './subscribers';

/** Which part of the inbox somebody watches, and may. */
export interface InboxFeedFilter extends InboxEventsQuery {
  isFor?: (run: Execution) => boolean;
  /** Of everybody's; then what cannot be read is theirs, too. */
  isWhole?: boolean;
}

interface Place {
  filter: InboxFeedFilter;
  /** How much of the news it has; nothing before its snapshot. */
  at: number | undefined;
}

interface News {
  run: Execution;
  text: string;
}

const LONGEST_MS = 5_000;

/** Of the questions that went away, so many are looked after at once. */
const TOGETHER = 10;

/** Everything that waits for somebody, watched once for all viewers and only while there are any. */
export class InboxFeed {
  private waiting = new Map<string, WaitingQuestions>();
  private isTruncated = false;
  private unreadable = 0;
  private isReady = false;
  private news: News[] = [];
  private from = 0;
  private readonly viewers: Subscribers<Place>;
  private readonly loop: PollLoop;
  private trouble: unknown;

  constructor(
    private readonly gateway: TemporalGateway,
    private readonly everyMs: number,
    private readonly onEnd: () => void,
  ) {
    this.viewers = new Subscribers<Place>(
      {
        isReadyFor: () => this.isReadyNow(),
        next: (place) => this.next(place),
        backlog: (place) => this.backlog(place),
      },
      () => this.stop(),
    );
    this.loop = new PollLoop(
      () => this.look(),
      (error) => this.bear(error),
    );
    void this.loop.run();
  }

  follow(viewer: SseConnection, filter: InboxFeedFilter): Promise<void> {
    return this.viewers.seat(viewer, { filter, at: undefined });
  }

  stop(): void {
    this.loop.stop();
    this.onEnd();
  }

  private isReadyNow(): boolean {
    if (!this.isReady && this.trouble) throw this.trouble;
    return this.isReady;
  }

  private next(place: Place): string | undefined {
    if (place.at === undefined) return this.snapshot(place);
    const last = this.from + this.news.length;
    while (place.at < last) {
      const news = this.news[place.at - this.from];
      place.at += 1;
      if (news && isFor(news.run, place.filter)) return news.text;
    }
    this.trim();
    return undefined;
  }

  private snapshot(place: Place): string {
    place.at = this.from + this.news.length;
    const mine = [...this.waiting.values()].filter(({ run }) => isFor(run, place.filter));
    const items = byDeadline(mine.map(({ question }) => question));
    const { isWhole, agent, conversation } = place.filter;
    const isAll = isWhole && agent === undefined && conversation === undefined;
    const rest = {
      ...(this.isTruncated ? { truncated: true as const } : {}),
      ...(isAll && this.unreadable > 0 ? { unreadable: this.unreadable } : {}),
    };
    return encodeSseEvent({ event: 'snapshot', data: { items, ...rest } });
  }

  /** Also of what it will not be shown: that is kept for it all the same. */
  private backlog({ at }: Place): number {
    return at === undefined ? 0 : frameLength(this.news.slice(at - this.from));
  }

  /** Drop what all have been sent. */
  private trim(): void {
    let needed = this.from + this.news.length;
    for (const { at } of this.viewers.places) if (at !== undefined) needed = Math.min(needed, at);
    this.news = this.news.slice(needed - this.from);
    this.from = needed;
  }

  /** A list that takes long is a list Temporal should not be asked for often; but somebody waits for it. */
  private async look(): Promise<number> {
    const began = Date.now();
    const { runs, truncated, unreadable } = await listOpenQuestions(this.gateway);
    const took = Date.now() - began;
    this.isTruncated = truncated;
    this.unreadable = unreadable;
    await this.compare(indexWaitingQuestions(runs));
    this.viewers.shed();
    this.trim();
    this.viewers.wake();
    return Math.max(this.everyMs, Math.min(10 * took, LONGEST_MS));
  }

  private async compare(now: Map<string, WaitingQuestions>): Promise<void> {
    const gone = [...this.waiting].filter(([key]) => !now.has(key));
    for (let first = 0; first < gone.length && !this.loop.isStopped; first += TOGETHER) {
      await Promise.all(gone.slice(first, first + TOGETHER).map(([key, one]) => this.lookAfter(key, one)));
    }
    for (const [key, one] of now) {
      if (this.isReady && !this.waiting.has(key)) this.tell(one.run, { event: 'question_pending', data: one.question });
      this.waiting.set(key, one);
    }
    this.isReady = true;
  }

  /** Those who watch stay. */
  private bear(error: unknown): void {
    this.trouble = error;
    this.viewers.wake();
  }

  /** It is in the list no more: tell what became of it, now or as soon as that can be read. */
  private async lookAfter(key: string, one: WaitingQuestions): Promise<void> {
    const fate = await resolveDisappeared(this.gateway, one);
    // Pushed out of a list that shows only the first of many, it is nobody's to watch any more.
    if (typeof fate === 'object' || (fate === 'pending' && this.isTruncated)) this.waiting.delete(key);
    if (typeof fate === 'object') this.tell(one.run, { event: 'question_answered', data: fate.settled });
  }

  private tell(run: Execution, event: InboxEvent): void {
    this.news.push({ run, text: encodeSseEvent(event) });
  }
}

function isFor(run: Execution, { agent, conversation, isFor }: InboxFeedFilter): boolean {
  if (agent !== undefined && run.memo.conversation.agent !== agent) return false;
  if (conversation !== undefined && run.id !== conversation && run.memo.root !== conversation) return false;
  return isFor?.(run) ?? true;
}

/** A question that waits, and the run it was seen in. */
interface WaitingQuestions {
  run: Execution;
  question: Question;
}

/** What became of a question that is in the list no more. `unknown` where nobody can tell just now. */
export type QuestionFate = { settled: Question } | 'pending' | 'unknown';

/** The questions of these runs, by conversation and question. */
function indexWaitingQuestions(runs: Execution[]): Map<string, WaitingQuestions> {
  return new Map(
    runs.flatMap((run) => {
      const { question } = run.memo;
      return question ? [[`${run.id} ${question.id}`, { run, question }] as const] : [];
    }),
  );
}

/** By the run's own account: Visibility may lag, and forgets a run for a moment while it rolls over. */
async function resolveDisappeared(
  gateway: TemporalGateway,
  { run, question }: WaitingQuestions,
): Promise<QuestionFate> {
  try {
    const settled = await readQuestion(gateway, await gateway.find(run.id), question.id);
    return settled.status === 'pending' ? 'pending' : { settled };
  } catch (error) {
    const isDeleted = error instanceof ApiError && error.code === 'conversation_not_found';
    return isDeleted ? { settled: deleted(question) } : 'unknown';
  }
}

/** Its conversation was deleted in Temporal, so nobody can answer it any more. */
function deleted(question: Question): Question {
  return { ...question, status: 'cancelled', outcome: { at: new Date().toISOString(), via: 'temporal' } };
}
