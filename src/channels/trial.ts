import { channelOf, placeOn } from '#core/destination';
import type { Channel } from './channel';

/** How a trial of one place went; `undefined` where there was nothing to try. */
export interface Trial {
  destination: string;
  isGood: boolean | undefined;
  said: string;
}

/** What there is to know of a channel that cannot be tried. */
const KNOWN: Record<string, string> = {
  inbox: 'always there: every open question is in the web app',
  log: 'always there: the log of the worker',
  webhook: 'always there: to the callbackUrl of a conversation, or of its agent',
  slack: 'not set up: set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET',
  email: 'not set up: set PARLEY_SMTP_URL and PARLEY_EMAIL_FROM',
};

/** Send a test to each place, one after the other, so that what is said stands in order. */
export async function tryOut(channels: readonly Channel[], destinations: string[]): Promise<Trial[]> {
  const trials: Trial[] = [];
  for (const destination of destinations) trials.push(await tryOne(channels, destination));
  return trials;
}

async function tryOne(channels: readonly Channel[], destination: string): Promise<Trial> {
  const name = channelOf(destination);
  const channel = channels.find((one) => one.name === name);
  if (!channel) return { destination, isGood: false, said: KNOWN[name] ?? 'there is no such channel' };
  if (!channel.test) return { destination, isGood: undefined, said: KNOWN[name] ?? 'there' };
  try {
    return { destination, isGood: true, said: await channel.test(placeOn(destination)) };
  } catch (error) {
    return { destination, isGood: false, said: (error as Error).message };
  }
}

/** The channels that none of these places is on: each as far as it can be tried without one. */
export async function tryRest(channels: readonly Channel[], destinations: string[]): Promise<Trial[]> {
  const tried = new Set(destinations.map(channelOf));
  const rest = Object.entries(KNOWN).filter(([name]) => !tried.has(name));
  const isTried = (name: string) => name !== 'webhook' && channels.some((channel) => channel.name === name);
  const trials = rest.map(async ([name, said]) =>
    isTried(name) ? tryOne(channels, name) : { destination: name, isGood: undefined, said },
  );
  return Promise.all(trials);
}
