import type { CommandContext } from '#cli/context';
import { formatErrorLine, toErrorReport } from '#cli/errors';
import { readResolvedQuestion } from '#cli/lookups';
import type { ParleyClient } from '#client/parley';
import type { AnswerValue, Question, ValidationIssue } from '#contract/question';
import { toQuestionKey } from '#presentation/question-list';
import {
  formatSubmitError,
  renderAcceptedResult,
  renderQueuedResult,
  renderResolvedElsewhere,
  renderStillWaiting,
  renderUnsentInput,
} from './question-text';
import {
  createSubmitter,
  isDeliveryUnknown,
  type PromptSubmission,
  type SubmitFunction,
  type SubmitResult,
} from './submit';

/** Whoever listens tells it here when somebody else settles the question: the signal's reason is the question as it stands. */
export type ResolvedElsewhereSignal = AbortSignal;

/** Puts a question to whoever is at the terminal, by keys or line by line, until it is settled or left; says what came of it. */
export async function askQuestion(
  context: CommandContext,
  question: Question,
  given: ResolvedElsewhereSignal,
): Promise<PromptResult> {
  if (context.isJson) return { kind: 'later', question };
  const { terminal } = context;
  const end =
    question.status === 'pending'
      ? await runPrompter(context, question, given)
      : endResolvedElsewhere(context, question, []);
  if (end.put.kind === 'refused') terminal.complain(...end.lines);
  else terminal.print(...end.lines);
  return end.put;
}

async function runPrompter(
  context: CommandContext,
  question: Question,
  given: ResolvedElsewhereSignal,
): Promise<PromptEnd> {
  const asker = await createPrompter(context, question, given);
  try {
    return await promptUntilDone(context, question, asker);
  } finally {
    asker.close();
  }
}

/** Each is loaded only where it is used. */
async function createPrompter(
  { terminal }: CommandContext,
  question: Question,
  given: ResolvedElsewhereSignal,
): Promise<Prompter> {
  if (terminal.isInteractive)
    return (await import('#cli/prompt/interactive')).createInteractivePrompter(terminal, question, given);
  return (await import('#cli/prompt/line-mode')).createLinePrompter(terminal, question, given);
}

/** Puts a question where nothing else is listened to: this listens for it to be settled elsewhere. */
export async function askStandaloneQuestion(context: CommandContext, question: Question): Promise<PromptResult> {
  const { gone, stop } = watchQuestionResolved(context.parley, question);
  try {
    return await askQuestion(context, question, gone);
  } finally {
    stop();
  }
}

/** What came of it, and how that is said. */
interface PromptEnd {
  put: PromptResult;
  lines: string[];
}

/** Asks and sends, again where need be, until it is settled or left. */
export async function promptUntilDone(
  context: CommandContext,
  question: Question,
  asker: Prompter,
): Promise<PromptEnd> {
  const end = await promptLoop(context, question, asker, createSubmitter(context.parley, question));
  const { kind } = end.put;
  const isInputSpoilt = (kind === 'gone' || kind === 'refused') && asker.withdraw();
  return { ...end, put: { ...end.put, isInputSpoilt } };
}

async function promptLoop(
  context: CommandContext,
  question: Question,
  asker: Prompter,
  send: SubmitFunction,
): Promise<PromptEnd> {
  /** It was sent, and nobody knows whether it arrived: not before something settles the question. */
  let unsure: PromptSubmission | undefined;
  for (;;) {
    const reply = await asker.ask();
    if (reply.kind === 'gone' && !unsure) return endResolvedElsewhere(context, reply.question, asker.entered());
    if (reply.kind === 'later' || reply.kind === 'left')
      return endStillWaiting(context, question, reply.kind, unsure !== undefined);
    // Settled, and perhaps by what was sent from here: the same once more tells.
    const message = reply.kind === 'gone' ? (unsure as PromptSubmission) : reply;
    const sent = await asker.during((signal) => send(message, signal));
    if (sent === undefined) return endStillWaiting(context, question, 'left', true);
    const end = endAfterSubmit(context, sent, question, message, asker);
    if (end) return end;
    if (isDeliveryUnknown(sent)) unsure = message;
    if (reply.kind === 'gone') return endResolvedElsewhere(context, reply.question, asker.entered());
  }
}

/** Nothing where they are to be asked again, and why is told. */
function endAfterSubmit(
  context: CommandContext,
  sent: SubmitResult,
  asked: Question,
  message: PromptSubmission,
  asker: Prompter,
): PromptEnd | undefined {
  const { terminal, settings } = context;
  switch (sent.kind) {
    case 'settled':
      return {
        put: { kind: 'settled', question: sent.question },
        lines: renderAcceptedResult(asked, message, terminal),
      };
    case 'kept':
      return { put: { kind: 'kept', question: asked }, lines: renderQueuedResult(asked, message, terminal) };
    case 'gone':
      return endResolvedElsewhere(context, sent.question, asker.entered());
    case 'refused': {
      const line = formatErrorLine(toErrorReport(sent.error, settings));
      const unsent = terminal.isInteractive ? renderUnsentInput(asker.entered(), terminal) : [];
      return { put: { kind: 'refused', question: asked }, lines: [terminal.style.bad(line), ...unsent] };
    }
    case 'faulty':
      return void asker.tellFaults(sent.faults);
    case 'failed':
      // On a pipe the next line is for the next question, and not for trying again.
      if (!terminal.input.isTTY) throw sent.error;
      return void asker.tellTrouble(formatSubmitError(sent.error, settings));
  }
}

function endResolvedElsewhere({ terminal }: CommandContext, question: Question, entered: readonly string[]): PromptEnd {
  return { put: { kind: 'gone', question }, lines: renderResolvedElsewhere(question, entered, terminal) };
}

function endStillWaiting(
  { terminal }: CommandContext,
  question: Question,
  kind: 'later' | 'left',
  isUnsure: boolean,
): PromptEnd {
  return { put: { kind, question }, lines: renderStillWaiting(question, isUnsure, terminal) };
}

/** Somebody who is asked, by keys or line by line. */
export interface Prompter {
  /** Asks, or asks again with what was entered kept. */
  ask(): Promise<PromptReply>;
  /** Waits while it is sent; nothing where they leave before that is done. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** What was wrong with what they sent, field by field. */
  tellFaults(faults: readonly ValidationIssue[]): void;
  /** Why it could not be sent; they may try again. */
  tellTrouble(trouble: string): void;
  /** What they had put in, a line for each. */
  entered(): string[];
  /** It is for nobody here any more. True where what was written for it could be taken for an answer to the next. */
  withdraw(): boolean;
  close(): void;
}

/** What a person did with a question that was put to them. */
export type PromptReply =
  | { kind: 'answer'; answers: Record<string, AnswerValue>; comment?: string }
  | { kind: 'decline'; reason?: string }
  /** Esc, or nothing more to read: it waits on. */
  | { kind: 'later' }
  /** Ctrl-C: out of here, and it waits on. */
  | { kind: 'left' }
  /** Somebody else was quicker: nothing was sent. */
  | { kind: 'gone'; question: Question };

/** What became of a question after it was put to a person. */
export interface PromptResult {
  kind:
    | 'settled'
    /** Sent and durable; no worker has acted on it yet. */
    | 'kept'
    | 'gone'
    /** This key may not answer it, or not like this. */
    | 'refused'
    | 'later'
    | 'left';
  question: Question;
  /** Gone or refused on a pipe, where what comes next may have been meant for it: nothing more is to be read. */
  isInputSpoilt?: boolean;
}

export interface QuestionWatch {
  gone: ResolvedElsewhereSignal;
  stop(): void;
}

/** Listens for that question to be settled by somebody else, for callers that listen to nothing yet. */
function watchQuestionResolved(parley: ParleyClient, question: Question): QuestionWatch {
  const settled = new AbortController();
  const stopped = new AbortController();
  // Where nothing can be heard, the answer itself will be told that it is too late.
  void waitForResolution(parley, question, stopped.signal).then(
    (now) => now && !stopped.signal.aborted && settled.abort(now),
    () => undefined,
  );
  return { gone: settled.signal, stop: () => stopped.abort() };
}

/** By the inbox, and not the conversation: whoever may only answer hears of it, too. */
async function waitForResolution(
  parley: ParleyClient,
  question: Question,
  signal: AbortSignal,
): Promise<Question | undefined> {
  const isIt = (other: Question) => toQuestionKey(other) === toQuestionKey(question);
  for await (const event of parley.inboxEvents({ conversation: question.conversationId, signal })) {
    if (event.event === 'question_answered' && isIt(event.data)) return event.data;
    // It may have been settled before anybody listened, or while the line was down.
    if (event.event === 'snapshot' && !event.data.items.some(isIt)) {
      const now = await readResolvedQuestion(parley, question, signal);
      if (now) return now;
    }
  }
  return undefined;
}
