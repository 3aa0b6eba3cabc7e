import type { Context } from '#cli/context';
import { EXIT, type Exit, exitOfEnd } from '#cli/exit';
import { markdownLines } from '#cli/text/markdown';
import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/event';
import type { Question } from '#contract/question';
import { Attendant, type Parting } from './attendant';
import { tellBack, tellEnd, tellLeft, tellSpoilt, tellWaiting } from './ending';
import type { Following } from './follow';
import type { Happening } from './happening';
import { Mailbox } from './mailbox';
import type { Teller } from './teller';

/** Takes what happens in its order, and has whoever is here asked what has to be asked. */
export class Follower {
  private readonly mailbox = new Mailbox<Happening>();
  private readonly attendant: Attendant;
  private hasSnapshot = false;
  private hasSpoken = false;

  constructor(
    private readonly context: Context,
    private readonly id: string,
    private readonly following: Following,
    private readonly teller: Teller,
  ) {
    this.attendant = new Attendant(context, following, teller);
    if (following.isBelow) this.teller.below();
    if (following.known) this.teller.begin(following.known);
    if (following.known?.question) this.attendant.ask(following.known.question);
  }

  readonly deliver = (happening: Happening): void => {
    this.attendant.hear(happening);
    this.mailbox.push(happening);
  };

  async run(): Promise<Exit> {
    for (;;) {
      const exit =
        this.mailbox.isEmpty && this.attendant.hasNew
          ? await this.part(await this.attendant.attendToNew())
          : await this.take(await this.mailbox.next());
      if (exit !== undefined) return exit;
      this.teller.waits(this.attendant.waits);
    }
  }

  private async take(happening: Happening): Promise<Exit | undefined> {
    switch (happening.kind) {
      case 'event':
        if (isReport(happening.event)) await this.attendant.settleOthersThan(this.id);
        return this.takeEvent(happening.event);
      case 'asked':
        return void this.attendant.ask(happening.question);
      case 'settled':
        return void this.attendant.settle(happening.question);
      case 'line':
        return void this.teller.line(happening.isLost);
      case 'enter':
        return this.part(await this.attendant.attendToLater());
      case 'left':
        return this.part('interrupted');
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
        return void this.attendant.ask(event.data);
      case 'question_answered':
        return void this.attendant.settle(event.data);
      case 'done':
        return this.finish(event.data);
    }
  }

  private takeSnapshot({ question }: Conversation): undefined {
    if (this.hasSnapshot || this.following.after !== undefined)
      this.teller.say(this.context.terminal.style.dim('Some of what happened before is no longer kept.'));
    this.hasSnapshot = true;
    if (question) this.attendant.ask(question);
  }

  /** It is no longer followed, though it is not over. */
  private async part(parting: Parting | undefined): Promise<Exit | undefined> {
    if (!parting) return undefined;
    const { context, id } = this;
    const question = this.attendant.open;
    this.teller.stop();
    if (this.following.isEvents) return exitFor(question);
    if (!context.isJson) return this.tellParting(parting, question);
    context.terminal.printJson(await context.parley.get(id));
    return exitFor(question);
  }

  private tellParting(parting: Parting, question: Question | undefined): Exit {
    const { context, id } = this;
    switch (parting) {
      case 'nobody':
        return tellWaiting(context, question, id);
      case 'unanswered':
        return EXIT.waiting;
      case 'spoilt':
        return tellSpoilt(context, id);
      case 'left':
        return tellBack(context, id);
      case 'interrupted':
        return tellLeft(context, question, id);
    }
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
