import type { Agent } from '#contract/agent';
import { channelName, channelTarget } from '#core/questions/notifications';
import type { Channel, ChannelSender } from './channel';
import { findDestinationIssue, listNotificationTargets } from './destinations';

/** The result of a test of one destination. `hasPassed` is undefined if there was nothing to test. */
export interface ChannelTestResult {
  destination: string;
  hasPassed: boolean | undefined;
  message: string;
}

/** Sends a test to each destination, one after the other, so that the results are in order. */
export async function testDestinations(
  channels: readonly Channel[],
  senders: readonly ChannelSender[],
  destinations: string[],
): Promise<ChannelTestResult[]> {
  const results: ChannelTestResult[] = [];
  for (const destination of destinations) results.push(await testDestination(channels, senders, destination));
  return results;
}

async function testDestination(
  channels: readonly Channel[],
  senders: readonly ChannelSender[],
  destination: string,
): Promise<ChannelTestResult> {
  const name = channelName(destination);
  const note = noteOf(channels.find((channel) => channel.name === name));
  const sender = senders.find((candidate) => candidate.name === name);
  if (!sender) return { destination, hasPassed: false, message: note };
  if (!sender.test) return { destination, hasPassed: undefined, message: note };
  try {
    return { destination, hasPassed: true, message: await sender.test(channelTarget(destination)) };
  } catch (error) {
    return { destination, hasPassed: false, message: (error as Error).message };
  }
}

/** Tests the channels that no destination uses, as far as that is possible without one. */
export async function testOtherChannels(
  channels: readonly Channel[],
  senders: readonly ChannelSender[],
  destinations: string[],
): Promise<ChannelTestResult[]> {
  const testedNames = new Set(destinations.map(channelName));
  const untested = channels.filter(({ name }) => !testedNames.has(name));
  const isTestable = ({ name, test }: Channel) => !test?.target && senders.some((sender) => sender.name === name);
  const results = untested.map(async (channel) =>
    isTestable(channel)
      ? testDestination(channels, senders, channel.name)
      : { destination: channel.name, hasPassed: undefined, message: noteOf(channel) },
  );
  return Promise.all(results);
}

/** Returns what to print for a channel that cannot be tested. */
function noteOf(channel: Channel | undefined): string {
  return channel?.test?.note ?? `not set up: set ${channel?.setupVariables?.join(' and ')}`;
}

/** Returns why a destination cannot be tested; undefined if it can. */
export function findTestDestinationIssue(channels: readonly Channel[], destination: string): string | undefined {
  const testTarget = channels.find(({ name }) => name === channelName(destination))?.test?.target;
  if (testTarget?.pattern.test(channelTarget(destination))) return undefined;
  const issue = findDestinationIssue(channels, destination);
  return issue === undefined ? testTarget?.missing : `${issue}.`;
}

/** Lists every testable destination in agent files, including callback URLs. */
export function listTestDestinations(channels: readonly Channel[], agents: Iterable<Agent>): string[] {
  const all = [...agents].flatMap((agent) =>
    channels.flatMap(({ name, target, test }) => [
      ...(target ? listNotificationTargets(agent).filter((destination) => channelName(destination) === name) : []),
      ...(test?.target?.listFrom(agent).map((testTarget) => `${name}:${testTarget}`) ?? []),
    ]),
  );
  return [...new Set(all)];
}
