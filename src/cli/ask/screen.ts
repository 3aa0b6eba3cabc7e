import { chordOf, type Key } from '#cli/screen/key';
import { type Raw, takeKeys } from '#cli/screen/raw';
import { openRegion, type Region } from '#cli/screen/region';
import type { Terminal } from '#cli/terminal';
import { fieldLines, introduction } from '#cli/text/question';
import { safe } from '#cli/text/safe';
import { wrap } from '#cli/text/wrap';
import type { Fault, Question } from '#contract/question';
import type { Asker } from './asker';
import { draw } from './form/draw';
import { entered, type Form, formOf, withFaults, withTrouble } from './form/form';
import { press } from './form/press';
import { type Guard, guardAfterKey, guardAt } from './guard';
import type { Gone } from './put';
import type { Reply } from './reply';

const TICK_MS = 1_000;

/** Asks by keys, in the last lines of the screen. What is long and stays the same is written above them, once. */
export async function byKeys(terminal: Terminal, question: Question, gone: Gone): Promise<Asker> {
  terminal.print('', ...above(terminal, question), '');
  return new FormOnScreen(terminal, openRegion(terminal), formOf(question, false), gone);
}

class FormOnScreen implements Asker {
  private answer: ((reply: Reply) => void) | undefined;
  private readonly leaving = new AbortController();
  private readonly raw: Raw;
  private guard: Guard | undefined;
  private falling: NodeJS.Timeout | undefined;
  private readonly ticking: NodeJS.Timeout;

  constructor(
    private readonly terminal: Terminal,
    private readonly region: Region,
    private form: Form,
    private readonly gone: Gone,
  ) {
    this.raw = takeKeys(terminal, {
      onKey: this.onKey,
      onEnd: () => this.reply({ kind: 'later' }),
      onStop: region.forget,
      onBack: this.redraw,
    });
    this.ticking = setInterval(this.redraw, TICK_MS);
    this.stand(guardAt(Date.now()));
    terminal.output.on('resize', this.redraw);
    gone.addEventListener('abort', this.giveWay);
  }

  ask(): Promise<Reply> {
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

  tellFaults(faults: readonly Fault[]): void {
    this.show(withFaults(this.form, faults));
  }

  tellTrouble(trouble: string): void {
    this.show(withTrouble(this.form, trouble));
  }

  entered(): string[] {
    return entered(this.form);
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

  private readonly onKey = (key: Key): void => {
    if (this.guard && chordOf(key) !== 'C-c') return this.stand(guardAfterKey(this.guard, Date.now()));
    const { form, reply } = press(this.form, key);
    const isSending = form.isSending || reply?.kind === 'answer' || reply?.kind === 'decline';
    this.show({ ...form, isSending });
    if (reply) this.reply(reply);
  };

  private stand(guard: Guard): void {
    this.guard = guard;
    clearTimeout(this.falling);
    this.falling = setTimeout(() => setImmediate(this.fall, guard), guard.until - Date.now());
  }

  /** Keys that have come by now are read before this: one of them may have raised it again. */
  private readonly fall = (guard: Guard): void => {
    if (this.guard !== guard) return;
    this.guard = undefined;
    this.show({ ...this.form, isReady: true });
  };

  private readonly giveWay = (): void => this.reply({ kind: 'gone', question: this.gone.reason });

  private readonly redraw = (): void => this.show(this.form);

  private show(form: Form): void {
    const { terminal } = this;
    this.form = form;
    const view = {
      width: terminal.width(),
      height: terminal.height(),
      style: terminal.style,
      now: Date.now(),
    };
    this.region.draw(draw(form, view));
  }

  /** While something is being sent nobody waits for a reply; whoever leaves then is heard all the same. */
  private reply(reply: Reply): void {
    if (reply.kind === 'left') this.leaving.abort();
    this.answer?.(reply);
    this.answer = undefined;
  }
}

/** Of a question's text, what the form itself may cut. */
const LONG = 4;

function above(terminal: Terminal, question: Question): string[] {
  const width = terminal.width();
  const paper = { width, style: terminal.style, now: Date.now() };
  const isLong = question.fields.some((field) => wrap(safe(field.question), width).length > LONG);
  return [
    ...introduction(question, paper),
    ...(isLong ? question.fields.flatMap((field) => ['', ...fieldLines(field, paper)]) : []),
  ];
}
