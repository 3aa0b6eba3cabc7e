import { settledNow } from '#cli/ask/settled-now';
import type { Context } from '#cli/context';
import type { Question } from '#contract/question';
import { Agenda } from './agenda';
import type { Following } from './follow';
import type { Happening } from './happening';
import { type Came, Putting } from './putting';
import type { Teller } from './teller';
import { type Waits, waitsFor } from './waits';

/**
 * Nobody is here to answer; nobody is left here, as was said already; what is written here may be meant for what is gone;
 * somebody has left it; or the process was told to.
 */
export type Parting = 'nobody' | 'unanswered' | 'spoilt' | 'left' | 'interrupted';

/** Sees to the questions: each is put once to whoever is here, while it is open. */
export class Attendant {
  private readonly agenda = new Agenda();
  private readonly putting: Putting;

  constructor(
    private readonly context: Context,
    private readonly following: Following,
    private readonly teller: Teller,
  ) {
    this.putting = new Putting(context);
  }

  /** Also while a question is on the screen: it has to give way at once. */
  hear(happening: Happening): void {
    this.putting.hear(happening);
  }

  ask(question: Question): void {
    this.agenda.ask(question);
  }

  settle(question: Question): void {
    if (this.agenda.settle(question)) this.teller.settled(question);
  }

  /** Whoever worked for that conversation is done, and the inbox has not told yet what became of their questions. */
  async settleOthersThan(conversationId: string): Promise<void> {
    for (const question of this.agenda.those('new', 'later', 'kept', 'others'))
      if (question.conversationId !== conversationId) await this.isStillOpen(question);
  }

  /** The most urgent that somebody waits for, if any. */
  get open(): Question | undefined {
    return this.agenda.those('new', 'later', 'others')[0];
  }

  get hasNew(): boolean {
    return this.agenda.those('new').length > 0;
  }

  get waits(): Waits | undefined {
    return waitsFor(this.agenda);
  }

  /** Puts the most urgent to whoever is here; says that it waits, where nobody is. */
  async attendToNew(): Promise<Parting | undefined> {
    const [question, ...more] = this.agenda.those('new');
    // What is told from its beginning has questions in it that were settled long ago.
    if (!question || !(await this.isStillOpen(question))) return undefined;
    if (this.following.isAsking) return this.put(question, more.length);
    this.teller.asked(question);
    this.agenda.mark(question, 'others');
    return this.following.isWaiting ? undefined : 'nobody';
  }

  /** Somebody has time now for what was left for later. */
  async attendToLater(): Promise<Parting | undefined> {
    const [question, ...more] = this.agenda.those('later');
    return question && this.put(question, more.length);
  }

  /** True where it cannot be known: whoever answers is told. */
  private async isStillOpen(question: Question): Promise<boolean> {
    const now = await settledNow(this.context.parley, question);
    if (now) this.settle(now);
    return !now;
  }

  private async put(question: Question, more: number): Promise<Parting | undefined> {
    const { style } = this.context.terminal;
    if (more > 0)
      this.teller.say(style.dim(`${more} more ${more === 1 ? 'question waits' : 'questions wait'}.`));
    this.teller.suspend();
    const came = await this.putting.put(question);
    return came === 'left' || came === 'interrupted' ? came : this.note(question, came);
  }

  /** What came of it was said where it was put. */
  private note(question: Question, came: Exclude<Came, 'left' | 'interrupted'>): Parting | undefined {
    this.teller.resume();
    if (came === 'spoilt') return 'spoilt';
    if (came === 'settled' || came === 'gone') return void this.agenda.settle(question);
    if (came === 'kept') return void this.agenda.mark(question, 'kept');
    const { isInteractive } = this.context.terminal;
    this.agenda.mark(question, came === 'later' && isInteractive ? 'later' : 'others');
    return isInteractive || this.following.isWaiting ? undefined : 'unanswered';
  }
}
