import type { Key } from '#cli/screen/key';
import { takeKeys } from '#cli/screen/raw';
import type { Region } from '#cli/screen/region';
import type { Terminal } from '#cli/terminal';
import type { Part } from '#cli/text/markdown';
import { doneText, todoLines } from '#cli/text/todos';
import type { Conversation, Todo } from '#contract/conversation';
import type { ConversationEvent } from '#contract/event';
import type { Deliver } from './happening';
import { NarratingTeller } from './narrating-teller';
import { Narrator } from './narrator';
import { statusLines } from './status-line';
import type { Teller } from './teller';
import type { Waits } from './waits';
import { type Progress, Writing } from './writing';

const TICK_MS = 100;
/** Longer lines are hard to read, however wide the screen is. */
const WIDEST = 100;

/** For a person who looks on: what is finished scrolls up, and below it is to be seen what goes on. */
export class LiveTeller extends NarratingTeller implements Teller {
  protected readonly narrator: Narrator;
  private readonly writing = new Writing();
  private open: readonly Part[] = [];
  private todos: readonly Todo[] = [];
  private doing = 'Thinking';
  private since = Date.now();
  private waiting: Waits | undefined;
  private isLost = false;
  private timer: NodeJS.Timeout | undefined;
  private stopKeys: () => void = () => undefined;

  constructor(
    private readonly terminal: Terminal,
    private readonly region: Region,
    private readonly deliver: Deliver,
  ) {
    super();
    const print = (lines: readonly string[]) => {
      region.print(lines);
      this.draw();
    };
    this.narrator = new Narrator({ style: terminal.style, width: () => this.width(), print });
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

  private tellParts({ done, open, isAnew }: Progress): void {
    this.open = open;
    if (isAnew) {
      this.narrator.close();
      this.narrator.tell('note', [this.terminal.style.dim('It began anew:')]);
      this.narrator.close();
    }
    this.narrator.tell('message', this.linesOf(done));
    this.draw();
  }

  waits(waits: Waits | undefined): void {
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
    this.stopKeys = takeKeys(this.terminal, {
      onKey: (key) => this.press(key),
      onEnd: () => this.deliver({ kind: 'left' }),
      onStop: this.region.forget,
      onBack: () => this.draw(),
    }).restore;
    this.timer = setInterval(() => this.draw(), TICK_MS);
    this.draw();
  }

  /** The two keys there are while one looks on. */
  private press({ name, ctrl }: Key): void {
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
    return Math.min(this.terminal.width() - 1, WIDEST);
  }

  private linesOf(parts: readonly Part[]): string[] {
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
      ...statusLines(this.status(), Date.now(), this.width(), style),
    ]);
  }

  private plan(): string[] {
    const { style } = this.terminal;
    const underWay = this.waiting ? [] : this.todos.filter(({ status }) => status === 'in_progress');
    const done = style.dim(` (${doneText(this.todos)})`);
    return underWay.flatMap((todo) => todoLines(todo, this.width(), style, done));
  }

  private status() {
    const { waiting, isLost, doing, since } = this;
    return waiting ? { ...waiting, isLost, since: undefined } : { what: doing, isLost, since };
  }
}
