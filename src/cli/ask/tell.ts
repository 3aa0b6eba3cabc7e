import type { Settings } from '#cli/settings';
import type { Terminal } from '#cli/terminal';
import { answersText, outcomeLines } from '#cli/text/question';
import { safeLine } from '#cli/text/safe';
import { clip, wrap } from '#cli/text/wrap';
import type { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import { headline, outcomeText } from '#core/words';
import type { Message } from './send';

/** What came of a question, as lines for whoever was asked. */
export function settledLines(question: Question, message: Message, terminal: Terminal): string[] {
  return sentLines(question, message, terminal, '');
}

export function keptLines(question: Question, message: Message, terminal: Terminal): string[] {
  const then = 'It is kept, and acted on as soon as a worker is up.';
  return sentLines(question, message, terminal, then);
}

function sentLines(question: Question, message: Message, { style, width }: Terminal, then: string): string[] {
  const about = style.dim(clip(safeLine(headline(question)), width()));
  const said = [saidIn(question, message), then].filter(Boolean).join(' · ');
  return [about, ...wrap(said, width(), { first: `${style.good('✓')} ` })];
}

function saidIn(question: Question, message: Message): string {
  if (message.kind === 'decline')
    return message.reason ? `Declined: ${safeLine(message.reason)}` : 'Declined.';
  const said = answersText(question, message.answers) || 'nothing chosen';
  return `Answered: ${said}${message.comment ? ` · Comment ${safeLine(message.comment)}` : ''}`;
}

/** Somebody else was quicker: who, where and how, and what was not sent. */
export function goneLines(question: Question, entered: readonly string[], terminal: Terminal): string[] {
  const { style } = terminal;
  const width = terminal.width();
  const [first = outcomeText(question), ...more] = outcomeLines(question, {
    width: width - 2,
    style,
    now: 0,
  });
  const unsent = unsentLines(entered, terminal);
  return [`${style.warn('●')} ${first}`, ...more.map((line) => `  ${line}`), ...unsent];
}

/** What somebody wrote is not lost, though it was not sent. */
export function unsentLines(entered: readonly string[], { style, width }: Terminal): string[] {
  return entered.length === 0
    ? wrap(style.dim('Nothing was sent from here.'), width(), { first: '  ' })
    : [
        ...wrap('What you had entered was not sent:', width(), { first: '  ' }),
        ...entered.flatMap((line) => wrap(style.dim(safeLine(line)), width(), { first: '    ' })),
      ];
}

export function waitingLines(question: Question, isUnsure: boolean, { style, width }: Terminal): string[] {
  const said = isUnsure
    ? 'What you sent may have arrived all the same. Look with'
    : 'It waits for an answer. Come back to it with';
  const next = isUnsure ? 'show' : 'answer';
  return wrap(style.dim(`${said} parley ${next} ${safeLine(question.conversationId)}`), width());
}

/** In a form: what is wrong, and that it can be tried again. */
export function troubleText(error: ParleyError, { url }: Settings): string {
  const what = error.code === 'network' ? `Parley cannot be reached at ${url}.` : error.message;
  return `${what} What you entered is kept: Enter tries again.`;
}
