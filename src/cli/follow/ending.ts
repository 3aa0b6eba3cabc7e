import type { Conversation } from '../../contract/conversation';
import type { Question } from '../../contract/question';
import { span } from '../../core/times';
import { STATUS_WORDS } from '../../core/words';
import type { Context } from '../context';
import { EXIT, EXIT_OF, type Exit } from '../exit';
import { safeLine } from '../text/safe';

/** It is over: what it has come to, and what one can do about it. */
export function tellEnd({ terminal }: Context, conversation: Conversation): Exit {
  const { id, status, error, createdAt, completedAt, usage } = conversation;
  const { style } = terminal;
  if (status === 'completed') {
    const took = Date.parse(completedAt ?? createdAt) - Date.parse(createdAt);
    const tokens = (usage.inputTokens + usage.outputTokens).toLocaleString('en');
    if (terminal.isInteractive)
      terminal.print('', `${style.good('✓')} ${style.dim(`Completed in ${span(took)} · ${tokens} tokens`)}`);
  } else {
    if (terminal.isInteractive) terminal.print('');
    const why = error ? `: ${error.message}` : '.';
    terminal.complain(style.bad(safeLine(`parley: ${STATUS_WORDS[status]}${why}`)), takeUp(id));
  }
  return EXIT_OF[status];
}

function takeUp(id: string): string {
  return `A further message takes it up again: parley say ${safeLine(id)} "…"`;
}

/** It waits for somebody who is not here. */
export function tellWaiting({ terminal }: Context, question: Question | undefined, id: string): Exit {
  terminal.complain(
    `It waits for an answer. Answer it: parley answer ${safeLine(question?.conversationId ?? id)}`,
  );
  return EXIT.waiting;
}

/** Somebody has had enough: the conversation has not. */
export function tellLeft({ terminal }: Context, question: Question | undefined, id: string): Exit {
  const back = `Come back with: parley watch ${safeLine(id)}`;
  if (terminal.isInteractive) terminal.print('');
  if (!question) {
    terminal.complain(`It goes on without you. ${back}`);
    return EXIT.interrupted;
  }
  terminal.complain(
    `It waits for an answer. Answer it: parley answer ${safeLine(question.conversationId)}`,
    back,
  );
  return EXIT.waiting;
}
