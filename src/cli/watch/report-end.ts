import type { CommandContext } from '#cli/context';
import { EXIT, type ExitCode, exitCodeForStatus } from '#cli/errors';
import { formatResumeHint } from '#cli/render/conversation';
import { renderMarkdownLines } from '#cli/render/markdown';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapIfInteractive } from '#cli/render/text';
import type { Terminal } from '#cli/tty/terminal';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { formatShortDuration } from '#presentation/format-time';
import { describeUsage, STATUS_LABELS } from '#presentation/labels';
import type { WatchFlags } from './watch';

/**
 * Why a watch ends before its conversation. `unattended`: prompting is off; `unanswered`: the prompt got no answer and
 * said so; `inputDiscarded`: the remaining stdin may be meant for another question; `quit`: the user quit;
 * `interrupted`: a signal.
 */
export type LeaveReason = 'unattended' | 'unanswered' | 'inputDiscarded' | 'quit' | 'interrupted';

/** Prints why the watch ends while the conversation continues, and how to return to it. */
export async function reportLeft(
  { terminal, isJson, parley }: CommandContext,
  id: string,
  reason: LeaveReason,
  question: Question | undefined,
  { events }: WatchFlags,
): Promise<ExitCode> {
  if (isJson && !events) terminal.printJson(await parley.get(id));
  else if (!events) {
    if (reason === 'interrupted' && terminal.isInteractive) terminal.print('');
    terminal.printError(...leaveLines(id, reason, question, terminal));
  }
  return reason === 'interrupted' && !question ? EXIT.interrupted : EXIT.waiting;
}

function leaveLines(id: string, reason: LeaveReason, question: Question | undefined, terminal: Terminal): string[] {
  const wrap = (line: string) => wrapIfInteractive(terminal, line);
  const answerHint = `Answer it with: parley answer ${sanitizeLine(question?.conversationId ?? id)}`;
  const resumeHint = `Resume with: parley watch ${sanitizeLine(id)}`;
  const comeBack = wrap(terminal.style.dim(resumeHint));
  switch (reason) {
    case 'unattended':
      return [`Waiting for an answer. ${answerHint}`];
    case 'unanswered':
      return [];
    case 'inputDiscarded':
      return [`Stopped reading stdin: the rest may have been meant for that question. ${resumeHint}`];
    case 'quit':
      return comeBack;
    case 'interrupted':
      return question
        ? [...wrap('Waiting for an answer.'), ...wrap(answerHint), ...comeBack]
        : [...wrap('The conversation continues.'), ...comeBack];
  }
}

/** Prints how a conversation ended and how to resume it. `isResultShown`: its last message is already on the screen. */
export function reportFinished(
  { terminal, isJson }: CommandContext,
  conversation: Conversation,
  isResultShown: boolean,
  { events }: WatchFlags,
): ExitCode {
  const { status, error, result, createdAt, completedAt, usage } = conversation;
  const { style, isInteractive, print } = terminal;
  const exit = exitCodeForStatus(status);
  if (events) return exit;
  if (isJson) {
    terminal.printJson(conversation);
    return exit;
  }
  if (!isResultShown && result) print(...renderMarkdownLines(result, terminal.width(), style));
  if (isInteractive) print('');
  if (status !== 'completed') {
    const reason = error ? `: ${error.message}` : '.';
    terminal.printError(
      ...wrapIfInteractive(terminal, style.bad(sanitizeLine(`parley: ${STATUS_LABELS[status]}${reason}`))),
      ...wrapIfInteractive(terminal, formatResumeHint(conversation)),
    );
  } else if (isInteractive) {
    const duration = formatShortDuration(Date.parse(completedAt ?? createdAt) - Date.parse(createdAt));
    const [, ...used] = describeUsage(usage);
    const line = `${style.good('✓')} ${style.dim([`Completed in ${duration}`, ...used].join(' · '))}`;
    print(...wrapIfInteractive(terminal, line));
  }
  return exit;
}
