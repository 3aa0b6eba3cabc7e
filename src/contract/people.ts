import { z } from 'zod';
import { KeyName } from './access';

/** Somebody who is asked: by the name that `assignees` and keys have, and where else they are known. */
export interface Person {
  name: string;
  emails: string[];
  slack: { team: string; user: string }[];
}

const SLACK = /^slack:([TE][A-Z0-9]{2,20})\/([UW][A-Z0-9]{2,20})$/;
const EMAIL = /^[^\s@,;=<>]+@[^\s@,;=<>]+$/;

/** Somebody to be asked who need not be known to Parley: the name of a key or of a person, or an address. */
export const PersonName = z
  .string()
  .max(254)
  .refine(
    (name) => EMAIL.test(name) || KeyName.safeParse(name).success,
    'write the name of a key or a person, or an e-mail address',
  );

const Entry = z.string().transform((entry, context): Person => {
  const [name = '', places = '', ...rest] = entry.split('=');
  const fault = (message: string) => {
    context.addIssue({ code: 'custom', message: `${JSON.stringify(entry)}: ${message}` });
    return z.NEVER;
  };
  const named = KeyName.safeParse(name);
  if (rest.length > 0 || places === '') return fault('write name=address,slack:TEAM/USER');
  if (!named.success) return fault(named.error.issues[0]?.message ?? '');
  const person: Person = { name, emails: [], slack: [] };
  for (const place of places.split(',')) {
    const [, team, user] = SLACK.exec(place) ?? [];
    if (team && user) person.slack.push({ team, user });
    else if (EMAIL.test(place)) person.emails.push(place.toLowerCase());
    else
      return fault(
        `${JSON.stringify(place)} is neither an e-mail address nor slack:TEAM/USER, as in slack:T0123/U0456`,
      );
  }
  return person;
});

/** `PARLEY_PEOPLE`: entries with white space or semicolons between. An address or a Slack user stands for one person. */
export const PeopleList = z
  .string()
  .transform((text) => text.split(/[\s;]+/).filter((entry) => entry !== ''))
  .pipe(
    z
      .array(Entry)
      .refine((people) => isUnique(people.map(({ name }) => name)), 'has one name in two entries')
      .refine(
        (people) =>
          isUnique(
            people.flatMap(({ emails, slack }) => [...emails, ...slack.map((one) => JSON.stringify(one))]),
          ),
        'has one address or Slack user in two entries',
      ),
  );

function isUnique(values: string[]): boolean {
  return new Set(values).size === values.length;
}
