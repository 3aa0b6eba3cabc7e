import type { Context } from '#cli/context';
import type { Following } from './follow';

/** How one looks on, as the command line has it. */
export interface FollowOptions {
  input?: boolean;
  wait?: boolean;
  events?: boolean;
}

export function followingFrom(
  { input, wait, events }: FollowOptions,
  { isJson }: Context,
): Pick<Following, 'isAsking' | 'isWaiting' | 'isEvents'> {
  const isAsking = input !== false && !isJson && !events;
  return { isAsking, isWaiting: Boolean(wait), isEvents: Boolean(events) };
}
