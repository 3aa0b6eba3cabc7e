import { z } from 'zod';
import { ApiKeyName, EMAIL_PATTERN } from './permissions';

/** Somebody who is asked: by the name that `assignees` and keys have, and where else they are known. */
export interface Person {
  name: string;
  emails: string[];
  slack: { team: string; user: string }[];
}

const SLACK_USER_PATTERN = /^slack:([TE][A-Z0-9]{2,20})\/([UW][A-Z0-9]{2,20})$/;

const PersonEntry = z.string().transform((entry, context): Person => {
  const [name = '', addresses = '', ...rest] = entry.split('=');
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message: `${JSON.stringify(entry)}: ${message}` });
    return z.NEVER;
  };
  const parsedName = ApiKeyName.safeParse(name);
  if (rest.length > 0 || addresses === '') return fail('write name=address,slack:TEAM/USER');
  if (!parsedName.success) return fail(parsedName.error.issues[0]?.message ?? '');
  const person: Person = { name, emails: [], slack: [] };
  for (const address of addresses.split(',')) {
    const [, team, user] = SLACK_USER_PATTERN.exec(address) ?? [];
    if (team && user) person.slack.push({ team, user });
    else if (EMAIL_PATTERN.test(address)) person.emails.push(address.toLowerCase());
    else
      return fail(
        `${JSON.stringify(address)} is neither an e-mail address nor slack:TEAM/USER, as in slack:T0123/U0456`,
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
      .array(PersonEntry)
      .refine((people) => hasUniqueValues(people.map(({ name }) => name)), 'has one name in two entries')
      .refine(
        (people) =>
          hasUniqueValues(
            people.flatMap(({ emails, slack }) => [...emails, ...slack.map((slackUser) => JSON.stringify(slackUser))]),
          ),
        'has one address or Slack user in two entries',
      ),
  );

function hasUniqueValues(values: string[]): boolean {
  return new Set(values).size === values.length;
}
