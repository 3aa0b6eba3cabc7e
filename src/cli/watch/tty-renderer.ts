import { formatPlanProgress, renderTodo } from '#cli/render/conversation';
import type { MarkdownPart } from '#cli/render/markdown';
import { wrapText } from '#cli/render/text';
import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { type LiveView, openLiveView } from '#cli/tty/live-view';
import type { Terminal } from '#cli/tty/terminal';
import type { ConversationEvent } from '#contract/events';
import { formatShortDuration } from '#presentation/format-time';
import { formatModelRetry } from '#presentation/labels';
import { PartialText, type PartialTextUpdate } from './partial-text';
import { PlainWatchRenderer, type WatchKeys } from './renderers';

const TICK_MS = 100;
/** Longer lines are hard to read on any screen. */
const MAX_LINE_WIDTH = 100;
const SPINNER_FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** For an interactive terminal: finished output scrolls up, and the current activity stays below it. */
export class TtyWatchRenderer extends PlainWatchRenderer {
  /** Undefined while a prompt has the screen. */
  private view: LiveView | undefined;
  private readonly partialText = new PartialText();
  private unfinished: readonly MarkdownPart[] = [];
  private activity = 'Thinking';
  private since = Date.now();
  private waitingStatus: readonly string[] | undefined;
  private thinkingSince: string | undefined;
  private isLost = false;

  constructor(
    terminal: Terminal,
    hasOutputAbove: boolean,
    private readonly keys: WatchKeys,
  ) {
    super(terminal, hasOutputAbove);
    this.resume();
  }

  override renderEvent(event: ConversationEvent): void {
    const activity = activityAfter(event);
    if (activity) this.activity = activity;
    if (activity) this.thinkingSince = event.event === 'delta' ? event.data.thinkingSince : undefined;
    const isAnswer = event.event === 'question_answered' || (event.event === 'message' && event.data.role === 'user');
    if (isAnswer) this.since = Date.now();
    if (event.event === 'delta') this.renderParts(this.partialText.write(event.data.text));
    else super.renderEvent(event);
  }

  override setWaitingStatus(status: readonly string[] | undefined): void {
    this.waitingStatus = status;
    this.view?.redraw();
  }

  override setConnectionLost(isLost: boolean): void {
    this.isLost = isLost;
    this.view?.redraw();
  }

  override suspend(): void {
    this.stop();
    this.endBlock();
  }

  override resume(): void {
    this.view = openLiveView(this.terminal, {
      render: () => this.renderView(),
      onKey: (key) => this.handleKey(key),
      onEnd: this.keys.onQuit,
      tickMs: TICK_MS,
    });
  }

  override stop(): void {
    this.view?.close();
    this.view = undefined;
  }

  protected override width(): number {
    return Math.min(this.terminal.width() - 1, MAX_LINE_WIDTH);
  }

  protected override print(lines: readonly string[]): void {
    if (this.view) this.view.print(lines);
    else super.print(lines);
  }

  protected override printMessage(text: string): void {
    this.renderParts(this.partialText.finish(text));
  }

  private handleKey(key: KeyPress): void {
    const chord = keyChord(key);
    if (chord === 'C-c') this.keys.onQuit();
    if (chord === 'return' || chord === 'enter') this.keys.onAnswer();
  }

  private renderParts({ finished, unfinished, isRestart }: PartialTextUpdate): void {
    this.unfinished = unfinished;
    if (isRestart) {
      this.renderNote(this.terminal.style.dim('The reply restarted:'));
      this.endBlock();
    }
    this.printBlock('message', this.linesOf(finished));
    this.view?.redraw();
  }

  private linesOf(parts: readonly MarkdownPart[]): string[] {
    return parts.flatMap((part) => part.lines(this.width(), this.terminal.style));
  }

  private renderView(): string[] {
    const unfinishedLines = this.linesOf(this.unfinished);
    const needsBlankLine = unfinishedLines.length > 0 && this.needsBlankLineBefore('message');
    return [
      ...(needsBlankLine ? [''] : []),
      ...unfinishedLines,
      '',
      ...this.planLines(),
      ...this.statusLines(Date.now()),
    ];
  }

  private planLines(): string[] {
    const { style } = this.terminal;
    const inProgress = this.waitingStatus ? [] : this.todos.filter(({ status }) => status === 'in_progress');
    const progress = style.dim(` (${formatPlanProgress(this.todos)})`);
    return inProgress.flatMap((todo) => renderTodo(todo, this.width(), style, progress));
  }

  /** Renders the current activity and its duration, or what the conversation waits for and the available keys. */
  private statusLines(now: number): string[] {
    const { waitingStatus, isLost, activity, since, thinkingSince } = this;
    const { style } = this.terminal;
    const frame = SPINNER_FRAMES[Math.floor(now / TICK_MS) % SPINNER_FRAMES.length] ?? '';
    const symbol = waitingStatus ? style.warn('?') : style.accent(frame);
    const [status = '', ...details] = waitingStatus ?? [
      activity,
      formatShortDuration(now - (thinkingSince ? Date.parse(thinkingSince) : since)),
    ];
    const shown = isLost ? style.warn('Connection lost. Reconnecting…') : status;
    const shownDetails = isLost && !waitingStatus ? [] : details.map((text) => style.dim(` · ${text}`));
    return wrapText(shown + shownDetails.join(''), this.width(), { first: `${symbol} ` });
  }
}

/** Returns the agent's activity after an event; undefined if it does not change. */
function activityAfter(event: ConversationEvent): string | undefined {
  switch (event.event) {
    case 'delta':
      if (event.data.retry) return formatModelRetry(event.data.retry);
      return event.data.text === '' || event.data.thinkingSince ? 'Thinking' : 'Writing';
    case 'message':
      return event.data.role === 'user' ? 'Thinking' : 'Working';
    case 'tool':
    case 'question_answered':
      return 'Thinking';
    default:
      return undefined;
  }
}
