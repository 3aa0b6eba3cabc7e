import { sanitizeText } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
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

/** Asks by keys, in the last lines of the screen. What is long and stays the same is written above them, once. */
export async function createInteractivePrompter(
  terminal: Terminal,
  question: Question,
  gone: ResolvedElsewhereSignal,
): Promise<Prompter> {
  terminal.print('', ...linesAboveForm(terminal, question), '');
  return new InteractivePrompter(terminal, openLiveRegion(terminal), createPromptForm(question, false), gone);
}

class InteractivePrompter implements Prompter {
  private answer: ((reply: PromptReply) => void) | undefined;
  private readonly leaving = new AbortController();
  private readonly raw: RawMode;
  private guard: TypeaheadGuard | undefined;
  private falling: NodeJS.Timeout | undefined;
  private readonly ticking: NodeJS.Timeout;

  constructor(
    private readonly terminal: Terminal,
    private readonly region: LiveRegion,
    private form: PromptForm,
    private readonly gone: ResolvedElsewhereSignal,
  ) {
    this.raw = enterRawMode(terminal, {
      onKey: this.onKey,
      onEnd: () => this.reply({ kind: 'later' }),
      onStop: region.forget,
      onBack: this.redraw,
    });
    this.ticking = setInterval(this.redraw, TICK_MS);
    this.stand(startTypeaheadGuard(Date.now()));
    terminal.output.on('resize', this.redraw);
    gone.addEventListener('abort', this.giveWay);
  }

  ask(): Promise<PromptReply> {
    return new Promise((resolve) => {
      this.answer = resolve;
      if (this.gone.aborted) this.giveWay();
      else this.redraw();
    });
  }

  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { signal } = this.leaving;
    return work(signal).catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  }

  tellFaults(faults: readonly ValidationIssue[]): void {
    this.show(withAnswerIssues(this.form, faults));
  }

  tellTrouble(trouble: string): void {
    this.show(withSubmitError(this.form, trouble));
  }

  entered(): string[] {
    return listEnteredValues(this.form);
  }

  withdraw(): boolean {
    return false;
  }

  close(): void {
    this.guard = undefined;
    clearTimeout(this.falling);
    clearInterval(this.ticking);
    this.terminal.output.off('resize', this.redraw);
    this.gone.removeEventListener('abort', this.giveWay);
    this.region.clear();
    this.raw.restore();
  }

  private readonly onKey = (key: KeyPress): void => {
    if (this.guard && keyChord(key) !== 'C-c') return this.stand(extendTypeaheadGuard(this.guard, Date.now()));
    const { form, reply } = handleFormKey(this.form, key);
    const isSending = form.isSending || reply?.kind === 'answer' || reply?.kind === 'decline';
    this.show({ ...form, isSending });
    if (reply) this.reply(reply);
  };

  private stand(guard: TypeaheadGuard): void {
    this.guard = guard;
    clearTimeout(this.falling);
    this.falling = setTimeout(() => setImmediate(this.fall, guard), guard.until - Date.now());
  }

  /** Keys that have come by now are read before this: one of them may have raised it again. */
  private readonly fall = (guard: TypeaheadGuard): void => {
    if (this.guard !== guard) return;
    this.guard = undefined;
    this.show({ ...this.form, isReady: true });
  };

  private readonly giveWay = (): void => this.reply({ kind: 'gone', question: this.gone.reason });

  private readonly redraw = (): void => this.show(this.form);

  private show(form: PromptForm): void {
    const { terminal } = this;
    this.form = form;
    const view = {
      width: terminal.width(),
      height: terminal.height(),
      style: terminal.style,
      now: Date.now(),
    };
    this.region.draw(renderForm(form, view));
  }

  /** While something is being sent nobody waits for a reply; whoever leaves then is heard all the same. */
  private reply(reply: PromptReply): void {
    if (reply.kind === 'left') this.leaving.abort();
    this.answer?.(reply);
    this.answer = undefined;
  }
}

/** Of a question's text, what the form itself may cut. */
const MAX_QUESTION_LINES = 4;

function linesAboveForm(terminal: Terminal, question: Question): string[] {
  const width = terminal.width();
  const paper = { width, style: terminal.style, now: Date.now() };
  const isLong = question.fields.some(
    (field) => wrapText(sanitizeText(field.question), width).length > MAX_QUESTION_LINES,
  );
  return [
    ...renderPromptIntroduction(question, paper),
    ...(isLong ? question.fields.flatMap((field) => ['', ...renderPromptField(field, paper)]) : []),
  ];
}

/** While it stands, keys were meant for something else. */
interface TypeaheadGuard {
  /** When it falls, if nothing is pressed until then. */
  until: number;
  /** When it falls for certain. */
  latest: number;
}

const QUIET_MS = 300;
const MAX_GUARD_MS = 2_000;

/** Before a question, whoever called it up: nobody has read it yet. */
export function startTypeaheadGuard(now: number): TypeaheadGuard {
  return { until: now + QUIET_MS, latest: now + MAX_GUARD_MS };
}

/** Somebody is in mid-sentence: it stands until they have seen what came up. */
export function extendTypeaheadGuard({ latest }: TypeaheadGuard, now: number): TypeaheadGuard {
  return { until: Math.min(now + QUIET_MS, latest), latest };
}
