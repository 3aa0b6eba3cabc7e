import type { Asker } from '#cli/ask/asker';
import { type Step, sentence, stepOf, type Taken } from '#cli/ask/form/step';
import type { Gone } from '#cli/ask/put';
import type { Reply } from '#cli/ask/reply';
import type { Terminal } from '#cli/terminal';
import { answersText, deadlineLines, fieldLines, introduction } from '#cli/text/question';
import { safeLine } from '#cli/text/safe';
import { wrap } from '#cli/text/wrap';
import type { Fault, Question, Value } from '#contract/question';
import { valueText } from '#core/words';
import { type Lines, linesOf } from './lines';
import { COMMANDS, commandIn, readLine, wayOf, waysOf } from './read';

/** Asks line by line: for pipes, and for terminals that can do no more. */
export function byLines(terminal: Terminal, question: Question, gone: Gone): Asker {
  return new LineByLine(terminal, question, gone);
}

class LineByLine implements Asker {
  private readonly lines: Lines;
  private readonly steps: Step[];
  private readonly answers: Record<string, Value> = {};
  private readonly done = new Set<string>();
  private isIntroduced = false;
  private sent: Reply | undefined;
  private isUnsent = false;
  private hasRead = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly question: Question,
    private readonly gone: Gone,
  ) {
    this.lines = linesOf(terminal.input);
    this.steps = question.fields.map((field) => stepOf(field, question));
  }

  async ask(): Promise<Reply> {
    this.sent = await (this.isUnsent && this.sent ? this.askAgain(this.sent) : this.askAll());
    this.isUnsent = false;
    return this.sent;
  }

  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return work(new AbortController().signal);
  }

  tellFaults(faults: readonly Fault[]): void {
    for (const { path, message } of faults) {
      const key = path.replace(/^answers\./, '');
      const field = this.question.fields.find((one) => one.key === key);
      this.done.delete(key);
      delete this.answers[key];
      this.say([field && `${field.header}:`, sentence(message)].filter(Boolean).join(' '));
    }
  }

  tellTrouble(trouble: string): void {
    this.isUnsent = true;
    this.say(trouble);
  }

  entered(): string[] {
    const { question, answers } = this;
    const said = question.fields.filter(({ key }) => answers[key] !== undefined);
    return said.map(({ key, header }) => `${header}: ${valueText(answers[key])}`);
  }

  /** Somebody at a terminal sees what has become of it, and writes anew. */
  withdraw(): boolean {
    if (this.terminal.input.isTTY) this.lines.forget();
    return !this.terminal.input.isTTY && (this.hasRead || !this.lines.isQuiet());
  }

  close(): void {
    // The reader stays: the next question has the next line.
  }

  private async askAll(): Promise<Reply> {
    this.introduce();
    for (const step of this.steps) {
      const reply = this.done.has(step.field.key) ? undefined : await this.askOne(step);
      if (reply) return reply;
    }
    if (this.steps.length > 1) this.say(`That is all: ${answersText(this.question, this.answers)}`);
    return { kind: 'answer', answers: { ...this.answers } };
  }

  private introduce(): void {
    const paper = this.paper();
    if (!this.isIntroduced)
      this.terminal.print('', ...introduction(this.question, paper), ...deadlineLines(this.question, paper));
    this.isIntroduced = true;
  }

  /** Nothing once it is answered; a reply where that ends it. */
  private async askOne(step: Step): Promise<Reply | undefined> {
    this.terminal.print('', ...fieldLines(step.field, this.paper()));
    this.say(`Write ${wayOf(step)}. (Or ${COMMANDS}.)`);
    for (;;) {
      const line = await this.next();
      if (typeof line !== 'string') return line;
      const read = readLine(step, line);
      if (read.kind === 'later' || read.kind === 'decline') return read;
      if (read.kind === 'help') for (const way of waysOf(step)) this.say(way);
      else if (this.keep(step, read.taken)) return undefined;
    }
  }

  private keep({ field }: Step, taken: Taken): boolean {
    if (!taken.ok) this.say(taken.fault);
    else {
      if (taken.value !== undefined) this.answers[field.key] = taken.value;
      this.done.add(field.key);
    }
    return taken.ok;
  }

  /** After it could not be sent: the same again, unless they say otherwise. */
  private async askAgain(same: Reply): Promise<Reply> {
    for (;;) {
      const line = await this.next();
      if (typeof line !== 'string') return line;
      if (line.trim() === '') return same;
      const command = commandIn(line.trim());
      if (command && command.kind !== 'help') return command;
      this.say('An empty line sends the same again. (Or /decline, /later.)');
    }
  }

  private async next(): Promise<string | Reply> {
    const { terminal, gone } = this;
    if (terminal.output.isTTY) terminal.output.write('> ');
    const line = await this.lines.next(gone);
    if (gone.aborted) return { kind: 'gone', question: gone.reason };
    this.hasRead ||= line !== undefined;
    return line ?? { kind: 'later' };
  }

  private say(text: string): void {
    this.terminal.print(...wrap(safeLine(text), this.terminal.width()));
  }

  private paper() {
    return { width: this.terminal.width(), style: this.terminal.style, now: Date.now() };
  }
}
