import { entriesOf, parsedText } from './error-messages';
import { ApiKeyName, EMAIL_PATTERN } from './permissions';

/** A person who can be asked: the name used in `assignees` and keys, and their other identities. */
export interface Person {
  name: string;
  emails: string[];
  slack: { team: string; user: string }[];
}

const SLACK_USER_PATTERN = /^slack:([TE][A-Z0-9]{2,20})\/([UW][A-Z0-9]{2,20})$/;

const PersonEntry = parsedText((entry): Person | string => {
  const [name = '', addresses = '', ...rest] = entry.split('=');
  const fail = (message: string) => `${JSON.stringify(entry)}: ${message}`;
  const parsedName = ApiKeyName.safeParse(name);
  if (rest.length > 0 || addresses === '') return fail('must be name=address,slack:TEAM/USER');
  if (!parsedName.success) return fail(`name ${parsedName.error.issues[0]?.message}`);
  const person: Person = { name, emails: [], slack: [] };
  for (const address of addresses.split(',')) {
    const [, team, user] = SLACK_USER_PATTERN.exec(address) ?? [];
    if (team && user) person.slack.push({ team, user });
    else if (EMAIL_PATTERN.test(address)) person.emails.push(address.toLowerCase());
    else
      return fail(`${JSON.stringify(address)} must be an email address or slack:TEAM/USER, such as slack:T0123/U0456`);
  }
  return person;
});

/** `PARLEY_PEOPLE`: entries separated by white space or semicolons. An address or Slack user belongs to one person. */
export const PeopleList = entriesOf(PersonEntry)
  .refine((people) => hasUniqueValues(people.map(({ name }) => name)), 'has two entries with the same name')
  .refine(
    (people) =>
      hasUniqueValues(
        people.flatMap(({ emails, slack }) => [...emails, ...slack.map((slackUser) => JSON.stringify(slackUser))]),
      ),
    'has the same address or Slack user in two entries',
  );

function hasUniqueValues(values: string[]): boolean {
  return new Set(values).size === values.length;
}
