import { EVERYBODY } from '#contract/access';
import type { Agent } from '#contract/agent';
import { PeopleList, type Person } from '#contract/people';
import type { Variables } from '#contract/variables';
import { channelOf, placeOn } from '#core/destination';
import { namesOfPerson, personByEmail } from '#core/people';

const NEEDED: Record<string, string> = { slack: 'SLACK_BOT_TOKEN', email: 'PARLEY_SMTP_URL' };

/** Channels that are not set up, and people who are told of questions that they may not answer. */
export function channelWarnings(agent: Agent, variables: Variables): string[] {
  return destinationsOf(agent).flatMap((destination) => [
    ...unset(destination, agent, variables),
    ...unheard(destination, agent, variables),
  ]);
}

/** Everywhere an agent's notices go. */
export function destinationsOf({ questions: { notify = [], escalate = [] } }: Agent): string[] {
  return [...new Set([...notify, ...escalate.flatMap((step) => step.notify ?? [])])];
}

function unset(destination: string, agent: Agent, variables: Variables): string[] {
  const channel = channelOf(destination);
  if (channel === 'webhook' && !agent.callbackUrl)
    return ['notify: webhook tells nobody, unless a conversation is started with a callbackUrl'];
  const needed = NEEDED[channel];
  return needed && !variables[needed] ? [`${needed} is not set here, for ${destination}`] : [];
}

/** Without keys everybody may answer; with them, to be told of a question lets nobody answer it. */
function unheard(destination: string, { questions }: Agent, variables: Variables): string[] {
  const people = PeopleList.safeParse(variables.PARLEY_PEOPLE ?? '').data ?? [];
  const person = personAt(destination, people);
  if (!person || !variables.PARLEY_API_KEYS) return [];
  const names = namesOfPerson(people, person);
  const may = [...questions.assignees, ...(questions.escalate ?? []).flatMap(({ to }) => to)];
  if ([...names, EVERYBODY].some((name) => may.includes(name))) return [];
  return [
    `${destination} is told of questions that ${person} may not answer, unless they started the conversation; ` +
      'name them in questions.assignees',
  ];
}

function personAt(destination: string, people: readonly Person[]): string | undefined {
  const place = placeOn(destination);
  if (channelOf(destination) === 'email') return personByEmail(people, place);
  if (channelOf(destination) !== 'slack' || !place.startsWith('@')) return undefined;
  const named = place.slice(1);
  if (named.includes('@')) return personByEmail(people, named);
  // The id of a user says nothing of who it is, unless the directory does.
  return /^[UW][A-Z0-9]{7,}$/.test(named)
    ? people.find(({ slack }) => slack.some(({ user }) => user === named))?.name
    : named;
}
