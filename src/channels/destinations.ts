import type { Agent } from '#contract/agent';
import type { SchemaIssue } from '#contract/error-messages';
import { channelName, channelTarget } from '#core/questions/notifications';
import type { Channel } from './channel';

/** Returns why a destination is invalid; undefined if it is valid. */
export function findDestinationIssue(channels: readonly Channel[], destination: string): string | undefined {
  const name = channelName(destination);
  const channel = channels.find((candidate) => candidate.name === name);
  if (!channel) return `unknown destination "${destination}"; ${describeDestinations(channels)}`;
  const { target } = channel;
  if (!target) return destination === name ? undefined : `write "${name}" alone, with nothing after it`;
  return target.pattern.test(channelTarget(destination))
    ? undefined
    : `"${destination}" needs ${target.example} after "${name}:"`;
}

function describeDestinations(channels: readonly Channel[]): string {
  const alone = channels.flatMap(({ name, target }) => (target ? [] : [name]));
  const targeted = channels.flatMap(({ name, target }) => target?.forms.map((form) => `${name}:${form}`) ?? []);
  return `use one of: ${[...alone, ...targeted].join(', ')}`;
}

/** Returns every issue with the destinations in a question policy, as written; `path` leads to the policy. */
export function findPolicyDestinationIssues(
  channels: readonly Channel[],
  policy: unknown,
  path: PropertyKey[],
): SchemaIssue[] {
  const fieldOf = (value: unknown, name: string): unknown =>
    (value as Record<string, unknown> | null | undefined)?.[name];
  const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const lists = [
    { destinations: fieldOf(policy, 'notify'), path: [...path, 'notify'] },
    ...listOf(fieldOf(policy, 'escalate')).map((step, index) => ({
      destinations: fieldOf(step, 'notify'),
      path: [...path, 'escalate', index, 'notify'],
    })),
  ];
  return lists.flatMap((list) =>
    listOf(list.destinations).flatMap((destination, index) => {
      const message = typeof destination === 'string' ? findDestinationIssue(channels, destination) : undefined;
      return message === undefined ? [] : [{ path: [...list.path, index], message }];
    }),
  );
}

/** Returns every destination that an agent notifies. */
export function listNotificationTargets({ questions: { notify = [], escalate = [] } }: Agent): string[] {
  return [...new Set([...notify, ...escalate.flatMap((step) => step.notify ?? [])])];
}
