import type { Question } from '../../contract/question';
import type { Context } from '../context';
import { lineOf, troubleOf } from '../trouble';
import type { Asker } from './asker';
import type { Put } from './reply';
import { type Message, type Send, type Sent, sender } from './send';
import { goneLines, keptLines, settledLines, troubleText, waitingLines } from './tell';

/** Whoever listens tells it here when somebody else settles the question: the signal's reason is the question as it stands. */
export type Gone = AbortSignal;

export interface Putting {
  gone: Gone;
  /** It came up by itself: a key that was on its way to something else must not answer it. */
  isSudden: boolean;
}

/** What came of it, and how that is said. */
interface End {
  put: Put;
  lines: string[];
}

/** Puts a question to whoever is at the terminal, by keys or line by line, until it is settled or left; says what came of it. */
export async function put(context: Context, question: Question, putting: Putting): Promise<Put> {
  if (context.isJson) return { kind: 'later', question };
  const { terminal } = context;
  const end =
    question.status === 'pending' ? await asking(context, question, putting) : gone(context, question, []);
  if (end.put.kind === 'refused') terminal.complain(...end.lines);
  else terminal.print(...end.lines);
  return end.put;
}

async function asking(context: Context, question: Question, putting: Putting): Promise<End> {
  const asker = await askerFor(context, question, putting);
  try {
    const end = await untilDone(context, question, asker, sender(context.parley, question));
    const { kind } = end.put;
    const isInputSpoilt = (kind === 'gone' || kind === 'refused') && asker.withdraw();
    return { ...end, put: { ...end.put, isInputSpoilt } };
  } finally {
    asker.close();
  }
}

/** Each is loaded only where it is used. */
async function askerFor({ terminal }: Context, question: Question, putting: Putting): Promise<Asker> {
  if (terminal.isInteractive) return (await import('./screen.js')).byKeys(terminal, question, putting);
  return (await import('./plain/by-lines.js')).byLines(terminal, question, putting);
}

async function untilDone(context: Context, question: Question, asker: Asker, send: Send): Promise<End> {
  /** It was sent, and nobody knows whether it arrived. */
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
    unsure = sent.kind === 'failed' && sent.error.code === 'network' ? message : undefined;
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
      return { put: { kind: 'refused', question: asked }, lines: [terminal.style.bad(line)] };
    }
    case 'faulty':
      return void asker.tellFaults(sent.faults);
    case 'failed':
      return void asker.tellTrouble(troubleText(sent.error, settings));
  }
}

function gone({ terminal }: Context, question: Question, entered: readonly string[]): End {
  return { put: { kind: 'gone', question }, lines: goneLines(question, entered, terminal) };
}

function waiting({ terminal }: Context, question: Question, kind: 'later' | 'left', isUnsure: boolean): End {
  return { put: { kind, question }, lines: waitingLines(question, isUnsure, terminal) };
}
