import type { CommandContext } from '#cli/context';
import { formatErrorLine, toErrorReport } from '#cli/errors';
import { InboxUpdates } from '#cli/inbox/updates';
import type { AnswerValue, Question, ValidationIssue } from '#contract/question';
import {
  formatSubmitError,
  renderResolvedElsewhere,
  renderStillWaiting,
  renderSubmission,
  renderUnsentInput,
} from './question-text';
import {
  createSubmitter,
  isDeliveryUnknown,
  type PromptSubmission,
  type SubmitFunction,
  type SubmitResult,
} from './submit';

/** Aborted when the question is resolved elsewhere; the reason is the resolved question. */
export type ResolvedElsewhereSignal = AbortSignal;

/** Prompts for an answer, by form or line by line, and prints the result. */
export async function askQuestion(
  context: CommandContext,
  question: Question,
  resolvedElsewhere: ResolvedElsewhereSignal,
): Promise<PromptResult> {
  if (context.isJson) return { kind: 'later', question };
  const { terminal } = context;
  const { lines, ...result } =
    question.status === 'pending'
      ? await runPrompter(context, question, resolvedElsewhere)
      : endResolvedElsewhere(context, question, []);
  if (result.kind === 'refused') terminal.printError(...lines);
  else terminal.print(...lines);
  return result;
}

async function runPrompter(
  context: CommandContext,
  question: Question,
  resolvedElsewhere: ResolvedElsewhereSignal,
): Promise<PromptEnd> {
  const { terminal } = context;
  // Imported only when used.
  const PrompterClass = terminal.isInteractive
    ? (await import('#cli/prompt/interactive')).InteractivePrompter
    : (await import('#cli/prompt/line-mode')).LinePrompter;
  const prompter: Prompter = new PrompterClass(terminal, question, resolvedElsewhere);
  try {
    return await promptUntilDone(context, question, prompter);
  } finally {
    prompter.close();
  }
}

/** Prompts for a question and watches the inbox in case it is resolved elsewhere. */
export async function askStandaloneQuestion(context: CommandContext, question: Question): Promise<PromptResult> {
  // Uses the inbox, not the conversation's stream, because a key that may only answer can read the inbox.
  const updates = new InboxUpdates(context, { conversation: question.conversationId });
  try {
    return await updates.whileAnswering(question, (resolvedElsewhere) =>
      askQuestion(context, question, resolvedElsewhere),
    );
  } finally {
    updates.stop();
  }
}

/** The result of a prompt and the lines that describe it. */
interface PromptEnd extends PromptResult {
  lines: string[];
}

export const QUEUED_NOTE = 'Saved. The agent will continue when a worker is running.';

/** Prompts and submits, repeatedly if needed, until the question is resolved or the user leaves it. */
export async function promptUntilDone(
  context: CommandContext,
  question: Question,
  prompter: Prompter,
): Promise<PromptEnd> {
  const end = await promptLoop(context, question, prompter, createSubmitter(context.parley, question));
  const isInputDiscarded = (end.kind === 'resolvedElsewhere' || end.kind === 'refused') && prompter.withdraw();
  return { ...end, isInputDiscarded };
}

async function promptLoop(
  context: CommandContext,
  question: Question,
  prompter: Prompter,
  submit: SubmitFunction,
): Promise<PromptEnd> {
  /** A submission that may have arrived. */
  let unconfirmed: PromptSubmission | undefined;
  const leave = (kind: 'later' | 'quit', mayHaveArrived: boolean): PromptEnd => ({
    kind,
    question,
    lines: renderStillWaiting(question, mayHaveArrived, context.terminal),
  });
  for (;;) {
    const reply = await prompter.ask();
    if (reply.kind === 'resolvedElsewhere' && !unconfirmed)
      return endResolvedElsewhere(context, reply.question, prompter.enteredValues());
    if (reply.kind === 'later' || reply.kind === 'quit') return leave(reply.kind, unconfirmed !== undefined);
    // The question may have been resolved by this submission. Sending the same one again shows whether it was.
    const submission = reply.kind === 'resolvedElsewhere' ? (unconfirmed as PromptSubmission) : reply;
    const submitResult = await prompter.whileSending((signal) => submit(submission, signal));
    if (submitResult === undefined) return leave('quit', true);
    const end = endAfterSubmit(context, submitResult, question, submission, prompter);
    if (end) return end;
    if (isDeliveryUnknown(submitResult)) unconfirmed = submission;
    if (reply.kind === 'resolvedElsewhere')
      return endResolvedElsewhere(context, reply.question, prompter.enteredValues());
  }
}

/** Returns undefined after showing an error, if the prompt continues. */
function endAfterSubmit(
  context: CommandContext,
  submitResult: SubmitResult,
  question: Question,
  submission: PromptSubmission,
  prompter: Prompter,
): PromptEnd | undefined {
  const { terminal, settings } = context;
  switch (submitResult.kind) {
    case 'accepted':
      return { ...submitResult, lines: renderSubmission(question, submission, terminal) };
    case 'queued':
      return { ...submitResult, lines: renderSubmission(question, submission, terminal, QUEUED_NOTE) };
    case 'resolvedElsewhere':
      return endResolvedElsewhere(context, submitResult.question, prompter.enteredValues());
    case 'refused': {
      const line = formatErrorLine(toErrorReport(submitResult.error, settings));
      const unsentLines = terminal.isInteractive ? renderUnsentInput(prompter.enteredValues(), terminal) : [];
      return { kind: 'refused', question, lines: [terminal.style.bad(line), ...unsentLines] };
    }
    case 'invalid':
      return void prompter.showIssues(submitResult.issues);
    case 'failed':
      // On a pipe, the next line is for the next question, not for a retry.
      if (!terminal.input.isTTY) throw submitResult.error;
      return void prompter.showError(formatSubmitError(submitResult.error, settings));
  }
}

function endResolvedElsewhere({ terminal }: CommandContext, question: Question, enteredValues: string[]): PromptEnd {
  return {
    kind: 'resolvedElsewhere',
    question,
    lines: renderResolvedElsewhere(question, enteredValues, terminal),
  };
}

/** Prompts a user, by form or line by line. */
export interface Prompter {
  /** Prompts, or prompts again with the entered values. */
  ask(): Promise<PromptReply>;
  /** Waits for a submission. Returns undefined if the user quits first. */
  whileSending<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** Shows the issues of the answer at their fields. */
  showIssues(issues: readonly ValidationIssue[]): void;
  /** Shows why sending failed; the user can retry. */
  showError(message: string): void;
  /** The values the user entered, one line each. */
  enteredValues(): string[];
  /**
   * Abandons the question. Returns true if unread input may have been meant for it and must not answer the next one.
   */
  withdraw(): boolean;
  close(): void;
}

/** What the user did at a prompt. */
export type PromptReply =
  | { kind: 'answer'; answers: Record<string, AnswerValue>; comment?: string }
  | { kind: 'decline'; reason?: string }
  /** Esc, or the end of stdin: the question stays open. */
  | { kind: 'later' }
  /** Ctrl-C: the question stays open. */
  | { kind: 'quit' }
  /** The question was resolved elsewhere; nothing was sent. */
  | { kind: 'resolvedElsewhere'; question: Question };

/** The result of a prompt. */
export interface PromptResult {
  kind:
    | 'accepted'
    /** Sent and durable, but not yet handled by a worker. */
    | 'queued'
    | 'resolvedElsewhere'
    /** The server rejected it, because of the key or the form of the answer. */
    | 'refused'
    | 'later'
    | 'quit';
  question: Question;
  /** The remaining stdin may have been meant for this question, so nothing more may be read. */
  isInputDiscarded?: boolean;
}
