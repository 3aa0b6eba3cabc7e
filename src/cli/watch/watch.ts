import type { CommandContext } from '#cli/context';
import { type ExitCode, formatErrorLine, toErrorReport } from '#cli/errors';
import { readResolvedQuestion } from '#cli/lookups';
import { askQuestion, type PromptResult } from '#cli/prompt/ask-question';
import { ParleyError } from '#client/parley-error';
import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { toQuestionKey } from '#presentation/question-list';
import { AsyncQueue, type QuestionListener, streamInboxEvents } from './events';
import { describeWaiting, QuestionQueue } from './question-queue';
import { JsonWatchRenderer, PlainWatchRenderer, type WatchKeys, WatchRenderer } from './renderers';
import { type LeaveReason, reportFinished, reportLeft } from './report-end';

/** The watch options of the command line. */
export interface WatchFlags {
  /** False to never prompt, so that a question ends the watch. */
  input?: boolean;
  /** Keep watching while others answer. */
  wait?: boolean;
  /** Print each event as a line of JSON. */
  events?: boolean;
}

/** Where a watch begins. */
export interface WatchStart {
  /** Id of the last timeline entry shown; only later entries are printed. */
  after?: number;
  /** There is already output above on the screen. */
  hasOutputAbove?: boolean;
  /** The state of the conversation at `after`. */
  initial?: Pick<Conversation, 'question' | 'todos'>;
}

/** Renders a conversation live until it ends, waits for an answer that cannot be given here, or the user quits. */
export async function watchConversation(
  context: CommandContext,
  id: string,
  flags: WatchFlags,
  start: WatchStart = {},
): Promise<ExitCode> {
  const abort = new AbortController();
  const keys = { onQuit: () => watch.quit(), onAnswer: () => watch.answerPostponed() };
  const renderer = await createWatchRenderer(context, id, flags, start, keys);
  const watch = new ConversationWatch(context, id, flags, start, renderer);
  process.on('SIGINT', keys.onQuit);
  void watch.follow(abort.signal);
  void streamInboxEvents(context.parley, id, abort.signal, watch);
  try {
    return await watch.run();
  } finally {
    abort.abort();
    process.off('SIGINT', keys.onQuit);
    renderer.stop();
  }
}

async function createWatchRenderer(
  { terminal, isJson }: CommandContext,
  id: string,
  { events }: WatchFlags,
  { hasOutputAbove = false, initial }: WatchStart,
  keys: WatchKeys,
): Promise<WatchRenderer> {
  if (events) return new JsonWatchRenderer(terminal, id);
  if (isJson) return new WatchRenderer();
  const renderer = terminal.isInteractive
    ? new (await import('#cli/watch/tty-renderer')).TtyWatchRenderer(terminal, hasOutputAbove, keys)
    : new PlainWatchRenderer(terminal, hasOutputAbove);
  if (initial) renderer.setPlan(initial.todos);
  return renderer;
}

/** What an event leads to: why the watch ends, the conversation if it has ended, or nothing. */
type WatchEnd = LeaveReason | Conversation | undefined;

/** Handles events in order: renders them and prompts for each open question once in between. */
class ConversationWatch implements QuestionListener {
  /** Handlers of the events, in order. */
  private readonly events = new AsyncQueue<() => WatchEnd | Promise<WatchEnd>>();
  private readonly questions = new QuestionQueue();
  private readonly isPrompting: boolean;
  private hasAssistantMessage = false;
  /** Earlier entries were shown, so a snapshot means that some later ones are lost. */
  private hasStartingPoint: boolean;
  /** The question on the screen, if any. */
  private prompted: { key: string; resolvedElsewhere: AbortController } | undefined;
  private interrupt: () => void = () => undefined;
  private readonly interrupted = new Promise<'interrupted'>((resolve) => {
    this.interrupt = () => resolve('interrupted');
  });

  constructor(
    private readonly context: CommandContext,
    private readonly id: string,
    private readonly flags: WatchFlags,
    private readonly start: WatchStart,
    private readonly renderer: WatchRenderer,
  ) {
    this.isPrompting = flags.input !== false && !context.isJson && !flags.events;
    this.hasStartingPoint = start.after !== undefined;
    if (start.initial?.question) this.questions.add(start.initial.question);
  }

  /** Queues the events of the conversation until it ends or the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const onConnectionChange = (error: unknown) =>
      this.events.push(() => void this.renderer.setConnectionLost(error !== undefined));
    try {
      const { after } = this.start;
      for await (const event of this.context.parley.events(this.id, { after, signal, onConnectionChange })) {
        if (event.event === 'question_answered') this.closePrompt(event.data);
        this.events.push(() => this.handleConversationEvent(event));
      }
    } catch (error) {
      this.events.push(() => Promise.reject(error));
    }
  }

  readonly onPending = (question: Question): void => this.events.push(() => void this.questions.add(question));

  readonly onResolved = (question: Question): void => {
    this.closePrompt(question);
    this.events.push(() => this.resolveQuestion(question));
  };

  answerPostponed(): void {
    this.events.push(() => this.prompt(...this.questions.withState('later')));
  }

  quit(): void {
    this.interrupt();
    this.events.push(() => 'interrupted');
  }

  /** Closes the prompt at once if its question is resolved elsewhere. */
  private closePrompt(resolved: Question): void {
    if (toQuestionKey(resolved) === this.prompted?.key) this.prompted.resolvedElsewhere.abort(resolved);
  }

  async run(): Promise<ExitCode> {
    for (;;) {
      const hasNewQuestion = this.events.isEmpty && this.questions.withState('new').length > 0;
      const end = await (hasNewQuestion ? this.handleNewQuestion() : (await this.events.next())());
      if (end) return this.finish(end);
      this.renderer.setWaitingStatus(describeWaiting(this.questions));
    }
  }

  private async handleConversationEvent(event: ConversationEvent): Promise<Conversation | undefined> {
    if (event.event === 'tool' && event.data.name === 'delegate') await this.recheckSubagentQuestions();
    this.renderer.renderEvent(event);
    switch (event.event) {
      case 'snapshot':
        if (this.hasStartingPoint)
          this.renderer.renderNote(this.context.terminal.style.dim('Some earlier entries were removed to save space.'));
        this.hasStartingPoint = true;
        return void (event.data.question && this.questions.add(event.data.question));
      case 'message':
        this.hasAssistantMessage ||= event.data.role === 'assistant';
        return undefined;
      case 'question_pending':
        return void this.questions.add(event.data);
      case 'question_answered':
        return this.resolveQuestion(event.data);
      case 'done':
        return event.data;
    }
  }

  private resolveQuestion(question: Question): undefined {
    if (this.questions.resolve(question)) this.renderer.renderResolvedQuestion(question);
  }

  /** Checks the questions of sub-agents when one has finished, because the inbox may report them later. */
  private async recheckSubagentQuestions(): Promise<void> {
    for (const question of this.questions.withState('new', 'later', 'queued', 'others'))
      if (question.conversationId !== this.id) await this.isStillOpen(question);
  }

  /** Returns true if unknown: a late answer is then rejected. */
  private async isStillOpen(question: Question): Promise<boolean> {
    const resolved = await readResolvedQuestion(this.context.parley, question);
    if (resolved) this.resolveQuestion(resolved);
    return !resolved;
  }

  /** Prompts for the most urgent new question, or prints it if prompting is off. */
  private async handleNewQuestion(): Promise<LeaveReason | undefined> {
    const [question, ...more] = this.questions.withState('new');
    // A replayed timeline contains questions that were resolved long ago.
    if (!question || !(await this.isStillOpen(question))) return undefined;
    if (this.isPrompting) return this.prompt(question, ...more);
    this.renderer.renderPendingQuestion(question);
    this.questions.setState(question, 'others');
    return this.flags.wait ? undefined : 'unattended';
  }

  /** Prompts for the first of these questions. The prompt prints the result. */
  private async prompt(question?: Question, ...more: Question[]): Promise<LeaveReason | undefined> {
    if (!question) return undefined;
    const { style, isInteractive } = this.context.terminal;
    if (more.length > 0)
      this.renderer.renderNote(style.dim(`${more.length} more open ${more.length === 1 ? 'question' : 'questions'}.`));
    this.renderer.suspend();
    const result = await this.ask(question);
    if (result === 'quit' || result === 'interrupted') return result;
    this.renderer.resume();
    if (result === 'inputDiscarded') return 'inputDiscarded';
    if (result === 'accepted' || result === 'resolvedElsewhere') return void this.questions.resolve(question);
    if (result === 'queued') return void this.questions.setState(question, 'queued');
    this.questions.setState(question, result === 'later' && isInteractive ? 'later' : 'others');
    return isInteractive || this.flags.wait ? undefined : 'unanswered';
  }

  private async ask(question: Question): Promise<PromptResult['kind'] | 'interrupted' | 'inputDiscarded'> {
    const { terminal, settings } = this.context;
    const resolvedElsewhere = new AbortController();
    this.prompted = { key: toQuestionKey(question), resolvedElsewhere };
    try {
      const result = await Promise.race([
        askQuestion(this.context, question, resolvedElsewhere.signal),
        this.interrupted,
      ]);
      if (result === 'interrupted') return result;
      return result.isInputDiscarded ? 'inputDiscarded' : result.kind;
    } catch (error) {
      // The user can try again.
      if (!(error instanceof ParleyError) || !terminal.isInteractive) throw error;
      terminal.printError(terminal.style.bad(formatErrorLine(toErrorReport(error, settings))));
      return 'later';
    } finally {
      this.prompted = undefined;
    }
  }

  private finish(end: LeaveReason | Conversation): ExitCode | Promise<ExitCode> {
    const { context, id, flags, start } = this;
    this.renderer.stop();
    if (typeof end === 'string') {
      const [openQuestion] = this.questions.withState('new', 'later', 'others');
      return reportLeft(context, id, end, openQuestion, flags);
    }
    // Without `after`, the last message may have come before the watch began.
    return reportFinished(context, end, this.hasAssistantMessage || start.after !== undefined, flags);
  }
}
