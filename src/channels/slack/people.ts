import { ChannelError } from '#channels/channel';
import type { Person } from '#contract/people';
import { personNamed } from '#core/people';
import type { Slack } from './client';
import { slackCode } from './errors';
import { fitted } from './words';

const USER = /^[UW](?=[A-Z]*\d)[A-Z0-9]{2,20}$/;

/** The Slack user whom a name stands for: as the directory says, by their address, or the id of a user itself. */
export async function userOf(
  slack: Slack,
  people: readonly Person[],
  name: string,
): Promise<string | undefined> {
  const person = personNamed(people, name);
  if (person && person.slack.length > 0) {
    const { team } = await slack.self();
    return (person.slack.find((one) => one.team === team) ?? person.slack[0])?.user;
  }
  if (USER.test(name)) return name;
  for (const email of [...(person?.emails ?? []), ...(name.includes('@') ? [name] : [])]) {
    const user = await userByEmail(slack, email);
    if (user) return user;
  }
  return undefined;
}

async function userByEmail({ web }: Slack, email: string): Promise<string | undefined> {
  try {
    return (await web.users.lookupByEmail({ email })).user?.id;
  } catch (error) {
    if (slackCode(error) === 'users_not_found') return undefined;
    throw error;
  }
}

/** Where to post for a place as it is written: a channel by name or id, or a person, by the id of the user. */
export async function targetOf(slack: Slack, people: readonly Person[], place: string): Promise<string> {
  if (!place.startsWith('@')) return place;
  const user = await userOf(slack, people, place.slice(1));
  if (user) return user;
  throw new ChannelError(
    `Nobody in Slack is known as ${place}: add slack:TEAM/USER or an address to them in PARLEY_PEOPLE.`,
    { isFinal: true },
  );
}

/** Those a question is escalated to, called by their Slack name where they have one. */
export async function mentionsOf(
  slack: Slack,
  people: readonly Person[],
  names: string[],
): Promise<string[]> {
  return Promise.all(
    names.map(async (name) => {
      const user = await userOf(slack, people, name).catch(() => undefined);
      return user ? `<@${user}>` : `*${fitted(name, 100).text}*`;
    }),
  );
}
