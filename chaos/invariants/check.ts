import { endingsOf, readingsOf } from './endings';
import type { Evidence, Finding } from './evidence';
import { messagesOf } from './messages';
import { outcomesOf } from './outcomes';
import { repliesOn } from './replies';
import { toolRunsOf } from './tools';
import { turnsOf } from './turns';
import { watchedOf } from './watching';

export const ENDS = 'every conversation comes to its end, and none is stuck';

/** What is promised of every conversation, whatever happens to the machines. */
const PROMISES: { [promise: string]: (evidence: Evidence) => string[] } = {
  'each question has one outcome, which is what somebody did': outcomesOf,
  'every reply is true': repliesOn,
  'what is shown is true': readingsOf,
  'who watches is sent everything, once and in order': watchedOf,
  'every message is heard once, and every cancel acted on': messagesOf,
  'the model is told what came of each call, once': turnsOf,
  'no tool runs twice that must not, nor without the yes it needs': toolRunsOf,
  [ENDS]: endingsOf,
};
export const promises = Object.keys(PROMISES);

export function check(evidence: Evidence): Finding[] {
  const { conversation } = evidence.story;
  return Object.entries(PROMISES).flatMap(([promise, faultsIn]) =>
    faultsIn(evidence).map((what) => ({ promise, conversation, what })),
  );
}
