import { type ChildWorkflowHandle, condition, startChild, uuid4 } from '@temporalio/workflow';
import type { Delegation } from '#core/calls';
import { heardOf, noteDelegations, type Report, subConversation } from '#core/delegation';
import { isFinished, type State } from '#core/state';
import { take } from '#core/take';
import { memoOf } from '#core/view';
import { readable } from './failures';
import { WORKFLOW_TYPE } from './messages';
import { attributesToStartWith, markOf } from './presence';
import { unlessEnded } from './work';

type Heard = ReturnType<typeof heardOf>;

/** Let sub-agents work side by side, each in a conversation of its own, and take in what they came to, in order. */
export async function runSubAgents(state: State, calls: Delegation[], publish: () => void): Promise<void> {
  const subs = calls.map(({ input }) => subConversation(state, input, `c-${uuid4()}`, Date.now()));
  noteDelegations(
    state,
    subs.filter((sub) => sub !== undefined),
    Date.now(),
  );
  publish();
  const watch = keepShowing(state, publish);
  const heard = await unlessEnded(state, () => Promise.all(subs.map((sub, at) => work(sub, calls[at]))));
  watch.stop();
  state.delegated = [];
  if (isFinished(state) || !heard) return;
  calls.forEach((call, at) => {
    take(state, call, heard[at] as Heard, Date.now());
  });
}

/** They may take days. What the person says to this conversation meanwhile shows at once. */
function keepShowing(state: State, publish: () => void): { stop(): void } {
  let isOver = false;
  const watch = async () => {
    for (;;) {
      const mark = markOf(state);
      await condition(() => isOver || markOf(state) !== mark);
      if (isOver || isFinished(state)) return;
      publish();
    }
  };
  void watch();
  return {
    stop: () => {
      isOver = true;
    },
  };
}

async function work(sub: State | undefined, call: Delegation | undefined): Promise<Heard> {
  const name = call?.input.agent ?? '';
  if (!sub) return { error: `There is no sub-agent ${name} in this conversation.` };
  try {
    return heardOf(name, await (await start(sub)).result());
  } catch (error) {
    const { message } = readable(error, 'delegation_failed', `The sub-agent ${name} was ended from outside`);
    return { error: message };
  }
}

function start(sub: State): Promise<ChildWorkflowHandle<(state: State) => Promise<Report>>> {
  return startChild(WORKFLOW_TYPE, {
    workflowId: sub.id,
    args: [sub],
    memo: { ...memoOf(sub) },
    typedSearchAttributes: attributesToStartWith(sub),
    staticSummary: sub.title,
    // It ends in order, and its question leaves the inbox, whichever way its parent ends.
    parentClosePolicy: 'REQUEST_CANCEL',
    cancellationType: 'TRY_CANCEL',
  });
}
