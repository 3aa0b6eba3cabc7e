import { EVERYBODY } from '../../contract/access';
import type { Person } from '../../contract/people';
import { personNamed } from '../../core/people';
import type { State } from '../../core/state';

/** May they answer, as far as this can be told from here? Where a mail goes makes nobody one of them. */
export function mayAnswer(
  { owner, assignees }: State['access'],
  person: string,
  people: readonly Person[],
): boolean {
  // Started with no keys set, when there are no names to tell people by.
  if (owner === null && assignees.length === 0) return true;
  if (owner === person || assignees.includes(person)) return true;
  return assignees.includes(EVERYBODY) && personNamed(people, person) !== undefined;
}
