import { ChannelError } from '#channels/channel';
import type { Person } from '#contract/people';
import type { Slack } from './client';
import { targetOf } from './people';
import { note, section } from './words';

/** What the bot needs, and for what. */
export const SCOPES: Record<string, string> = {
  'chat:write': 'to post',
  'channels:read': 'to find a channel again by its name',
  'groups:read': 'to find a private channel again by its name',
  'channels:history': 'to see replies in channels, and not to post twice',
  'groups:history': 'to see replies in private channels, and not to post twice',
  'im:history': 'to see replies to direct messages, and not to post twice',
  'im:write': 'to write to a person',
  'users:read': 'to know who clicked',
  'users:read.email': 'to know people by their address',
};

/** Post something harmless. A bot that lacks a scope fails by it later, so it fails here, whatever was posted. */
export async function tryPlace(slack: Slack, people: readonly Person[], place: string): Promise<string> {
  const { name, workspace, scopes } = await slack.self();
  const missing = scopes.length > 0 ? Object.keys(SCOPES).filter((scope) => !scopes.includes(scope)) : [];
  if (missing.includes('chat:write')) throw new ChannelError(`The bot lacks ${named(missing)}`);
  const told =
    place === ''
      ? `Slack takes the token of @${name} in ${workspace}. Try a place, as in slack:#ops.`
      : await post(slack, await targetOf(slack, people, place)).then(
          () => `A test message was sent to ${place} in ${workspace} as @${name}.`,
        );
  if (missing.length > 0) throw new ChannelError(`${told} But the bot lacks ${named(missing)}`);
  return told;
}

function named(missing: string[]): string {
  const scopes = missing.map((scope) => `${scope} (${SCOPES[scope]})`).join(', ');
  return `the scopes ${scopes}: add them under OAuth & Permissions of the Slack app and install it again.`;
}

async function post({ web }: Slack, channel: string): Promise<void> {
  const text = 'This is a test of Parley: questions that wait for an answer will be told of here.';
  await web.chat.postMessage({ channel, text, blocks: [section(text), note('There is nothing to do.')] });
}
