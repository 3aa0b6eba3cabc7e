import type { Question } from '../contract/question';
import { channelOf } from './destination';
import type { PlannedNotice } from './schedule';
import type { State } from './state';

/** A copy of the open question somewhere outside, and what it is found by there. */
export interface KeptCopy {
  number: number;
  channel: string;
  ref: Record<string, string>;
}

/** Where the callback goes. */
export const WEBHOOK = 'webhook';
/** They show a question for as long as it is open, or only tell that there was one: there is nothing to change later. */
const PASSING = ['inbox', 'log'];

/** The callback hears of every question, whatever its policy says. */
export function planCallback(state: State): void {
  const { question, plan = [] } = state;
  if (!question || state.copies?.question === question.id) return;
  state.copies = { question: question.id, sent: [] };
  if (plan.some(({ kind, channel }) => kind === 'asked' && channel === WEBHOOK)) return;
  const number = Math.max(-1, ...plan.map((notice) => notice.number)) + 1;
  const told: PlannedNotice = {
    number,
    kind: 'asked',
    at: question.askedAt,
    channel: WEBHOOK,
    what: 'asked',
    to: [],
  };
  state.plan = [told, ...plan];
}

/** Remember where a copy is, for when the question is settled. */
export function keepCopy(state: State, questionId: string, copy: KeptCopy): void {
  if (PASSING.includes(channelOf(copy.channel))) return;
  const sent = state.copies?.question === questionId ? state.copies.sent : [];
  state.copies = { question: questionId, sent: [...sent, copy] };
}

/** What the first copy at the same place left, for a reminder to follow up on. */
export function firstCopy(state: State, questionId: string, channel: string): KeptCopy | undefined {
  if (state.copies?.question !== questionId) return undefined;
  return state.copies.sent.find((copy) => copy.channel === channel);
}

export interface Settling {
  question: Question;
  copies: KeptCopy[];
}

/** What has to be changed outside since the question was settled: each place once. Nothing while it is open. */
export function takeSettled(state: State): Settling | undefined {
  const { copies, question } = state;
  if (!copies || copies.question === question?.id) return undefined;
  state.copies = undefined;
  const places = copies.sent.filter(
    (copy, at) => copies.sent.findIndex(({ channel }) => channel === copy.channel) === at,
  );
  return settlingOf(state, copies.question, places);
}

/** The same for one that was on its way when the question was settled. */
export function settlingOf(state: State, questionId: string, copies: KeptCopy[]): Settling | undefined {
  const entry = state.entries.find((one) => one.kind === 'question' && one.question.id === questionId);
  const known = [state.settled, entry?.kind === 'question' ? entry.question : null];
  const question = known.find((one) => one?.id === questionId && one.status !== 'pending');
  return question ? { question, copies } : undefined;
}
