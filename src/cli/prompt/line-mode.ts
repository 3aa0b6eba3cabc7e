import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { type LineReader, lineReaderFor } from '#cli/tty/line-reader';
import type { Terminal } from '#cli/tty/terminal';
import type { AnswerValue, Question, QuestionField, ValidationIssue } from '#contract/question';
import { chooseControl } from '#presentation/field-control';
import { EMPTY_FIELD, type FieldInput, fieldInputFromValue } from '#presentation/form-state';
import { formatAnswerValue, toSentence } from '#presentation/labels';
import type { Prompter, PromptReply, ResolvedElsewhereSignal } from './ask-question';
import { isConfirmField, readFieldInput, type StepResult } from './form/field-step';
import { formatAnswersLine, renderPromptDeadline, renderPromptField, renderPromptIntroduction } from './question-text';

/** Prompts line by line, for pipes and dumb terminals. */
export class LinePrompter implements Prompter {
  private readonly reader: LineReader;
  private readonly fields: LineField[];
  private readonly answers: Record<string, AnswerValue> = {};
  private readonly answeredKeys = new Set<string>();
  private lastReply: PromptReply | undefined;
  private hasSendFailed = false;
  private hasRead = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly question: Question,
    private readonly resolvedElsewhere: ResolvedElsewhereSignal,
  ) {
    this.reader = lineReaderFor(terminal.input);
    this.fields = question.fields.map((field) => createLineField(field, question));
    const renderOptions = this.renderOptions();
    terminal.print('', ...renderPromptIntroduction(question, renderOptions));
    terminal.print(...renderPromptDeadline(question, renderOptions));
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
    for (const lineField of this.fields) {
      const reply = this.answeredKeys.has(lineField.field.key) ? undefined : await this.askField(lineField);
      if (reply) return reply;
    }
    if (this.fields.length > 1) this.print(`Your answers: ${formatAnswersLine(this.question, this.answers)}`);
    return { kind: 'answer', answers: { ...this.answers } };
  }

  /** Returns undefined once the field is answered, or a reply that ends the prompt. */
  private async askField(lineField: LineField): Promise<PromptReply | undefined> {
    const { field, labels } = lineField;
    this.terminal.print('', ...renderPromptField(field, this.renderOptions()));
    this.print(`Enter ${describeLineInput(lineField)} (or ${LINE_COMMANDS}).`);
    for (;;) {
      const line = await this.readLine();
      if (typeof line !== 'string') return line;
      const text = line.trim();
      const command = labels.includes(text) ? undefined : parseLineCommand(text);
      if (command && command.kind !== 'help') return command;
      if (command) for (const helpLine of listLineHelp(lineField)) this.print(helpLine);
      else if (this.storeResult(field, readAnswerLine(lineField, text))) return undefined;
    }
  }

  private storeResult({ key }: QuestionField, result: StepResult): boolean {
    if (!result.ok) this.print(result.error);
    else {
      if (result.value !== undefined) this.answers[key] = result.value;
      this.answeredKeys.add(key);
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

/** Commands accepted in place of any answer. */
const LINE_COMMANDS = '/decline, /later, /help';

type LineCommand = { kind: 'help' } | { kind: 'later' } | { kind: 'decline'; reason?: string };

/** Parses a command. Commands start with a slash, because few answers do. */
function parseLineCommand(line: string): LineCommand | undefined {
  if (line === '?' || /^\/help$/i.test(line)) return { kind: 'help' };
  if (/^\/later$/i.test(line)) return { kind: 'later' };
  const [isDecline, reason] = /^\/decline(?:\s+(.*))?$/i.exec(line) ?? [];
  return isDecline ? { kind: 'decline', ...(reason && { reason }) } : undefined;
}

/** A field and how a line answers it. */
interface LineField {
  field: QuestionField;
  kind: 'one' | 'many' | 'yesNo' | 'text';
  /** The labels to choose from, if any. */
  labels: string[];
  isConfirm: boolean;
}

function createLineField(field: QuestionField, { confirms }: Question): LineField {
  const control = chooseControl(field);
  const isConfirm = isConfirmField(field, confirms);
  if (!('options' in control)) return { field, kind: 'text', labels: [], isConfirm };
  const labels = control.options.map(({ label }) => label);
  return { field, kind: isConfirm || control.kind === 'flag' ? 'yesNo' : control.kind, labels, isConfirm };
}

const YES_NO_MESSAGE = 'Enter yes or no.';

/** Reads the value of a field from a line. An empty line selects the default, which a confirmation does not have. */
function readAnswerLine(lineField: LineField, line: string): StepResult {
  const { field, kind, isConfirm } = lineField;
  if (line !== '') {
    const input = parseAnswerLine(lineField, line);
    return typeof input === 'string' ? { ok: false, error: input } : readFieldInput(field, input);
  }
  const isAnswerNeeded = kind === 'yesNo' && field.required && field.default === undefined;
  if (isConfirm || isAnswerNeeded) return { ok: false, error: YES_NO_MESSAGE };
  return readFieldInput(field, fieldInputFromValue(field.default));
}

const YES_NO_INDEXES: Record<string, number> = { y: 0, yes: 0, true: 0, 1: 0, n: 1, no: 1, false: 1, 2: 1 };

/** Returns an error message if the line does not fit. */
function parseAnswerLine(lineField: LineField, line: string): FieldInput | string {
  const { kind, labels } = lineField;
  const label = findOptionLabel(labels, line);
  switch (kind) {
    case 'text':
      return { ...EMPTY_FIELD, text: line };
    case 'yesNo': {
      const answer = label ?? labels[YES_NO_INDEXES[line.toLowerCase()] ?? -1];
      return answer === undefined ? YES_NO_MESSAGE : { ...EMPTY_FIELD, picked: [answer] };
    }
    case 'one':
      return addChoice(lineField, EMPTY_FIELD, line);
    case 'many':
      return label === undefined ? parseSeveralChoices(lineField, line) : { ...EMPTY_FIELD, picked: [label] };
  }
}

/** Parses several choices. Text after `other:` may contain commas. */
function parseSeveralChoices(lineField: LineField, line: string): FieldInput | string {
  const [, choices = line, other] = /^(.*?)((?:^|(?<=,))\s*other\s*:.*)$/i.exec(line) ?? [];
  const parts = [...choices.split(','), other ?? ''].map((part) => part.trim()).filter(Boolean);
  return parts.reduce<FieldInput | string>(
    (input, part) => (typeof input === 'string' ? input : addChoice(lineField, input, part)),
    EMPTY_FIELD,
  );
}

/** Adds one choice: a number, a label in any case, or `other: text`. */
function addChoice(lineField: LineField, input: FieldInput, part: string): FieldInput | string {
  const { field, labels } = lineField;
  const label = findOptionLabel(labels, part);
  if (label !== undefined) return { ...input, picked: [...new Set([...input.picked, label])] };
  const [, other] = /^other\s*:\s*(.*)$/i.exec(part) ?? [];
  if (field.allowOther && other) return { ...input, isOther: true, other };
  if (field.allowOther && (part === String(labels.length + 1) || /^other\W*$/i.test(part)))
    return 'Enter other: and your own answer.';
  return `${JSON.stringify(part)} is not an option. Enter ${describeLineInput(lineField)}.`;
}

function findOptionLabel(labels: readonly string[], text: string): string | undefined {
  const exact = labels.find((label) => label === text);
  const caseInsensitive = labels.find((label) => label.trim().toLowerCase() === text.toLowerCase());
  const numbered = /^\d+$/.test(text) ? labels[Number(text) - 1] : undefined;
  return exact ?? caseInsensitive ?? numbered;
}

/** Describes what to type. */
function describeLineInput({ field, kind, labels }: LineField): string {
  if (kind === 'text') return 'your answer on one line';
  if (kind === 'yesNo') return 'yes or no';
  const other = field.allowOther ? ', or other: and your own answer' : '';
  const range = `1 to ${labels.length}`;
  return kind === 'many'
    ? `numbers from ${range} or labels, separated by commas${other}`
    : `a number from ${range} or a label${other}`;
}

/** Lists all possible inputs. */
function listLineHelp(lineField: LineField): string[] {
  const { field } = lineField;
  return [
    `Enter ${describeLineInput(lineField)}.`,
    ...(field.default === undefined ? [] : ['An empty line uses the default.']),
    ...(field.default === undefined && !field.required ? ['An empty line leaves it empty.'] : []),
    '/decline [reason]: skip the question.',
    '/later: leave it open.',
  ];
}
