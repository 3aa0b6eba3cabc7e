import { sanitizeText } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { type LiveView, openLiveView } from '#cli/tty/live-view';
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

/** Prompts with a form in the last lines of the screen. Long static text is printed once, above the form. */
export class InteractivePrompter implements Prompter {
  private resolveReply: ((reply: PromptReply) => void) | undefined;
  private readonly sendAbort = new AbortController();
  private guard: TypeaheadGuard | undefined;
  private guardTimer: NodeJS.Timeout | undefined;
  private readonly view: LiveView;
  private form: PromptForm;

  constructor(
    terminal: Terminal,
    question: Question,
    private readonly resolvedElsewhere: ResolvedElsewhereSignal,
  ) {
    terminal.print('', ...linesAboveForm(terminal, question), '');
    this.form = createPromptForm(question, false);
    this.view = openLiveView(terminal, {
      render: (viewport) => renderForm(this.form, viewport),
      onKey: this.onKey,
      onEnd: () => this.reply({ kind: 'later' }),
    });
    this.raiseGuard(startTypeaheadGuard(Date.now()));
    resolvedElsewhere.addEventListener('abort', this.onResolvedElsewhere);
  }

  ask(): Promise<PromptReply> {
    return new Promise((resolve) => {
      this.resolveReply = resolve;
      if (this.resolvedElsewhere.aborted) this.onResolvedElsewhere();
      else this.view.redraw();
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
    this.resolvedElsewhere.removeEventListener('abort', this.onResolvedElsewhere);
    this.view.close();
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

  private show(form: PromptForm): void {
    this.form = form;
    this.view.redraw();
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
