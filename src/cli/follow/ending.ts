import type { Context } from '#cli/context';
import { EXIT, type Exit, exitOfEnd } from '#cli/exit';
import type { Terminal } from '#cli/terminal';
import { goingOn } from '#cli/text/going-on';
import { safeLine } from '#cli/text/safe';
import { wrap } from '#cli/text/wrap';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { span } from '#core/times';
import { STATUS_WORDS } from '#core/words';

/** It is over: what it has come to, and what one can do about it. */
export function tellEnd({ terminal }: Context, conversation: Conversation): Exit {
  const { status, error, createdAt, completedAt, usage } = conversation;
  const { style } = terminal;
  if (status === 'completed') {
    const took = Date.parse(completedAt ?? createdAt) - Date.parse(createdAt);
    const tokens = (usage.inputTokens + usage.outputTokens).toLocaleString('en');
    if (terminal.isInteractive)
      terminal.print('', `${style.good('✓')} ${style.dim(`Completed in ${span(took)} · ${tokens} tokens`)}`);
  } else {
    if (terminal.isInteractive) terminal.print('');
    const why = error ? `: ${error.message}` : '.';
    terminal.complain(
      ...fitting(terminal, style.bad(safeLine(`parley: ${STATUS_WORDS[status]}${why}`))),
      ...fitting(terminal, goingOn(conversation)),
    );
  }
  return exitOfEnd(status);
}

/** It waits for somebody who is not here. */
export function tellWaiting({ terminal }: Context, question: Question | undefined, id: string): Exit {
  terminal.complain(
    `It waits for an answer. Answer it with: parley answer ${safeLine(question?.conversationId ?? id)}`,
  );
  return EXIT.waiting;
}

/** What a pipe holds was written for one question, and must not answer another. */
export function tellSpoilt({ terminal }: Context, id: string): Exit {
  terminal.complain(
    `Nothing more is read: what comes next may have been meant for that question. Go on with: parley watch ${safeLine(id)}`,
  );
  return EXIT.waiting;
}

/** Somebody has had enough: the conversation has not. */
export function tellLeft(context: Context, question: Question | undefined, id: string): Exit {
  const { terminal } = context;
  const answer = `Answer it with: parley answer ${safeLine(question?.conversationId ?? id)}`;
  const said = question ? ['It waits for an answer.', answer] : ['It goes on without you.'];
  if (terminal.isInteractive) terminal.print('');
  terminal.complain(...said.flatMap((line) => fitting(terminal, line)));
  tellBack(context, id);
  return question ? EXIT.waiting : EXIT.interrupted;
}

/** That it waits was said where it was asked. */
export function tellBack({ terminal }: Context, id: string): Exit {
  terminal.complain(...fitting(terminal, terminal.style.dim(`Come back with: parley watch ${safeLine(id)}`)));
  return EXIT.waiting;
}

/** Broken for a screen, and for nothing else. */
export function fitting({ isInteractive, width }: Terminal, line: string): string[] {
  return isInteractive ? wrap(line, width()) : [line];
}
