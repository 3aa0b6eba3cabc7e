import { sanitizeText } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { readViewport } from '#cli/render/viewport';
import { enterRawMode, type KeyPress, keyChord, type RawMode } from '#cli/tty/keyboard';
import { type LiveRegion, openLiveRegion } from '#cli/tty/live-region';
import type { Terminal } from '#cli/tty/terminal';
import type { Question, ValidationIssue } from '#contract/question';
import type { Prompter, PromptReply, ResolvedElsewhereSignal } from './ask-question';
import {
  createPromptForm,
  listEnteredValues,
  type PromptForm,
  withAnswerIssues,
  withSubmitError,
} from './form/form-state';
import { handleFormKey } from './form/keys';
import { renderForm } from './form/render';
import { renderPromptField, renderPromptIntroduction } from './question-text';

const TICK_MS = 1_000;

/** Prompts with a form in the last lines of the screen. Long static text is printed once, above the form. */
export class InteractivePrompter implements Prompter {
  private resolveReply: ((reply: PromptReply) => void) | undefined;
  private readonly sendAbort = new AbortController();
  private readonly rawMode: RawMode;
  private guard: TypeaheadGuard | undefined;
  private guardTimer: NodeJS.Timeout | undefined;
  private readonly redrawTimer: NodeJS.Timeout;
  private readonly region: LiveRegion;
  private form: PromptForm;

  constructor(
    private readonly terminal: Terminal,
    question: Question,
    private readonly resolvedElsewhere: ResolvedElsewhereSignal,
  ) {
    terminal.print('', ...linesAboveForm(terminal, question), '');
    this.region = openLiveRegion(terminal);
    this.form = createPromptForm(question, false);
    this.rawMode = enterRawMode(terminal, {
      onKey: this.onKey,
      onEnd: () => this.reply({ kind: 'later' }),
      onSuspend: this.region.reset,
      onResume: this.redraw,
    });
    this.redrawTimer = setInterval(this.redraw, TICK_MS);
    this.raiseGuard(startTypeaheadGuard(Date.now()));
    terminal.output.on('resize', this.redraw);
    resolvedElsewhere.addEventListener('abort', this.onResolvedElsewhere);
  }

  ask(): Promise<PromptReply> {
    return new Promise((resolve) => {
      this.resolveReply = resolve;
      if (this.resolvedElsewhere.aborted) this.onResolvedElsewhere();
      else this.redraw();
    });
  }

  whileSending<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { signal } = this.sendAbort;
    return work(signal).catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  }

  showIssues(issues: readonly ValidationIssue[]): void {
    this.show(withAnswerIssues(this.form, issues));
  }

  showError(message: string): void {
    this.show(withSubmitError(this.form, message));
  }

  enteredValues(): string[] {
    return listEnteredValues(this.form);
  }

  withdraw(): boolean {
    return false;
  }

  close(): void {
    this.guard = undefined;
    clearTimeout(this.guardTimer);
    clearInterval(this.redrawTimer);
    this.terminal.output.off('resize', this.redraw);
    this.resolvedElsewhere.removeEventListener('abort', this.onResolvedElsewhere);
    this.region.clear();
    this.rawMode.restore();
  }

  private readonly onKey = (key: KeyPress): void => {
    if (this.guard && keyChord(key) !== 'C-c') return this.raiseGuard(extendTypeaheadGuard(this.guard, Date.now()));
    const { form, reply } = handleFormKey(this.form, key);
    const isSending = form.isSending || reply?.kind === 'answer' || reply?.kind === 'decline';
    this.show({ ...form, isSending });
    if (reply) this.reply(reply);
  };

  private raiseGuard(guard: TypeaheadGuard): void {
    this.guard = guard;
    clearTimeout(this.guardTimer);
    this.guardTimer = setTimeout(() => setImmediate(this.lowerGuard, guard), guard.until - Date.now());
  }

  /** Runs after pending keys are read, because one of them may have extended the guard. */
  private readonly lowerGuard = (guard: TypeaheadGuard): void => {
    if (this.guard !== guard) return;
    this.guard = undefined;
    this.show({ ...this.form, isReady: true });
  };

  private readonly onResolvedElsewhere = (): void =>
    this.reply({ kind: 'resolvedElsewhere', question: this.resolvedElsewhere.reason });

  private readonly redraw = (): void => this.show(this.form);

  private show(form: PromptForm): void {
    this.form = form;
    this.region.draw(renderForm(form, readViewport(this.terminal)));
  }

  /** Passes a reply to ask(). Quitting also aborts a submission in progress, when ask() is not waiting. */
  private reply(reply: PromptReply): void {
    if (reply.kind === 'quit') this.sendAbort.abort();
    this.resolveReply?.(reply);
    this.resolveReply = undefined;
  }
}

/** Longer question texts are printed above the form, which may truncate them. */
const MAX_QUESTION_LINES = 4;

function linesAboveForm(terminal: Terminal, question: Question): string[] {
  const width = terminal.width();
  const renderOptions = { width, style: terminal.style, now: Date.now() };
  const isLong = question.fields.some(
    (field) => wrapText(sanitizeText(field.question), width).length > MAX_QUESTION_LINES,
  );
  return [
    ...renderPromptIntroduction(question, renderOptions),
    ...(isLong ? question.fields.flatMap((field) => ['', ...renderPromptField(field, renderOptions)]) : []),
  ];
}

/** Ignores keys that were typed before the question appeared. */
interface TypeaheadGuard {
  /** When it ends if no key is pressed. */
  until: number;
  /** When it ends in any case. */
  latest: number;
}

const QUIET_MS = 300;
const MAX_GUARD_MS = 2_000;

/** Starts the guard when a question appears, because the user has not read it yet. */
export function startTypeaheadGuard(now: number): TypeaheadGuard {
  return { until: now + QUIET_MS, latest: now + MAX_GUARD_MS };
}

/** Extends the guard on a key press, because the user is still typing something else. */
export function extendTypeaheadGuard({ latest }: TypeaheadGuard, now: number): TypeaheadGuard {
  return { until: Math.min(now + QUIET_MS, latest), latest };
}
