import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

export const bareAnswerSignal = defineSignal<[string]>('answer');

export interface BareActivities {
  call(id: string, call: 1 | 2): Promise<void>;
}

export const NO_ANSWER_RESULT = 'nobody answered';

const { call } = proxyActivities<BareActivities>({ startToCloseTimeout: '1m' });

/** The minimal equivalent on Temporal: an activity, a wait for a signal or a deadline, an activity. */
export async function bareWorkflow(id: string, timeoutMs = 24 * 3_600_000): Promise<string> {
  let answer: string | undefined;
  setHandler(bareAnswerSignal, (value) => {
    answer = value;
  });
  await call(id, 1);
  await condition(() => answer !== undefined, timeoutMs);
  await call(id, 2);
  return answer ?? NO_ANSWER_RESULT;
}

/** History length when parked: started, a task, an activity, a task, the timer. */
export const PARKED_EVENT_COUNT = 11;
