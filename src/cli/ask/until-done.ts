import type { Context } from '#cli/context';
import { lineOf, troubleOf } from '#cli/trouble';
import type { Question } from '#contract/question';
import type { Asker } from './asker';
import type { Put } from './reply';
import { isUnsure, type Message, type Send, type Sent, sender } from './send';
import { goneLines, keptLines, settledLines, troubleText, unsentLines, waitingLines } from './tell';

/** What came of it, and how that is said. */
export interface End {
  put: Put;
  lines: string[];
}

/** Asks and sends, again where need be, until it is settled or left. */
export async function untilDone(context: Context, question: Question, asker: Asker): Promise<End> {
  const end = await repeat(context, question, asker, sender(context.parley, question));
  const { kind } = end.put;
  const isInputSpoilt = (kind === 'gone' || kind === 'refused') && asker.withdraw();
  return { ...end, put: { ...end.put, isInputSpoilt } };
}

async function repeat(context: Context, question: Question, asker: Asker, send: Send): Promise<End> {
  /** It was sent, and nobody knows whether it arrived: not before something settles the question. */
  let unsure: Message | undefined;
  for (;;) {
    const reply = await asker.ask();
    if (reply.kind === 'gone' && !unsure) return gone(context, reply.question, asker.entered());
    if (reply.kind === 'later' || reply.kind === 'left')
      return waiting(context, question, reply.kind, unsure !== undefined);
    // Settled, and perhaps by what was sent from here: the same once more tells.
    const message = reply.kind === 'gone' ? (unsure as Message) : reply;
    const sent = await asker.during((signal) => send(message, signal));
    if (sent === undefined) return waiting(context, question, 'left', true);
    const end = ended(context, sent, question, message, asker);
    if (end) return end;
    if (isUnsure(sent)) unsure = message;
    if (reply.kind === 'gone') return gone(context, reply.question, asker.entered());
  }
}

/** Nothing where they are to be asked again, and why is told. */
function ended(
  context: Context,
  sent: Sent,
  asked: Question,
  message: Message,
  asker: Asker,
): End | undefined {
  const { terminal, settings } = context;
  switch (sent.kind) {
    case 'settled':
      return {
        put: { kind: 'settled', question: sent.question },
        lines: settledLines(asked, message, terminal),
      };
    case 'kept':
      return { put: { kind: 'kept', question: asked }, lines: keptLines(asked, message, terminal) };
    case 'gone':
      return gone(context, sent.question, asker.entered());
    case 'refused': {
      const line = lineOf(troubleOf(sent.error, settings));
      const unsent = terminal.isInteractive ? unsentLines(asker.entered(), terminal) : [];
      return { put: { kind: 'refused', question: asked }, lines: [terminal.style.bad(line), ...unsent] };
    }
    case 'faulty':
      return void asker.tellFaults(sent.faults);
    case 'failed':
      // On a pipe the next line is for the next question, and not for trying again.
      if (!terminal.input.isTTY) throw sent.error;
      return void asker.tellTrouble(troubleText(sent.error, settings));
  }
}

export function gone({ terminal }: Context, question: Question, entered: readonly string[]): End {
  return { put: { kind: 'gone', question }, lines: goneLines(question, entered, terminal) };
}

function waiting({ terminal }: Context, question: Question, kind: 'later' | 'left', isUnsure: boolean): End {
  return { put: { kind, question }, lines: waitingLines(question, isUnsure, terminal) };
}
