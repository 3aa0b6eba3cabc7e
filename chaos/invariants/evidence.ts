import type { Question } from '#contract/question';
import type { ConversationExport } from '#contract/responses';
import { type ConversationLog, findActionId, type UserAction } from '../event-log';
import type { ModelLog } from '../scenario/flaky-model';
import { type PlannedToolCall, parseCallRef, type Scenario } from '../scenario/scenario';

/** A promise that was broken. */
export interface InvariantViolation {
  promise: string;
  conversation: string;
  what: string;
}

/** Everything that is known of one conversation in the end. */
export interface ConversationEvidence {
  story: ConversationLog;
  /** Its own document first, then those of its sub-agents. */
  documents: ConversationExport[];
  plays: Map<string, Scenario>;
  /** What the model was told, by the play. */
  heard: Map<string, ModelLog>;
  /** How often the outside was asked for each run. */
  runs: Map<string, number>;
}

/** Whose doing an outcome was, where it was a person's. */
export function findCausingAction({ story }: ConversationEvidence, { outcome }: Question): UserAction | undefined {
  const id = findActionId(outcome);
  return id === undefined ? undefined : story.acts.find((act) => act.id === id);
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

/** Which call of which turn has put it. */
export function findCallRef(question: Question): ReturnType<typeof parseCallRef> {
  return parseCallRef(JSON.stringify([question.fields, question.confirms]));
}

export function findPlannedCall({ plays }: ConversationEvidence, text: string): PlannedToolCall | undefined {
  const ref = parseCallRef(text);
  return ref && plays.get(ref.play)?.steps[ref.step]?.calls[ref.call];
}

/** Told in a line: what was sent, and what was said to it. */
export function describeUserAction(act: UserAction): string {
  const tries = act.tries
    .filter(({ status }) => status !== undefined)
    .map(({ status, code, sentAt, repliedAt }) => {
      const when = `${new Date(sentAt).toISOString().slice(11, 23)}+${repliedAt - sentAt}`;
      return `${when} ${status}${code ? ` ${code}` : ''}`;
    });
  const unheard = act.tries.length - tries.length;
  const all = [...(unheard > 0 ? [`${unheard} × no reply`] : []), ...tries];
  return `${act.deed} ${act.id}${act.question ? ` to ${act.question}` : ''} [${all.join('; ')}]`;
}
