import { checkEnding, checkMessages, checkObservedQuestions, checkViewer } from './conversation';
import type { ConversationEvidence, InvariantViolation } from './evidence';
import { checkModelTurns, checkToolRuns } from './model-turns';
import { checkOutcomes, checkReplies } from './questions';

export const CONVERSATION_ENDS = 'every conversation comes to its end, and none is stuck';

/** The invariants of every conversation, which hold whatever faults occur. */
const INVARIANTS_BY_PROMISE: { [promise: string]: (evidence: ConversationEvidence) => string[] } = {
  'each question has one outcome, which is what somebody did': checkOutcomes,
  'every reply is true': checkReplies,
  'what is shown is true': checkObservedQuestions,
  'who watches is sent everything, once and in order': checkViewer,
  'every message is heard once, and every cancel acted on': checkMessages,
  'the model is told what came of each call, once': checkModelTurns,
  'no tool runs twice that must not, nor without the yes it needs': checkToolRuns,
  [CONVERSATION_ENDS]: checkEnding,
};
export const invariantNames = Object.keys(INVARIANTS_BY_PROMISE);

export function checkInvariants(evidence: ConversationEvidence): InvariantViolation[] {
  const { conversation } = evidence.log;
  return Object.entries(INVARIANTS_BY_PROMISE).flatMap(([promise, check]) =>
    check(evidence).map((detail) => ({ promise, conversation, detail })),
  );
}
