import { ChannelError } from '#channels/channel';
import { findPerson } from '#channels/people';
import type { Person } from '#contract/people';
import { escapeAndTruncate } from './blocks/text';
import type { SlackClient } from './client';
import { getSlackErrorCode } from './errors';

const SLACK_USER_ID = /^[UW](?=[A-Z]*\d)[A-Z0-9]{2,20}$/;

/** Returns the Slack user for a name: from the directory, by email address, or the name itself if it is a user id. */
export async function findSlackUser(
  slack: SlackClient,
  people: readonly Person[],
  name: string,
): Promise<string | undefined> {
  const person = findPerson(people, name);
  if (person && person.slack.length > 0) {
    const { team } = await slack.self();
    return (person.slack.find((account) => account.team === team) ?? person.slack[0])?.user;
  }
  if (SLACK_USER_ID.test(name)) return name;
  for (const email of [...(person?.emails ?? []), ...(name.includes('@') ? [name] : [])]) {
    const user = await findSlackUserByEmail(slack, email);
    if (user) return user;
  }
  return undefined;
}

async function findSlackUserByEmail({ web }: SlackClient, email: string): Promise<string | undefined> {
  try {
    return (await web.users.lookupByEmail({ email })).user?.id;
  } catch (error) {
    if (getSlackErrorCode(error) === 'users_not_found') return undefined;
    throw error;
  }
}

/** Resolves where to post: a channel stays as written, and `@name` becomes the id of a Slack user. */
export async function resolveSlackTarget(
  slack: SlackClient,
  people: readonly Person[],
  target: string,
): Promise<string> {
  if (!target.startsWith('@')) return target;
  const user = await findSlackUser(slack, people, target.slice(1));
  if (user) return user;
  throw new ChannelError(
    `No Slack user found for ${target}. Add slack:TEAM/USER or an email address to their entry in PARLEY_PEOPLE.`,
    { isPermanent: true },
  );
}

/** Mentions the people a question is escalated to; in bold if they have no Slack user. */
export async function formatMentions(
  slack: SlackClient,
  people: readonly Person[],
  names: string[],
): Promise<string[]> {
  return Promise.all(
    names.map(async (name) => {
      const user = await findSlackUser(slack, people, name).catch(() => undefined);
      return user ? `<@${user}>` : `*${escapeAndTruncate(name, 100).text}*`;
    }),
  );
}
