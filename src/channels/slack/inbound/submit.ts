import type { FoundQuestion, InboundDeps } from '#channels/inbound';
import type { SlackQuestionRef } from '#channels/slack/blocks/buttons';
import type { SlackClient } from '#channels/slack/client';
import type { SlackSettings } from '#channels/slack/settings';
import type { Question } from '#contract/question';
import type { AnswerResult } from '#contract/responses';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import type { SlackPersonResolver, SlackUser } from './resolve-person';

/** Dependencies of the inbound Slack handlers. */
export interface SlackInboundDeps {
  inbound: InboundDeps;
  settings: SlackSettings;
  slack: SlackClient;
  resolvePerson: SlackPersonResolver;
  /** True the first time it is called with a key. */
  isNew(key: string): boolean;
}

/** What a Slack user submits: an answer, a decline, or a rejection with its reason. */
export type SlackAnswer =
  | { answer?: unknown; answers?: unknown; comment?: string }
  | { declines: true }
  | { rejection: string };

export interface SlackSubmission extends SlackQuestionRef {
  /** Builds the answer once the question is known. */
  toAnswer(question: Question): SlackAnswer;
  /** Called once Temporal has the answer: from then on it cannot be lost. */
  onAccepted?(): void;
}

/** What happened to a submission: the API's result, or why nothing was submitted. */
export type SlackResult = (
  | AnswerResult
  | { status: 'alreadyResolved'; question: Question }
  | { status: 'rejected' | 'failed'; detail: string }
  /** Parley does not know the Slack user. */
  | { status: 'unknownUser' }
) & { person?: string; title?: string };

/** Answers or declines the question as the person that the Slack user stands for. */
export async function submitSlackAnswer(
  deps: SlackInboundDeps,
  user: SlackUser,
  submission: SlackSubmission,
): Promise<SlackResult> {
  const { inbound } = deps;
  const receivedAt = inbound.now();
  const found = await findSlackQuestion(deps, user, submission);
  if (found.status !== 'found') return found;
  const { question, title, person } = found;
  const answer = submission.toAnswer(question);
  if ('rejection' in answer && question.status === 'pending') return { status: 'rejected', detail: answer.rejection };
  if ('rejection' in answer) return { status: 'alreadyResolved', question, title };
  if (Buffer.byteLength(JSON.stringify(answer)) > MAX_ANSWER_BYTES)
    return { status: 'failed', detail: 'Answer too long. An answer and its comment can be up to 32 KB.' };
  const { conversation: conversationId, question: questionId, askedAt, onAccepted: onDurable } = submission;
  const isDecline = 'declines' in answer;
  const kind = isDecline ? 'decline' : 'answer';
  const result = await inbound.submitAnswer({
    kind,
    person,
    via: 'slack',
    conversationId,
    questionId,
    content: isDecline ? {} : answer,
    receivedAt,
    // The same answer by the same person counts once, however often Slack delivers it.
    identity: [`${kind}Question`, conversationId, questionId, askedAt, person, answer],
    onDurable,
  });
  return { ...result, ...(result.status === 'outcomeUnknown' ? { detail: OUTCOME_UNKNOWN } : {}), person, title };
}

const OUTCOME_UNKNOWN = "We're not sure your answer arrived. Send it again; it only counts once.";

/** Finds the question, if Parley knows the user and they may answer it. */
export async function findSlackQuestion(
  { inbound, resolvePerson }: SlackInboundDeps,
  user: SlackUser,
  { conversation, question, askedAt }: SlackQuestionRef,
): Promise<(FoundQuestion & { person: string }) | SlackResult> {
  const person = await resolvePerson(user);
  if (!person) return { status: 'unknownUser' };
  const wasAskedAt = (time: string) => time === askedAt;
  return { ...(await inbound.findQuestion(person, conversation, question, wasAskedAt)), person };
}
