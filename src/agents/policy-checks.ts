import { isIndexable, TOO_MANY } from '#contract/access';
import { QuestionPolicy } from '#contract/agent';
import { Period, writeDuration } from '#contract/duration';
import type { Fault } from '#contract/sentences';
import { type Draft, fieldOf, itemsOf } from './draft';

/** What the question policy says that cannot be together, as far as it can be read. */
export function policyFaults({ value }: Draft): Fault[] {
  const policy = fieldOf(value, 'questions');
  return [...orderFaults(policy), ...latenessFaults(policy), ...audienceFaults(value)];
}

function remindersOf(policy: unknown): (number | undefined)[] {
  return itemsOf(fieldOf(policy, 'remind')).map((one) => Period.safeParse(one).data);
}

function orderFaults(policy: unknown): Fault[] {
  const reminders = remindersOf(policy);
  return reminders.flatMap((after, at) => {
    const before = Math.max(0, ...reminders.slice(0, at).map((one) => one ?? 0));
    if (after === undefined || after > before) return [];
    const isRepeat = reminders.indexOf(after) < at;
    const message = isRepeat
      ? 'is there twice; each reminder is sent once'
      : `comes after ${writeDuration(before)}; write reminders from the soonest to the latest, as in [4h, 1d]`;
    return [{ path: ['questions', 'remind', at], message }];
  });
}

/** A question that has timed out is brought to nobody's mind. */
function latenessFaults(policy: unknown): Fault[] {
  const timeout = QuestionPolicy.shape.timeout.safeParse(fieldOf(policy, 'timeout')).data ?? null;
  if (timeout === null || fieldOf(policy, 'onTimeout') === 'wait') return [];
  const steps = itemsOf(fieldOf(policy, 'escalate')).map(
    (step) => Period.safeParse(fieldOf(step, 'after')).data,
  );
  const message = `would never come: after ${writeDuration(timeout)} the question has timed out; write less, or a longer questions.timeout`;
  return [
    ...remindersOf(policy).map((after, at) => ({ after, path: ['questions', 'remind', at] })),
    ...steps.map((after, at) => ({ after, path: ['questions', 'escalate', at, 'after'] })),
  ].flatMap(({ after, path }) => (after !== undefined && after >= timeout ? [{ path, message }] : []));
}

function audienceFaults(value: unknown): Fault[] {
  const policy = fieldOf(value, 'questions');
  const escalated = itemsOf(fieldOf(policy, 'escalate')).map((step) => fieldOf(step, 'to'));
  const lists = [fieldOf(value, 'visibleTo'), fieldOf(policy, 'assignees'), ...escalated];
  const named = lists.map((list) => (typeof list === 'string' ? [list] : itemsOf(list).map(String)));
  return isIndexable(...named) ? [] : [{ path: ['visibleTo'], message: TOO_MANY }];
}
