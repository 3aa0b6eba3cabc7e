import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { type LineReader, lineReaderFor } from '#cli/tty/line-reader';
import type { Terminal } from '#cli/tty/terminal';
import type { AnswerValue, Question, ValidationIssue } from '#contract/question';
import { formatAnswerValue } from '#presentation/labels';
import type { Prompter, PromptReply, ResolvedElsewhereSignal } from './ask-question';
import {
  type ButtonStep,
  type ChoiceStep,
  createFieldStep,
  type FieldStep,
  readStep,
  type StepResult,
  toSentence,
} from './form/field-step';
import { createTextEditor } from './form/text-editor';
import { formatAnswersLine, renderPromptDeadline, renderPromptField, renderPromptIntroduction } from './question-text';

/** Asks line by line: for pipes, and for terminals that can do no more. */
export function createLinePrompter(terminal: Terminal, question: Question, gone: ResolvedElsewhereSignal): Prompter {
  return new LinePrompter(terminal, question, gone);
}

class LinePrompter implements Prompter {
  private readonly lines: LineReader;
  private readonly steps: FieldStep[];
  private readonly answers: Record<string, AnswerValue> = {};
  private readonly done = new Set<string>();
  private isIntroduced = false;
  private sent: PromptReply | undefined;
  private isUnsent = false;
  private hasRead = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly question: Question,
    private readonly gone: ResolvedElsewhereSignal,
  ) {
    this.lines = lineReaderFor(terminal.input);
    this.steps = question.fields.map((field) => createFieldStep(field, question));
  }

  async ask(): Promise<PromptReply> {
    this.sent = await (this.isUnsent && this.sent ? this.askAgain(this.sent) : this.askAll());
    this.isUnsent = false;
    return this.sent;
  }

  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return work(new AbortController().signal);
  }

  tellFaults(faults: readonly ValidationIssue[]): void {
    for (const { path, message } of faults) {
      const key = path.replace(/^answers\./, '');
      const field = this.question.fields.find((one) => one.key === key);
      this.done.delete(key);
      delete this.answers[key];
      this.say([field && `${field.header}:`, toSentence(message)].filter(Boolean).join(' '));
    }
  }

  tellTrouble(trouble: string): void {
    this.isUnsent = true;
    this.say(trouble);
  }

  entered(): string[] {
    const { question, answers } = this;
    const said = question.fields.filter(({ key }) => answers[key] !== undefined);
    return said.map(({ key, header }) => `${header}: ${formatAnswerValue(answers[key])}`);
  }

  /** Somebody at a terminal sees what has become of it, and writes anew. */
  withdraw(): boolean {
    if (this.terminal.input.isTTY) this.lines.forget();
    return !this.terminal.input.isTTY && (this.hasRead || !this.lines.isQuiet());
  }

  close(): void {
    // The reader stays: the next question has the next line.
  }

  private async askAll(): Promise<PromptReply> {
    this.introduce();
    for (const step of this.steps) {
      const reply = this.done.has(step.field.key) ? undefined : await this.askOne(step);
      if (reply) return reply;
    }
    if (this.steps.length > 1) this.say(`That is all: ${formatAnswersLine(this.question, this.answers)}`);
    return { kind: 'answer', answers: { ...this.answers } };
  }

  private introduce(): void {
    const paper = this.paper();
    if (!this.isIntroduced)
      this.terminal.print(
        '',
        ...renderPromptIntroduction(this.question, paper),
        ...renderPromptDeadline(this.question, paper),
      );
    this.isIntroduced = true;
  }

  /** Nothing once it is answered; a reply where that ends it. */
  private async askOne(step: FieldStep): Promise<PromptReply | undefined> {
    this.terminal.print('', ...renderPromptField(step.field, this.paper()));
    this.say(`Write ${describeLineInput(step)}. (Or ${LINE_COMMANDS}.)`);
    for (;;) {
      const line = await this.next();
      if (typeof line !== 'string') return line;
      const read = parseAnswerLine(step, line);
      if (read.kind === 'later' || read.kind === 'decline') return read;
      if (read.kind === 'help') for (const way of listLineHelp(step)) this.say(way);
      else if (this.keep(step, read.taken)) return undefined;
    }
  }

  private keep({ field }: FieldStep, taken: StepResult): boolean {
    if (!taken.ok) this.say(taken.fault);
    else {
      if (taken.value !== undefined) this.answers[field.key] = taken.value;
      this.done.add(field.key);
    }
    return taken.ok;
  }

  /** After it could not be sent: the same again, unless they say otherwise. */
  private async askAgain(same: PromptReply): Promise<PromptReply> {
    for (;;) {
      const line = await this.next();
      if (typeof line !== 'string') return line;
      if (line.trim() === '') return same;
      const command = parseLineCommand(line.trim());
      if (command && command.kind !== 'help') return command;
      this.say('An empty line sends the same again. (Or /decline, /later.)');
    }
  }

  private async next(): Promise<string | PromptReply> {
    const { terminal, gone } = this;
    if (terminal.output.isTTY) terminal.output.write('> ');
    const line = await this.lines.next(gone);
    if (gone.aborted) return { kind: 'gone', question: gone.reason };
    this.hasRead ||= line !== undefined;
    return line ?? { kind: 'later' };
  }

  private say(text: string): void {
    this.terminal.print(...wrapText(sanitizeLine(text), this.terminal.width()));
  }

  private paper() {
    return { width: this.terminal.width(), style: this.terminal.style, now: Date.now() };
  }
}

/** What a line means to whoever is asked. */
export type ParsedLine =
  | { kind: 'help' }
  | { kind: 'later' }
  | { kind: 'decline'; reason?: string }
  | { kind: 'value'; taken: StepResult };

/** A line in answer to that step, which is as it was first shown: an empty one takes the default. */
function parseAnswerLine(step: FieldStep, written: string): ParsedLine {
  const line = written.trim();
  const command = stepLabels(step).includes(line) ? undefined : parseLineCommand(line);
  return command ?? { kind: 'value', taken: line === '' ? readEmptyLine(step) : readFilledLine(step, line) };
}

/** What can be said instead of an answer, everywhere. */
const LINE_COMMANDS = '/decline, /later, /help';

/** With a slash, as hardly any answer begins. */
function parseLineCommand(line: string): Exclude<ParsedLine, { kind: 'value' }> | undefined {
  if (line === '?' || /^\/help$/i.test(line)) return { kind: 'help' };
  if (/^\/later$/i.test(line)) return { kind: 'later' };
  const [isDecline, reason] = /^\/decline(?:\s+(.*))?$/i.exec(line) ?? [];
  return isDecline ? { kind: 'decline', ...(reason && { reason }) } : undefined;
}

function stepLabels(step: FieldStep): readonly string[] {
  switch (step.kind) {
    case 'list':
      return step.options.map(({ label }) => label.trim());
    case 'flag':
      return step.choices;
    case 'writing':
      return [];
  }
}

/** Of two buttons one is always lit; that alone is no answer. */
function readEmptyLine(step: FieldStep): StepResult {
  if (step.kind !== 'flag' || step.field.default !== undefined) return readStep(step);
  return step.field.required ? { ok: false, fault: 'Choose yes or no.' } : { ok: true, value: undefined };
}

function readFilledLine(step: FieldStep, line: string): StepResult {
  const filled = fillStep(step, line);
  return typeof filled === 'string' ? { ok: false, fault: filled } : readStep(filled);
}

/** What is wrong with it, where it cannot even be put in. */
function fillStep(step: FieldStep, line: string): FieldStep | string {
  switch (step.kind) {
    case 'writing':
      return { ...step, editor: createTextEditor(line, step.editor.isLong) };
    case 'flag':
      return fillButtonStep(step, line);
    case 'list':
      return step.isMany ? fillSeveralChoices(step, line) : fillChoice({ ...step, picked: [], isOther: false }, line);
  }
}

const YES_NO_INDEXES: Record<string, number> = { y: 0, yes: 0, true: 0, 1: 0, n: 1, no: 1, false: 1, 2: 1 };

function fillButtonStep(step: ButtonStep, line: string): ButtonStep | string {
  const wanted = line.toLowerCase();
  const label = step.choices.findIndex((choice) => choice.toLowerCase() === wanted);
  const at = label === -1 ? YES_NO_INDEXES[wanted] : label;
  return at === undefined ? 'Write yes or no.' : { ...step, at };
}

/** What follows `other:` is one text, commas and all; so is a label that has some. */
function fillSeveralChoices(list: ChoiceStep, line: string): ChoiceStep | string {
  const blank: ChoiceStep = { ...list, picked: [], isOther: false };
  if (findOptionLabel(list, line) !== undefined) return fillChoice(blank, line);
  const [, before = line, other] = /^(.*?)((?:^|(?<=,))\s*other\s*:.*)$/i.exec(line) ?? [];
  const parts = [...before.split(','), other ?? ''].map((part) => part.trim()).filter(Boolean);
  return parts.reduce<ChoiceStep | string>((so, part) => (typeof so === 'string' ? so : fillChoice(so, part)), blank);
}

/** A number, a label in any case, or `other: text`. */
function fillChoice(list: ChoiceStep, part: string): ChoiceStep | string {
  const label = findOptionLabel(list, part);
  if (label !== undefined) return { ...list, picked: list.isMany ? [...new Set([...list.picked, label])] : [label] };
  const { options, field } = list;
  const [, other] = /^other\s*:\s*(.*)$/i.exec(part) ?? [];
  if (field.allowOther && other) return { ...list, isOther: true, other: createTextEditor(other) };
  if (field.allowOther && (part === String(options.length + 1) || /^other\W*$/i.test(part)))
    return 'Write other: and then what it is.';
  return `${JSON.stringify(part)} is none of them. Write ${describeLineInput(list)}.`;
}

function findOptionLabel({ options }: ChoiceStep, said: string): string | undefined {
  const exact = options.find(({ label }) => label === said);
  const alike = options.find(({ label }) => label.trim().toLowerCase() === said.toLowerCase());
  const numbered = /^\d+$/.test(said) ? options[Number(said) - 1] : undefined;
  return (exact ?? alike ?? numbered)?.label;
}

/** How it is answered in a line. */
function describeLineInput(step: FieldStep): string {
  switch (step.kind) {
    case 'writing':
      return 'your answer on one line';
    case 'flag':
      return 'yes or no';
    case 'list': {
      const other = step.field.allowOther ? ', or other: and then what it is' : '';
      const range = `1 to ${step.options.length}`;
      return step.isMany
        ? `numbers from ${range} or labels, with commas between${other}`
        : `a number from ${range} or a label${other}`;
    }
  }
}

/** Everything that a line may say. */
function listLineHelp(step: FieldStep): string[] {
  const { field } = step;
  return [
    `Write ${describeLineInput(step)}.`,
    ...(field.default === undefined ? [] : ['An empty line takes the default.']),
    ...(field.default === undefined && !field.required ? ['An empty line leaves it out.'] : []),
    '/decline, or /decline and why: you will not answer it.',
    '/later: it waits on.',
  ];
}
