import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { type LineReader, lineReaderFor } from '#cli/tty/line-reader';
import type { Terminal } from '#cli/tty/terminal';
import type { AnswerValue, Question, ValidationIssue } from '#contract/question';
import { formatAnswerValue, toSentence } from '#presentation/labels';
import type { Prompter, PromptReply, ResolvedElsewhereSignal } from './ask-question';
import {
  type ButtonStep,
  type ChoiceStep,
  createFieldStep,
  type FieldStep,
  readStep,
  type StepResult,
} from './form/field-step';
import { createTextEditor } from './form/text-editor';
import { formatAnswersLine, renderPromptDeadline, renderPromptField, renderPromptIntroduction } from './question-text';

/** Prompts line by line, for pipes and dumb terminals. */
export class LinePrompter implements Prompter {
  private readonly reader: LineReader;
  private readonly steps: FieldStep[];
  private readonly answers: Record<string, AnswerValue> = {};
  private readonly answeredKeys = new Set<string>();
  private isIntroduced = false;
  private lastReply: PromptReply | undefined;
  private hasSendFailed = false;
  private hasRead = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly question: Question,
    private readonly resolvedElsewhere: ResolvedElsewhereSignal,
  ) {
    this.reader = lineReaderFor(terminal.input);
    this.steps = question.fields.map((field) => createFieldStep(field, question));
  }

  async ask(): Promise<PromptReply> {
    this.lastReply = await (this.hasSendFailed && this.lastReply ? this.askToResend(this.lastReply) : this.askFields());
    this.hasSendFailed = false;
    return this.lastReply;
  }

  whileSending<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return work(new AbortController().signal);
  }

  showIssues(issues: readonly ValidationIssue[]): void {
    for (const { path, message } of issues) {
      const key = path.replace(/^answers\./, '');
      const field = this.question.fields.find((candidate) => candidate.key === key);
      this.answeredKeys.delete(key);
      delete this.answers[key];
      this.print([field && `${field.header}:`, toSentence(message)].filter(Boolean).join(' '));
    }
  }

  showError(message: string): void {
    this.hasSendFailed = true;
    this.print(message);
  }

  enteredValues(): string[] {
    const { question, answers } = this;
    const answered = question.fields.filter(({ key }) => answers[key] !== undefined);
    return answered.map(({ key, header }) => `${header}: ${formatAnswerValue(answers[key])}`);
  }

  /** On a terminal, the user sees that the question is resolved, so unread input is dropped. */
  withdraw(): boolean {
    if (this.terminal.input.isTTY) this.reader.discardBuffered();
    return !this.terminal.input.isTTY && (this.hasRead || !this.reader.isDrained());
  }

  close(): void {
    // The reader stays open, because the next line is for the next question.
  }

  private async askFields(): Promise<PromptReply> {
    this.introduce();
    for (const step of this.steps) {
      const reply = this.answeredKeys.has(step.field.key) ? undefined : await this.askField(step);
      if (reply) return reply;
    }
    if (this.steps.length > 1) this.print(`Your answers: ${formatAnswersLine(this.question, this.answers)}`);
    return { kind: 'answer', answers: { ...this.answers } };
  }

  private introduce(): void {
    const renderOptions = this.renderOptions();
    if (!this.isIntroduced)
      this.terminal.print(
        '',
        ...renderPromptIntroduction(this.question, renderOptions),
        ...renderPromptDeadline(this.question, renderOptions),
      );
    this.isIntroduced = true;
  }

  /** Returns undefined once the field is answered, or a reply that ends the prompt. */
  private async askField(step: FieldStep): Promise<PromptReply | undefined> {
    this.terminal.print('', ...renderPromptField(step.field, this.renderOptions()));
    this.print(`Enter ${describeLineInput(step)} (or ${LINE_COMMANDS}).`);
    for (;;) {
      const line = await this.readLine();
      if (typeof line !== 'string') return line;
      const parsed = parseAnswerLine(step, line);
      if (parsed.kind === 'later' || parsed.kind === 'decline') return parsed;
      if (parsed.kind === 'help') for (const helpLine of listLineHelp(step)) this.print(helpLine);
      else if (this.storeResult(step, parsed.result)) return undefined;
    }
  }

  private storeResult({ field }: FieldStep, result: StepResult): boolean {
    if (!result.ok) this.print(result.error);
    else {
      if (result.value !== undefined) this.answers[field.key] = result.value;
      this.answeredKeys.add(field.key);
    }
    return result.ok;
  }

  /** After a failed send, an empty line retries it. */
  private async askToResend(previous: PromptReply): Promise<PromptReply> {
    for (;;) {
      const line = await this.readLine();
      if (typeof line !== 'string') return line;
      if (line.trim() === '') return previous;
      const command = parseLineCommand(line.trim());
      if (command && command.kind !== 'help') return command;
      this.print('An empty line sends your answer again (or /decline, /later).');
    }
  }

  private async readLine(): Promise<string | PromptReply> {
    const { terminal, resolvedElsewhere } = this;
    if (terminal.output.isTTY) terminal.output.write('> ');
    const line = await this.reader.nextLine(resolvedElsewhere);
    if (resolvedElsewhere.aborted) return { kind: 'resolvedElsewhere', question: resolvedElsewhere.reason };
    this.hasRead ||= line !== undefined;
    return line ?? { kind: 'later' };
  }

  private print(text: string): void {
    this.terminal.print(...wrapText(sanitizeLine(text), this.terminal.width()));
  }

  private renderOptions() {
    return { width: this.terminal.width(), style: this.terminal.style, now: Date.now() };
  }
}

/** The meaning of a line. */
export type ParsedLine =
  | { kind: 'help' }
  | { kind: 'later' }
  | { kind: 'decline'; reason?: string }
  | { kind: 'value'; result: StepResult };

/** Parses a line for a step in its initial state. An empty line selects the default. */
function parseAnswerLine(step: FieldStep, input: string): ParsedLine {
  const line = input.trim();
  const command = stepLabels(step).includes(line) ? undefined : parseLineCommand(line);
  return command ?? { kind: 'value', result: line === '' ? readEmptyLine(step) : readFilledLine(step, line) };
}

/** Commands accepted in place of any answer. */
const LINE_COMMANDS = '/decline, /later, /help';

/** Parses a command. Commands start with a slash, because few answers do. */
function parseLineCommand(line: string): Exclude<ParsedLine, { kind: 'value' }> | undefined {
  if (line === '?' || /^\/help$/i.test(line)) return { kind: 'help' };
  if (/^\/later$/i.test(line)) return { kind: 'later' };
  const [isDecline, reason] = /^\/decline(?:\s+(.*))?$/i.exec(line) ?? [];
  return isDecline ? { kind: 'decline', ...(reason && { reason }) } : undefined;
}

function stepLabels(step: FieldStep): readonly string[] {
  switch (step.kind) {
    case 'choice':
      return step.options.map(({ label }) => label.trim());
    case 'buttons':
      return step.choices;
    case 'text':
      return [];
  }
}

/** One of two buttons is always selected, so an empty line is an answer only if there is a default. */
function readEmptyLine(step: FieldStep): StepResult {
  if (step.kind !== 'buttons' || step.field.default !== undefined) return readStep(step);
  return step.field.required ? { ok: false, error: 'Enter yes or no.' } : { ok: true, value: undefined };
}

function readFilledLine(step: FieldStep, line: string): StepResult {
  const filled = fillStep(step, line);
  return typeof filled === 'string' ? { ok: false, error: filled } : readStep(filled);
}

/** Fills in a step, or returns an error message if the line does not fit. */
function fillStep(step: FieldStep, line: string): FieldStep | string {
  switch (step.kind) {
    case 'text':
      return { ...step, editor: createTextEditor(line, step.editor.isLong) };
    case 'buttons':
      return fillButtonStep(step, line);
    case 'choice':
      return step.isMany ? fillSeveralChoices(step, line) : fillChoice({ ...step, picked: [], isOther: false }, line);
  }
}

const YES_NO_INDEXES: Record<string, number> = { y: 0, yes: 0, true: 0, 1: 0, n: 1, no: 1, false: 1, 2: 1 };

function fillButtonStep(step: ButtonStep, line: string): ButtonStep | string {
  const answer = line.toLowerCase();
  const labelIndex = step.choices.findIndex((choice) => choice.toLowerCase() === answer);
  const choiceIndex = labelIndex === -1 ? YES_NO_INDEXES[answer] : labelIndex;
  return choiceIndex === undefined ? 'Enter yes or no.' : { ...step, choiceIndex };
}

/** Fills in several choices. Text after `other:` may contain commas, and so may a label. */
function fillSeveralChoices(step: ChoiceStep, line: string): ChoiceStep | string {
  const blank: ChoiceStep = { ...step, picked: [], isOther: false };
  if (findOptionLabel(step, line) !== undefined) return fillChoice(blank, line);
  const [, choices = line, other] = /^(.*?)((?:^|(?<=,))\s*other\s*:.*)$/i.exec(line) ?? [];
  const parts = [...choices.split(','), other ?? ''].map((part) => part.trim()).filter(Boolean);
  return parts.reduce<ChoiceStep | string>(
    (filled, part) => (typeof filled === 'string' ? filled : fillChoice(filled, part)),
    blank,
  );
}

/** Fills in one choice: a number, a label in any case, or `other: text`. */
function fillChoice(step: ChoiceStep, part: string): ChoiceStep | string {
  const label = findOptionLabel(step, part);
  if (label !== undefined) return { ...step, picked: step.isMany ? [...new Set([...step.picked, label])] : [label] };
  const { options, field } = step;
  const [, other] = /^other\s*:\s*(.*)$/i.exec(part) ?? [];
  if (field.allowOther && other) return { ...step, isOther: true, other: createTextEditor(other) };
  if (field.allowOther && (part === String(options.length + 1) || /^other\W*$/i.test(part)))
    return 'Enter other: and your own answer.';
  return `${JSON.stringify(part)} is not an option. Enter ${describeLineInput(step)}.`;
}

function findOptionLabel({ options }: ChoiceStep, text: string): string | undefined {
  const exact = options.find(({ label }) => label === text);
  const caseInsensitive = options.find(({ label }) => label.trim().toLowerCase() === text.toLowerCase());
  const numbered = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
  return (exact ?? caseInsensitive ?? numbered)?.label;
}

/** Describes what to type. */
function describeLineInput(step: FieldStep): string {
  switch (step.kind) {
    case 'text':
      return 'your answer on one line';
    case 'buttons':
      return 'yes or no';
    case 'choice': {
      const other = step.field.allowOther ? ', or other: and your own answer' : '';
      const range = `1 to ${step.options.length}`;
      return step.isMany
        ? `numbers from ${range} or labels, separated by commas${other}`
        : `a number from ${range} or a label${other}`;
    }
  }
}

/** Lists all possible inputs. */
function listLineHelp(step: FieldStep): string[] {
  const { field } = step;
  return [
    `Enter ${describeLineInput(step)}.`,
    ...(field.default === undefined ? [] : ['An empty line uses the default.']),
    ...(field.default === undefined && !field.required ? ['An empty line leaves it empty.'] : []),
    '/decline [reason]: skip the question.',
    '/later: leave it open.',
  ];
}
