import type { Fault, Question, Value } from '../../../contract/question';
import { valueText } from '../../../core/words';
import type { Terminal } from '../../terminal';
import { answersText, deadlineLines, fieldLines, introduction } from '../../text/question';
import { safeLine } from '../../text/safe';
import { wrap } from '../../text/wrap';
import type { Asker } from '../asker';
import { type Step, sentence, stepOf } from '../form/step';
import type { Putting } from '../put';
import type { Reply } from '../reply';
import { linesOf } from './lines';
import { type Line, readLine, wayOf, waysOf } from './read';

/** Asks line by line: for pipes, and for terminals that can do no more. */
export function byLines(terminal: Terminal, question: Question, { gone }: Putting): Asker {
  const lines = linesOf(terminal.input);
  const steps = question.fields.map((field) => stepOf(field, question));
  const answers: Record<string, Value> = {};
  const done = new Set<string>();
  let sent: Reply | undefined;
  let isUnsent = false;
  let isIntroduced = false;

  const say = (text: string) => terminal.print(...wrap(safeLine(text), terminal.width()));
  const paper = () => ({ width: terminal.width(), style: terminal.style, now: Date.now() });
  const next = async (): Promise<string | Reply> => {
    if (terminal.output.isTTY) terminal.output.write('> ');
    const line = await lines.next(gone);
    if (gone.aborted) return { kind: 'gone', question: gone.reason };
    return line ?? { kind: 'later' };
  };

  /** Nothing once it is answered; a reply where that ends it. */
  const askOne = async (step: Step): Promise<Reply | undefined> => {
    terminal.print('', ...fieldLines(step.field, paper()));
    say(`Write ${wayOf(step)}. (? for help)`);
    for (;;) {
      const line = await next();
      if (typeof line !== 'string') return line;
      const read = readLine(step, line);
      if (read.kind === 'later' || read.kind === 'decline') return read;
      if (read.kind === 'help') for (const way of waysOf(step)) say(way);
      else if (keep(step, read)) return undefined;
    }
  };
  const keep = ({ field }: Step, { taken }: Extract<Line, { kind: 'value' }>): boolean => {
    if (!taken.ok) say(taken.fault);
    else if (taken.value !== undefined) answers[field.key] = taken.value;
    if (taken.ok) done.add(field.key);
    return taken.ok;
  };

  const askAll = async (): Promise<Reply> => {
    if (!isIntroduced)
      terminal.print('', ...introduction(question, paper()), ...deadlineLines(question, paper()));
    isIntroduced = true;
    for (const step of steps) {
      const reply = done.has(step.field.key) ? undefined : await askOne(step);
      if (reply) return reply;
    }
    if (steps.length > 1) say(`That is all: ${answersText(question, answers)}`);
    return { kind: 'answer', answers: { ...answers } };
  };
  /** After it could not be sent: the same again, unless they say otherwise. */
  const askAgain = async (same: Reply): Promise<Reply> => {
    const line = await next();
    if (typeof line !== 'string') return line;
    return /^\s*later\s*$/i.test(line) ? { kind: 'later' } : same;
  };

  return {
    async ask() {
      if (gone.aborted) return { kind: 'gone', question: gone.reason };
      sent = await (isUnsent && sent ? askAgain(sent) : askAll());
      isUnsent = false;
      return sent;
    },
    during: (work) => work(new AbortController().signal),
    tellFaults(faults: readonly Fault[]) {
      for (const { path, message } of faults) {
        const key = path.replace(/^answers\./, '');
        const field = question.fields.find((one) => one.key === key);
        done.delete(key);
        delete answers[key];
        say(field ? `${field.header}: ${sentence(message)}` : sentence(message));
      }
    },
    tellTrouble(trouble) {
      isUnsent = true;
      say(trouble);
    },
    entered: () =>
      question.fields.flatMap(({ key, header }) =>
        key in answers ? [`${header}: ${valueText(answers[key])}`] : [],
      ),
    close: () => undefined,
  };
}
