import { checkEnding, checkMessages, checkObservedQuestions, checkViewer } from './conversation';
import type { ConversationEvidence, InvariantViolation } from './evidence';
import { checkModelTurns, checkToolRuns } from './model-turns';
import { checkOutcomes, checkReplies } from './questions';

export const CONVERSATION_ENDS = 'every conversation ends, and none is stuck';

/** The invariants of every conversation, which hold whatever faults occur. */
const INVARIANTS_BY_PROMISE: { [promise: string]: (evidence: ConversationEvidence) => string[] } = {
  'each question has one outcome, which matches what a user did': checkOutcomes,
  'every HTTP response is true': checkReplies,
  'every view is true': checkObservedQuestions,
  'event streams deliver everything, once and in order': checkViewer,
  'every message is delivered once, and every cancel takes effect': checkMessages,
  'the model gets the result of each call, once': checkModelTurns,
  'no tool runs twice that must not, or without the approval it needs': checkToolRuns,
  [CONVERSATION_ENDS]: checkEnding,
};
export const invariantNames = Object.keys(INVARIANTS_BY_PROMISE);

export function checkInvariants(evidence: ConversationEvidence): InvariantViolation[] {
  const { conversation } = evidence.log;
  return Object.entries(INVARIANTS_BY_PROMISE).flatMap(([promise, check]) =>
    check(evidence).map((detail) => ({ promise, conversation, detail })),
  );
}
