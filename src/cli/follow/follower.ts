import type { Conversation } from '../../contract/conversation';
import type { ConversationEvent } from '../../contract/event';
import type { Question } from '../../contract/question';
import type { Put } from '../ask/reply';
import type { Context } from '../context';
import { EXIT, type Exit, exitOfEnd } from '../exit';
import { markdownLines } from '../text/markdown';
import { Agenda } from './agenda';
import { tellBack, tellEnd, tellLeft, tellWaiting } from './ending';
import type { Following } from './follow';
import type { Happening } from './happening';
import { Mailbox } from './mailbox';
import { Putting } from './putting';
import type { Teller } from './teller';
import { waitsFor } from './waits';

/** Takes what happens in its order, and asks whoever is here what has to be asked. */
export class Follower {
  private readonly mailbox = new Mailbox<Happening>();
  private readonly agenda = new Agenda();
  private readonly putting: Putting;
  private hasSnapshot = false;
  private hasSpoken = false;

  constructor(
    private readonly context: Context,
    private readonly id: string,
    private readonly following: Following,
    private readonly teller: Teller,
  ) {
    this.putting = new Putting(context);
    if (following.isBelow) this.teller.below();
    if (following.known) this.teller.begin(following.known);
    if (following.known?.question) this.agenda.ask(following.known.question);
  }

  /** Also while a question is on the screen: it has to give way at once. */
  readonly deliver = (happening: Happening): void => {
    this.putting.hear(happening);
    this.mailbox.push(happening);
  };

  async run(): Promise<Exit> {
    for (;;) {
      const [question, ...more] = this.mailbox.isEmpty ? this.agenda.those('new') : [];
      const exit = question
        ? await this.attend(question, more.length, true)
        : await this.take(await this.mailbox.next());
      if (exit !== undefined) return exit;
      this.teller.waits(waitsFor(this.agenda));
    }
  }

  private async take(happening: Happening): Promise<Exit | undefined> {
    switch (happening.kind) {
      case 'event':
        if (isReport(happening.event)) await this.settleOthers();
        return this.takeEvent(happening.event);
      case 'asked':
        return void this.agenda.ask(happening.question);
      case 'settled':
        return this.settle(happening.question);
      case 'line':
        return void this.teller.line(happening.isLost);
      case 'enter': {
        const [question, ...more] = this.agenda.those('later');
        return question && this.attend(question, more.length, false);
      }
      case 'left':
        return this.end((question) => tellLeft(this.context, question, this.id));
      case 'failed':
        throw happening.error;
    }
  }

  private takeEvent(event: ConversationEvent): Promise<Exit> | undefined {
    this.teller.event(event);
    switch (event.event) {
      case 'snapshot':
        return this.takeSnapshot(event.data);
      case 'message':
        this.hasSpoken ||= event.data.role === 'assistant';
        return undefined;
      case 'question_pending':
        return void this.agenda.ask(event.data);
      case 'question_answered':
        return this.settle(event.data);
      case 'done':
        return this.finish(event.data);
    }
  }

  private takeSnapshot({ question }: Conversation): undefined {
    if (this.hasSnapshot || this.following.after !== undefined)
      this.teller.say(this.context.terminal.style.dim('Some of what happened before is no longer kept.'));
    this.hasSnapshot = true;
    if (question) this.agenda.ask(question);
  }

  private settle(question: Question): undefined {
    if (this.agenda.settle(question)) this.teller.settled(question);
  }

  /** Whoever worked for it is done, and the inbox has not told yet what became of their questions. */
  private async settleOthers(): Promise<void> {
    for (const { conversationId, id } of this.agenda.those('new', 'later', 'kept', 'others')) {
      if (conversationId === this.id) continue;
      const question = await this.context.parley.question(conversationId, id).catch(() => undefined);
      if (question && question.status !== 'pending') this.settle(question);
    }
  }

  /** Puts it to whoever is here; says that it waits, where nobody is. */
  private async attend(question: Question, more: number, isSudden: boolean): Promise<Exit | undefined> {
    const { isAsking, isWaiting } = this.following;
    if (!isAsking) {
      this.teller.asked(question);
      this.agenda.mark(question, 'others');
      return isWaiting ? undefined : this.end((asked) => tellWaiting(this.context, asked, this.id));
    }
    if (more > 0)
      this.teller.say(
        this.context.terminal.style.dim(`${more} more ${more === 1 ? 'question waits' : 'questions wait'}.`),
      );
    this.teller.suspend();
    const came = await this.putting.put(question, isSudden);
    if (came === 'left') return this.end(() => tellBack(this.context, this.id));
    if (came === 'interrupted') return this.end((asked) => tellLeft(this.context, asked, this.id));
    return this.note(question, came);
  }

  /** What came of it was said where it was put. */
  private note(question: Question, came: Exclude<Put['kind'], 'left'>): Promise<Exit> | undefined {
    this.teller.resume();
    if (came === 'settled' || came === 'gone') return void this.agenda.settle(question);
    if (came === 'kept') return void this.agenda.mark(question, 'kept');
    const { isInteractive } = this.context.terminal;
    this.agenda.mark(question, came === 'later' && isInteractive ? 'later' : 'others');
    return isInteractive || this.following.isWaiting ? undefined : this.end(() => EXIT.waiting);
  }

  /** It is no longer followed, though it is not over. */
  private async end(tell: (question: Question | undefined) => Exit): Promise<Exit> {
    const { context, id, agenda } = this;
    this.teller.stop();
    const [question] = agenda.those('new', 'later', 'others');
    if (this.following.isEvents) return exitFor(question);
    if (!context.isJson) return tell(question);
    context.terminal.printJson(await context.parley.get(id));
    return exitFor(question);
  }

  private async finish(conversation: Conversation): Promise<Exit> {
    const { context, following } = this;
    this.teller.stop();
    if (following.isEvents) return exitOfEnd(conversation.status);
    if (context.isJson) {
      context.terminal.printJson(conversation);
      return exitOfEnd(conversation.status);
    }
    // Whoever came after the last word has not heard it.
    if (!this.hasSpoken && following.after === undefined && conversation.result)
      context.terminal.print(
        ...markdownLines(conversation.result, context.terminal.width(), context.terminal.style),
      );
    return tellEnd(context, conversation);
  }
}

/** A sub-agent is done. */
function isReport(event: ConversationEvent): boolean {
  return event.event === 'tool' && event.data.name === 'delegate';
}

function exitFor(question: Question | undefined): Exit {
  return question ? EXIT.waiting : EXIT.interrupted;
}
