import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import { type Report, reportOf } from '#core/delegation';
import { measureAgain } from '#core/load';
import { entriesBetween } from '#core/old-entries';
import { answer, cancel, decline, hearUser, revoke } from '#core/settling';
import { bound } from '#core/size';
import type { State } from '#core/state';
import { advance } from '#core/turn';
import { changesOf, conversationOf, timelineOf } from '#core/view';
import { park } from './ask';
import { makeRoom, mayMakeRoom } from './compact';
import { runSubAgents } from './delegate';
import { hearInOrder } from './in-order';
import { keeper } from './keeper';
import * as messages from './messages';
import { outreach } from './outreach';
import { presence } from './presence';
import { mustRollOver, rollOver } from './roll-over';
import { countStep, type Tally, tallyOf } from './tally';
import { callModel, readingOf, runTool } from './work';

/**
 * One conversation, from its first message to its end, however long people take. Its state is its input and its result;
 * one that works for another reports what came of it instead, since its result goes into that one's history.
 */
export async function conversation(state: State): Promise<State | Report> {
  if (state?.version !== 1) {
    throw ApplicationFailure.nonRetryable(
      'Start conversations through the Parley API: this input is not a conversation.',
    );
  }
  measureAgain(state);
  // Before the handlers: signals that came first are handled the moment there is one.
  const publish = presence(state);
  const tally = tallyOf(state);
  hearInOrder([
    [messages.answerQuestion, (raw) => void answer(state, raw, Date.now())],
    [messages.declineQuestion, (raw) => void decline(state, raw, Date.now())],
    [messages.cancelConversation, (raw) => void cancel(state, raw, Date.now())],
    [messages.addMessage, (raw) => void hearUser(state, raw, Date.now())],
    [messages.revokeLinks, (raw) => void revoke(state, raw, Date.now())],
  ]);
  setHandler(messages.getState, () => conversationOf(state));
  setHandler(messages.getTimeline, (after) => timelineOf(state, after));
  setHandler(messages.getChanges, (after) => changesOf(state, after));
  setHandler(messages.getVerdict, (id) => state.verdicts.find((verdict) => verdict.id === id) ?? null);
  setHandler(messages.getEntries, (from, to) => entriesBetween(state, from, to));
  setHandler(messages.getTranscript, (count) => readingOf(state, count));
  // Temporal's own cancel acts as ours: the conversation ends in order, with its state as the result.
  CancellationScope.current().cancelRequested.catch(() => cancel(state, { via: 'temporal' }, Date.now()));
  return CancellationScope.nonCancellable(() => converse(state, publish, tally));
}

async function converse(state: State, publish: () => void, tally: Tally): Promise<State | Report> {
  const people = outreach(state, publish);
  const keeping = keeper(state);
  for (;;) {
    const step = advance(state, Date.now(), mayMakeRoom);
    const isOver = step.do === 'end';
    tally.look(isOver);
    people.tell(isOver);
    publish();
    const unrest = isOver || mustRollOver(state) ? (people.rest() ?? keeping.rest(isOver)) : undefined;
    if (unrest) {
      await unrest;
      continue;
    }
    if (step.do === 'end') {
      tally.ended();
      return state.parent ? reportOf(state) : bound(state);
    }
    if (mustRollOver(state)) {
      countStep(state, 'rolledOver');
      return rollOver(state);
    }
    if (step.do === 'park') await park(state);
    else if (step.do === 'think') await callModel(state, step.messages);
    else if (step.do === 'compact') await makeRoom(state, step);
    else if (step.do === 'tool') await runTool(state, step.call, step.input);
    else await runSubAgents(state, step.calls, publish);
  }
}
