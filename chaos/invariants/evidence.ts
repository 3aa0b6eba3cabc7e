import type { Question } from '#contract/question';
import type { ConversationExport } from '#contract/responses';
import { type ConversationLog, findActionId, type UserAction } from '../event-log';
import type { ModelLog } from '../scenario/flaky-model';
import { type PlannedToolCall, parseCallRef, type Scenario } from '../scenario/scenario';

/** A violated invariant. */
export interface InvariantViolation {
  promise: string;
  conversation: string;
  detail: string;
}

/** All evidence about one conversation. */
export interface ConversationEvidence {
  log: ConversationLog;
  /** The conversation's own export first, then those of its sub-agents. */
  documents: ConversationExport[];
  scenarios: Map<string, Scenario>;
  /** What the model received, by scenario name. */
  modelLogs: Map<string, ModelLog>;
  /** Number of requests to the tool server for each run. */
  toolRuns: Map<string, number>;
}

/** Returns the user action that caused the outcome, if any. */
export function findCausingAction({ log }: ConversationEvidence, { outcome }: Question): UserAction | undefined {
  const id = findActionId(outcome);
  return id === undefined ? undefined : log.actions.find((action) => action.id === id);
}

export function findExportedQuestion(
  { documents }: ConversationEvidence,
  conversation: string,
  id: string,
): Question | undefined {
  return documents
    .find((document) => document.conversation.id === conversation)
    ?.questions.find((question) => question.id === id);
}

/** Returns the turn and call that asked the question. */
export function findCallRef(question: Question): ReturnType<typeof parseCallRef> {
  return parseCallRef(JSON.stringify([question.fields, question.confirms]));
}

export function findPlannedCall({ scenarios }: ConversationEvidence, text: string): PlannedToolCall | undefined {
  const ref = parseCallRef(text);
  return ref && scenarios.get(ref.play)?.steps[ref.step]?.calls[ref.call];
}

/** Describes an action in one line, with its replies. */
export function describeUserAction(action: UserAction): string {
  const replies = action.attempts
    .filter(({ status }) => status !== undefined)
    .map(({ status, code, sentAt, repliedAt }) => {
      const when = `${new Date(sentAt).toISOString().slice(11, 23)}+${repliedAt - sentAt}`;
      return `${when} ${status}${code ? ` ${code}` : ''}`;
    });
  const withoutReply = action.attempts.length - replies.length;
  const all = [...(withoutReply > 0 ? [`${withoutReply} × no response`] : []), ...replies];
  return `${action.kind} ${action.id}${action.question ? ` to ${action.question}` : ''} [${all.join('; ')}]`;
}
