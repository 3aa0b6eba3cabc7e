import type { TextStyle } from '#cli/render/colors';
import { formatPlanProgress, renderTodo } from '#cli/render/conversation';
import type { MarkdownPart } from '#cli/render/markdown';
import { wrapText } from '#cli/render/text';
import { enterRawMode, type KeyPress } from '#cli/tty/keyboard';
import type { LiveRegion } from '#cli/tty/live-region';
import type { Terminal } from '#cli/tty/terminal';
import type { Conversation, Todo } from '#contract/conversation';
import type { ConversationEvent } from '#contract/events';
import { formatShortDuration } from '#presentation/format-time';
import type { WatchEventListener } from './events';
import { PartialText, type PartialTextUpdate } from './partial-text';
import type { WaitingStatus } from './question-queue';
import { TranscriptPrinter, TranscriptRenderer, type WatchRenderer } from './renderer';

const TICK_MS = 100;
/** Longer lines are hard to read, however wide the screen is. */
const MAX_LINE_WIDTH = 100;

/** For a person at a screen: finished output scrolls up, and the current activity stays below it. */
export class TtyWatchRenderer extends TranscriptRenderer implements WatchRenderer {
  protected readonly printer: TranscriptPrinter;
  private readonly partialText = new PartialText();
  private unfinished: readonly MarkdownPart[] = [];
  private todos: readonly Todo[] = [];
  private activity = 'Thinking';
  private since = Date.now();
  private waitingStatus: WaitingStatus | undefined;
  private isLost = false;
  private timer: NodeJS.Timeout | undefined;
  private stopKeys: () => void = () => undefined;

  constructor(
    private readonly terminal: Terminal,
    private readonly region: LiveRegion,
    private readonly deliver: WatchEventListener,
  ) {
    super();
    const print = (lines: readonly string[]) => {
      region.print(lines);
      this.draw();
    };
    this.printer = new TranscriptPrinter({ style: terminal.style, width: () => this.width(), print });
    this.resume();
  }

  setPlan({ todos }: Pick<Conversation, 'todos'>): void {
    this.todos = todos;
    this.printer.setPlan(todos);
  }

  renderEvent(event: ConversationEvent): void {
    switch (event.event) {
      case 'delta':
        this.activity = event.data.text === '' ? 'Thinking' : 'Writing';
        return this.renderParts(this.partialText.write(event.data.text));
      case 'message':
        return event.data.role === 'user'
          ? this.renderUserMessage(event.data.text)
          : this.renderAssistantMessage(event.data.text);
      case 'tool':
        this.activity = 'Thinking';
        return this.printer.printTool(event.data);
      case 'todos':
        this.todos = event.data.todos;
        return this.printer.todos(event);
      case 'snapshot':
        return this.setPlan(event.data);
      case 'question_answered':
        this.activity = 'Thinking';
        this.since = Date.now();
    }
  }

  private renderUserMessage(text: string): void {
    this.activity = 'Thinking';
    this.since = Date.now();
    this.printer.printUserMessage(text);
    this.printer.endBlock();
  }

  private renderAssistantMessage(text: string): void {
    this.activity = 'Working';
    this.renderParts(this.partialText.finish(text));
    this.printer.endBlock();
  }

  private renderParts({ finished, unfinished, isRestart }: PartialTextUpdate): void {
    this.unfinished = unfinished;
    if (isRestart) {
      this.printer.endBlock();
      this.printer.printBlock('note', [this.terminal.style.dim('It began anew:')]);
      this.printer.endBlock();
    }
    this.printer.printBlock('message', this.linesOf(finished));
    this.draw();
  }

  setWaitingStatus(status: WaitingStatus | undefined): void {
    this.waitingStatus = status;
    this.draw();
  }

  setConnectionLost(isLost: boolean): void {
    this.isLost = isLost;
    this.draw();
  }

  suspend(): void {
    this.stop();
    this.printer.endBlock();
  }

  resume(): void {
    this.stopKeys = enterRawMode(this.terminal, {
      onKey: (key) => this.handleKey(key),
      onEnd: () => this.deliver({ kind: 'quit' }),
      onSuspend: this.region.reset,
      onResume: () => this.draw(),
    }).restore;
    this.timer = setInterval(() => this.draw(), TICK_MS);
    this.draw();
  }

  /** The two keys that work during a watch. */
  private handleKey({ name, ctrl }: KeyPress): void {
    if (ctrl && name === 'c') this.deliver({ kind: 'quit' });
    else if (name === 'return' || name === 'enter') this.deliver({ kind: 'answerRequested' });
  }

  stop(): void {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.region.clear();
    this.stopKeys();
  }

  private width(): number {
    return Math.min(this.terminal.width() - 1, MAX_LINE_WIDTH);
  }

  private linesOf(parts: readonly MarkdownPart[]): string[] {
    return parts.flatMap((part) => part.lines(this.width(), this.terminal.style));
  }

  private draw(): void {
    if (!this.timer) return;
    const { style } = this.terminal;
    const unfinishedLines = this.linesOf(this.unfinished);
    const needsBlankLine = unfinishedLines.length > 0 && this.printer.needsBlankLineBefore('message');
    this.region.draw([
      ...(needsBlankLine ? [''] : []),
      ...unfinishedLines,
      '',
      ...this.planLines(),
      ...renderActivityStatus(this.activityStatus(), Date.now(), this.width(), style),
    ]);
  }

  private planLines(): string[] {
    const { style } = this.terminal;
    const inProgress = this.waitingStatus ? [] : this.todos.filter(({ status }) => status === 'in_progress');
    const progress = style.dim(` (${formatPlanProgress(this.todos)})`);
    return inProgress.flatMap((todo) => renderTodo(todo, this.width(), style, progress));
  }

  private activityStatus() {
    const { waitingStatus, isLost, activity, since } = this;
    return waitingStatus ? { ...waitingStatus, isLost, since: undefined } : { text: activity, isLost, since };
  }
}

const SPINNER_FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPINNER_FRAME_MS = 100;

export interface ActivityStatus {
  /** `Thinking`, `Writing`, or what it waits for. */
  text: string;
  /** The keys that work meanwhile. */
  keyHints?: string[];
  isLost: boolean;
  /** When the activity began; undefined while it waits for a person. */
  since: number | undefined;
}

/** Renders the current activity. */
function renderActivityStatus(
  { text, keyHints = [], isLost, since }: ActivityStatus,
  now: number,
  width: number,
  style: TextStyle,
): string[] {
  const symbol =
    since === undefined
      ? style.warn('?')
      : style.accent(SPINNER_FRAMES[Math.floor(now / SPINNER_FRAME_MS) % SPINNER_FRAMES.length] ?? '');
  const status = isLost ? style.warn('Connection lost, trying again …') : text;
  const elapsed = isLost || since === undefined ? [] : [formatShortDuration(now - since)];
  const details = [...elapsed, ...keyHints].map((text) => style.dim(` · ${text}`));
  return wrapText(status + details.join(''), width, { first: `${symbol} ` });
}
