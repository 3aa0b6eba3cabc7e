import { channelOf, placeOn } from '../core/destination';
import type { Channel } from './channel';

/** How a trial of one place went. */
export interface Trial {
  destination: string;
  isGood: boolean;
  said: string;
}

/** What there is to know of a channel that leads to one place only, or is not set up. */
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
  try {
    const said = (await channel.test?.(placeOn(destination))) ?? KNOWN[name] ?? 'there';
    return { destination, isGood: true, said };
  } catch (error) {
    return { destination, isGood: false, said: (error as Error).message };
  }
}

/** What is set up and tried by nobody: no agent's file names a place there. */
export function untried(channels: readonly Channel[], destinations: string[]): string[] {
  const tried = new Set(destinations.map(channelOf));
  return Object.entries(KNOWN).flatMap(([name, known]) => {
    if (tried.has(name)) return [];
    const isThere = channels.some((channel) => channel.name === name);
    const said = isThere && HOW[name] ? `set up, and no agent tells anybody there; try ${HOW[name]}` : known;
    return [`${name.padEnd(8)} ${said}`];
  });
}

const HOW: Record<string, string> = {
  slack: '`npm run channels -- slack:#ops`',
  email: '`npm run channels -- email:you@example.com`',
};
