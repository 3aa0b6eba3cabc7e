import type { Person } from '#contract/people';

/** Returns the name of the person with this address; the address itself if the directory has none. */
export function findPersonNameByEmail(people: readonly Person[], address: string): string {
  const email = address.toLowerCase();
  return people.find(({ emails }) => emails.includes(email))?.name ?? email;
}

export function findPersonNameBySlackUser(people: readonly Person[], team: string, user: string): string | undefined {
  return people.find(({ slack }) => slack.some((account) => account.team === team && account.user === user))?.name;
}

/** Returns every name that may stand for a person in an access list: their own, and their addresses. */
export function listNamesOfPerson(people: readonly Person[], name: string): string[] {
  return [name, ...(findPerson(people, name)?.emails ?? [])];
}

export function findPerson(people: readonly Person[], name: string): Person | undefined {
  return people.find((person) => person.name === name);
}
