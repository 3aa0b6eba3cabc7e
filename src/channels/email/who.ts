import { EVERYBODY } from '#contract/access';
import type { Person } from '#contract/people';
import { namesOfPerson, personNamed } from '#core/people';
import type { State } from '#core/state';

/** May they answer, as far as this can be told from here? Where a mail goes makes nobody one of them. */
export function mayAnswer(
  { owner, assignees }: State['access'],
  person: string,
  people: readonly Person[],
): boolean {
  const names = namesOfPerson(people, person);
  if (names.some((name) => owner === name || assignees.includes(name))) return true;
  return assignees.includes(EVERYBODY) && personNamed(people, person) !== undefined;
}
