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

/** For a person who looks on: what is finished scrolls up, and below it is to be seen what goes on. */
export class TtyWatchRenderer extends TranscriptRenderer implements WatchRenderer {
  protected readonly narrator: TranscriptPrinter;
  private readonly writing = new PartialText();
  private open: readonly MarkdownPart[] = [];
  private todos: readonly Todo[] = [];
  private doing = 'Thinking';
  private since = Date.now();
  private waiting: WaitingStatus | undefined;
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
    this.narrator = new TranscriptPrinter({ style: terminal.style, width: () => this.width(), print });
    this.resume();
  }

  begin({ todos }: Pick<Conversation, 'todos'>): void {
    this.todos = todos;
    this.narrator.begin(todos);
  }

  event(event: ConversationEvent): void {
    switch (event.event) {
      case 'delta':
        this.doing = event.data.text === '' ? 'Thinking' : 'Writing';
        return this.tellParts(this.writing.write(event.data.text));
      case 'message':
        return event.data.role === 'user' ? this.user(event.data.text) : this.assistant(event.data.text);
      case 'tool':
        this.doing = 'Thinking';
        return this.narrator.tool(event.data);
      case 'todos':
        this.todos = event.data.todos;
        return this.narrator.todos(event);
      case 'snapshot':
        return this.begin(event.data);
      case 'question_answered':
        this.doing = 'Thinking';
        this.since = Date.now();
    }
  }

  private user(text: string): void {
    this.doing = 'Thinking';
    this.since = Date.now();
    this.narrator.user(text);
    this.narrator.close();
  }

  private assistant(text: string): void {
    this.doing = 'Working';
    this.tellParts(this.writing.finish(text));
    this.narrator.close();
  }

  private tellParts({ done, open, isAnew }: PartialTextUpdate): void {
    this.open = open;
    if (isAnew) {
      this.narrator.close();
      this.narrator.tell('note', [this.terminal.style.dim('It began anew:')]);
      this.narrator.close();
    }
    this.narrator.tell('message', this.linesOf(done));
    this.draw();
  }

  waits(waits: WaitingStatus | undefined): void {
    this.waiting = waits;
    this.draw();
  }

  line(isLost: boolean): void {
    this.isLost = isLost;
    this.draw();
  }

  suspend(): void {
    this.stop();
    this.narrator.close();
  }

  resume(): void {
    this.stopKeys = enterRawMode(this.terminal, {
      onKey: (key) => this.press(key),
      onEnd: () => this.deliver({ kind: 'left' }),
      onStop: this.region.forget,
      onBack: () => this.draw(),
    }).restore;
    this.timer = setInterval(() => this.draw(), TICK_MS);
    this.draw();
  }

  /** The two keys there are while one looks on. */
  private press({ name, ctrl }: KeyPress): void {
    if (ctrl && name === 'c') this.deliver({ kind: 'left' });
    else if (name === 'return' || name === 'enter') this.deliver({ kind: 'enter' });
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
    const writing = this.linesOf(this.open);
    const isApart = writing.length > 0 && this.narrator.isApartFrom('message');
    this.region.draw([
      ...(isApart ? [''] : []),
      ...writing,
      '',
      ...this.plan(),
      ...renderActivityStatus(this.status(), Date.now(), this.width(), style),
    ]);
  }

  private plan(): string[] {
    const { style } = this.terminal;
    const underWay = this.waiting ? [] : this.todos.filter(({ status }) => status === 'in_progress');
    const done = style.dim(` (${formatPlanProgress(this.todos)})`);
    return underWay.flatMap((todo) => renderTodo(todo, this.width(), style, done));
  }

  private status() {
    const { waiting, isLost, doing, since } = this;
    return waiting ? { ...waiting, isLost, since: undefined } : { what: doing, isLost, since };
  }
}

const SPINNER_FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPINNER_FRAME_MS = 100;

export interface ActivityStatus {
  /** `Thinking`, `Writing`, or what it waits for. */
  what: string;
  /** What one can do meanwhile. */
  keys?: string[];
  isLost: boolean;
  /** Nothing moves while it waits for a person. */
  since: number | undefined;
}

/** What goes on now. */
function renderActivityStatus(
  { what, keys = [], isLost, since }: ActivityStatus,
  now: number,
  width: number,
  style: TextStyle,
): string[] {
  const mark =
    since === undefined
      ? style.warn('?')
      : style.accent(SPINNER_FRAMES[Math.floor(now / SPINNER_FRAME_MS) % SPINNER_FRAMES.length] ?? '');
  const said = isLost ? style.warn('Connection lost, trying again …') : what;
  const more = isLost || since === undefined ? [] : [formatShortDuration(now - since)];
  const rest = [...more, ...keys].map((text) => style.dim(` · ${text}`));
  return wrapText(said + rest.join(''), width, { first: `${mark} ` });
}
