import type { Question } from '../../contract/question';
import type { Terminal } from '../terminal';
import { fieldLines, introduction } from '../text/question';
import { safe } from '../text/safe';
import { wrap } from '../text/wrap';
import type { Asker } from './asker';
import { draw } from './form/draw';
import { entered, type Form, formOf, withFaults, withTrouble } from './form/form';
import { press } from './form/press';
import type { Key } from './key';
import type { Putting } from './put';
import { takeKeys } from './raw';
import { openRegion } from './region';
import type { Reply } from './reply';

/** A key that comes sooner was meant for something else. */
const SUDDEN_MS = 300;
const TICK_MS = 1_000;

/** Asks by keys, in the last lines of the screen. What is long and stays the same is written above them, once. */
export async function byKeys(
  terminal: Terminal,
  question: Question,
  { gone, isSudden }: Putting,
): Promise<Asker> {
  const { output, style } = terminal;
  terminal.print('', ...above(terminal, question), '');
  const region = await openRegion(terminal);
  let form = formOf(question, !isSudden);
  let answer: ((reply: Reply) => void) | undefined;
  const leaving = new AbortController();

  const show = (next: Form) => {
    form = next;
    region.draw(draw(form, { width: terminal.width(), height: terminal.height(), style, now: Date.now() }));
  };
  const redraw = () => show(form);
  const reply = (given: Reply) => {
    if (given.kind === 'left') leaving.abort();
    answer?.(given);
    answer = undefined;
  };
  const onKey = (key: Key) => {
    if (!form.isReady) return;
    const pressed = press(form, key);
    const isSent = pressed.reply?.kind === 'answer' || pressed.reply?.kind === 'decline';
    show(isSent ? { ...pressed.form, isSending: true } : pressed.form);
    if (pressed.reply) reply(pressed.reply);
  };
  const onGone = () => reply({ kind: 'gone', question: gone.reason });

  const raw = takeKeys(terminal, onKey, () => reply({ kind: 'later' }));
  const ready = setTimeout(() => show({ ...form, isReady: true }), isSudden ? SUDDEN_MS : 0);
  const ticking = setInterval(redraw, TICK_MS);
  output.on('resize', redraw);
  gone.addEventListener('abort', onGone);
  let isOpen = true;

  return {
    ask: () =>
      new Promise((resolve) => {
        answer = resolve;
        if (gone.aborted) onGone();
        else redraw();
      }),
    during: (work) =>
      work(leaving.signal).catch((error) => {
        if (leaving.signal.aborted) return undefined;
        throw error;
      }),
    tellFaults: (faults) => show(withFaults(form, faults)),
    tellTrouble: (trouble) => show(withTrouble(form, trouble)),
    entered: () => entered(form),
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(ready);
      clearInterval(ticking);
      output.off('resize', redraw);
      gone.removeEventListener('abort', onGone);
      region.clear();
      raw.restore();
    },
  };
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
