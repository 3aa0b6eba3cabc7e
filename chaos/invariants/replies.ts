import type { Question } from '#contract/question';
import { saysNothingWasAccepted } from '../acts';
import { type Act, repliesOf, type Try } from '../ledger';
import { doerOf, type Evidence, questionOf, told } from './evidence';

/** Every reply to an answer or a decline was true, as far as it can be known in the end. */
export function repliesOn(evidence: Evidence): string[] {
  return evidence.story.acts.flatMap((act) => {
    const odd = act.tries.flatMap((made) => oddReply(act, made));
    if (act.question === undefined) return odd;
    const question = questionOf(evidence, act.conversation, act.question);
    if (!question) return [...odd, `${told(act)}: there is no such question in the end`];
    return [...odd, ...truthOf(evidence, act, question), ...constancyOf(act)];
  });
}

const EXPECTED: { [status: number]: RegExp } = {
  400: /^invalid_answer$/,
  409: /^(question_(answered|declined|timed_out|cancelled)|conversation_finished)$/,
  503: /^(temporal|worker)_unavailable$/,
};

/** Replies that nobody should ever get to what was sent here. */
function oddReply(act: Act, { status, code = '' }: Try): string[] {
  if (status === undefined || status < 300 || EXPECTED[status]?.test(code)) return [];
  return [`${told(act)}: ${status} ${code} is no reply to that`];
}

function truthOf(evidence: Evidence, act: Act, question: Question): string[] {
  const isOurs = doerOf(evidence, question)?.id === act.id;
  const stands = `${question.id} is ${question.status} by ${doerOf(evidence, question)?.id ?? 'nobody'}`;
  const untrue = (made: Try) => `${told(act)}: ${made.status} ${made.code ?? ''} was said, but ${stands}`;
  const faults = repliesOf(act).flatMap((made) => {
    switch (made.status) {
      case 200:
        return isOurs && made.question?.outcome?.at === question.outcome?.at ? [] : [untrue(made)];
      case 202:
        return act.isWrong || isLost(evidence, act, made, question) ? [untrue(made)] : [];
      case 400:
        return act.isWrong && !isOurs ? [] : [untrue(made)];
      case 409:
        return !isOurs && isTold(made, question) ? [] : [untrue(made)];
      default:
        return [untrue(made)];
    }
  });
  return [...faults, ...untaken(act, isOurs)];
}

/** It was kept, and somebody who came after that, or the deadline after that, went before it. */
function isLost(evidence: Evidence, act: Act, made: Try, question: Question): boolean {
  const doer = doerOf(evidence, question);
  if (doer?.id === act.id) return false;
  if (question.status === 'timed_out') return made.repliedAt < Date.parse(question.expiresAt ?? '');
  const began = doer?.tries[0]?.sentAt;
  return began !== undefined && began > made.repliedAt;
}

/** A refusal shows the outcome that stands. When a deadline was acted on is only known later. */
function isTold({ code, question: shown }: Try, question: Question): boolean {
  if (code === 'conversation_finished') return question.status !== 'pending';
  if (code !== `question_${question.status}` || shown?.status !== question.status) return false;
  const [seen, stands] = [shown.outcome, question.outcome].map((outcome) =>
    JSON.stringify(question.status === 'timed_out' ? { ...outcome, at: '' } : outcome),
  );
  return seen === stands;
}

/** Nothing was accepted, as was said to each try: then nothing may have come of it. */
function untaken(act: Act, isOurs: boolean): string[] {
  if (!isOurs || !act.tries.every(saysNothingWasAccepted)) return [];
  return [`${told(act)}: it was said that nothing was accepted, but it was`];
}

/**
 * What was once confirmed or refused is so for good, whoever is asked. A 202 says less and denies nothing: where Temporal
 * goes away right after it took a repeat, the API cannot look what came of it before.
 */
function constancyOf(act: Act): string[] {
  const replies = repliesOf(act).filter(({ status }) => status !== 202);
  return replies.flatMap((first) => {
    const other = replies.find((later) => later.sentAt > first.repliedAt && later.status !== first.status);
    return other ? [`${told(act)}: first ${first.status} and then ${other.status}`] : [];
  });
}
