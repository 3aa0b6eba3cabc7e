import { listOpenQuestions } from '#api/services/list-inbox';
import { readQuestion } from '#api/services/read-conversation';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import type { InboxEventsQuery } from '#contract/requests';
import { sortByUrgency } from '#presentation/question-list';
import { PollLoop } from './poll-loop';
import { SharedFeed } from './shared-feed';
import type { SseConnection } from './sse-connection';
import { encodeSseEvent, frameLength } from './sse-encoding';

/** The part of the inbox that a caller watches and may see. */
export interface InboxFeedFilter extends InboxEventsQuery {
  canSee(run: Execution): boolean;
  /** The caller may see all conversations, so unreadable ones are counted for them. */
  seesEverything: boolean;
}

interface InboxCursor {
  filter: InboxFeedFilter;
  /** The number of the last frame that it was sent; `undefined` before its snapshot. */
  position: number | undefined;
}

interface InboxFrame {
  run: Execution;
  text: string;
}

const MAX_POLL_MS = 5_000;

/** How many questions that left the list are read at once. */
const MAX_PARALLEL_READS = 10;

/** The feed of all open questions, shared by all viewers and polled only while there are any. */
export class InboxFeed extends SharedFeed<InboxCursor> {
  private openQuestions = new Map<string, OpenQuestion>();
  private isTruncated = false;
  private unreadable = 0;
  private isReady = false;
  private lastError: unknown;
  private frames: InboxFrame[] = [];
  private startAfter = 0;
  private readonly loop = new PollLoop(
    () => this.poll(),
    (error) => this.onReadError(error),
  );

  constructor(
    private readonly gateway: TemporalGateway,
    private readonly pollMs: number,
    private readonly onEnd: () => void,
  ) {
    super();
    void this.loop.run();
  }

  subscribe(connection: SseConnection, filter: InboxFeedFilter): Promise<void> {
    return this.streamTo(connection, { filter, position: undefined });
  }

  stop(): void {
    this.loop.stop();
    this.onEnd();
  }

  protected isReadyFor(): boolean {
    if (!this.isReady && this.lastError) throw this.lastError;
    return this.isReady;
  }

  protected next(cursor: InboxCursor): string | undefined {
    if (cursor.position === undefined) return this.snapshot(cursor);
    const last = this.startAfter + this.frames.length;
    while (cursor.position < last) {
      const frame = this.frames[cursor.position - this.startAfter];
      cursor.position += 1;
      if (frame && matchesFilter(frame.run, cursor.filter)) return frame.text;
    }
    this.trim();
    return undefined;
  }

  private snapshot(cursor: InboxCursor): string {
    cursor.position = this.startAfter + this.frames.length;
    const visible = [...this.openQuestions.values()].filter(({ run }) => matchesFilter(run, cursor.filter));
    const items = sortByUrgency(visible.map(({ question }) => question));
    const { seesEverything, agent, conversation } = cursor.filter;
    const isUnfiltered = seesEverything && agent === undefined && conversation === undefined;
    const notes = {
      ...(this.isTruncated ? { truncated: true as const } : {}),
      ...(isUnfiltered && this.unreadable > 0 ? { unreadable: this.unreadable } : {}),
    };
    return encodeSseEvent({ event: 'snapshot', data: { items, ...notes } });
  }

  /** Includes frames that its filter hides, because they are buffered too. */
  protected backlog({ position }: InboxCursor): number {
    return position === undefined ? 0 : frameLength(this.frames.slice(position - this.startAfter));
  }

  private trim(): void {
    let lowestNeeded = this.startAfter + this.frames.length;
    for (const { position } of this.cursors)
      if (position !== undefined) lowestNeeded = Math.min(lowestNeeded, position);
    this.frames = this.frames.slice(lowestNeeded - this.startAfter);
    this.startAfter = lowestNeeded;
  }

  /** Lists the open questions. A slow list is repeated less often, to spare Temporal: within `MAX_POLL_MS`. */
  private async poll(): Promise<number> {
    const startedAt = Date.now();
    const { runs, truncated, unreadable } = await listOpenQuestions(this.gateway);
    const elapsedMs = Date.now() - startedAt;
    this.isTruncated = truncated;
    this.unreadable = unreadable;
    await this.applyUpdate(indexOpenQuestions(runs));
    this.dropSlow();
    this.trim();
    this.wakeAll();
    return Math.max(this.pollMs, Math.min(10 * elapsedMs, MAX_POLL_MS));
  }

  private async applyUpdate(current: Map<string, OpenQuestion>): Promise<void> {
    const disappeared = [...this.openQuestions].filter(([key]) => !current.has(key));
    for (let first = 0; first < disappeared.length && !this.loop.isStopped; first += MAX_PARALLEL_READS) {
      await Promise.all(
        disappeared.slice(first, first + MAX_PARALLEL_READS).map(([key, entry]) => this.handleDisappeared(key, entry)),
      );
    }
    for (const [key, entry] of current) {
      if (this.isReady && !this.openQuestions.has(key))
        this.publish(entry.run, { event: 'question_pending', data: entry.question });
      this.openQuestions.set(key, entry);
    }
    this.isReady = true;
  }

  /** Keeps current subscribers connected. */
  private onReadError(error: unknown): void {
    this.lastError = error;
    this.wakeAll();
  }

  /** Publishes the outcome of a question that left the list, now or as soon as it can be read. */
  private async handleDisappeared(key: string, entry: OpenQuestion): Promise<void> {
    const question = await readDisappeared(this.gateway, entry).catch(() => undefined);
    if (!question) return;
    const isResolved = question.status !== 'pending';
    // A pending question that dropped out of a truncated list is no longer watched.
    if (isResolved || this.isTruncated) this.openQuestions.delete(key);
    if (isResolved) this.publish(entry.run, { event: 'question_answered', data: question });
  }

  private publish(run: Execution, event: InboxEvent): void {
    this.frames.push({ run, text: encodeSseEvent(event) });
  }
}

function matchesFilter(run: Execution, { agent, conversation, canSee }: InboxFeedFilter): boolean {
  if (agent !== undefined && run.memo.conversation.agent !== agent) return false;
  if (conversation !== undefined && run.id !== conversation && run.memo.root !== conversation) return false;
  return canSee(run);
}

/** An open question, and the run that asked it. */
interface OpenQuestion {
  run: Execution;
  question: Question;
}

/** Returns the open questions of these runs, by conversation and question id. */
function indexOpenQuestions(runs: Execution[]): Map<string, OpenQuestion> {
  return new Map(
    runs.flatMap((run) => {
      const { question } = run.memo;
      return question ? [[`${run.id} ${question.id}`, { run, question }] as const] : [];
    }),
  );
}

/**
 * Reads the question from the run itself: Visibility may lag, and briefly omits a run during continue-as-new. If the
 * conversation was deleted in Temporal, its question counts as cancelled.
 */
async function readDisappeared(
  gateway: TemporalGateway,
  { run, question }: OpenQuestion,
): Promise<Question | undefined> {
  const current = await gateway.find(run.id);
  if (current) return readQuestion(gateway, current, question.id);
  return { ...question, status: 'cancelled', outcome: { at: new Date().toISOString(), via: 'temporal' } };
}
