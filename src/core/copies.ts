import type { Question } from '#contract/question';
import { canonical } from './digest';
import type { State } from './state';

/** A copy of the open question somewhere outside, and what it is found by there. */
export interface KeptCopy {
  number: number;
  channel: string;
  /** Empty where it is not known whether it is there. */
  ref: Record<string, string>;
}

/** Remember where a copy is, for when the question is settled. A reminder of it is no other. */
export function keepCopy(state: State, questionId: string, copy: KeptCopy): void {
  const sent = state.copies?.question === questionId ? state.copies.sent : [];
  const isKnown = sent.some(
    ({ channel, ref }) => channel === copy.channel && canonical(ref) === canonical(copy.ref),
  );
  state.copies = { question: questionId, sent: isKnown ? sent : [...sent, copy] };
}

/** The newest copy at the same place that is sure to be there, for a reminder to follow up on. */
export function copyAt(state: State, questionId: string, channel: string): KeptCopy | undefined {
  if (state.copies?.question !== questionId) return undefined;
  const there = state.copies.sent.filter(
    ({ channel: place, ref }) => place === channel && Object.keys(ref).length > 0,
  );
  return there.at(-1);
}

export interface Settling {
  question: Question;
  copies: KeptCopy[];
}

/** What has to be changed outside since the question was settled. Nothing while it is open. */
export function takeSettled(state: State): Settling | undefined {
  const { copies, question } = state;
  if (!copies || copies.question === question?.id) return undefined;
  state.copies = undefined;
  return settlingOf(state, copies.question, copies.sent);
}

/** The same for one that was on its way when the question was settled. */
export function settlingOf(state: State, questionId: string, copies: KeptCopy[]): Settling | undefined {
  const entry = state.entries.find((one) => one.kind === 'question' && one.question.id === questionId);
  const known = [state.settled, entry?.kind === 'question' ? entry.question : null];
  const question = known.find((one) => one?.id === questionId && one.status !== 'pending');
  return question ? { question, copies } : undefined;
}
