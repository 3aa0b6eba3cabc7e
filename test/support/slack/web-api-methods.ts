import { SlackBlocksSchema, SlackMetadataSchema, SlackModalSchema } from './block-kit';

/** A stored message. */
export interface FakeSlackMessage {
  channel: string;
  ts: string;
  user: string;
  bot_id?: string;
  text: string;
  blocks: FakeSlackBlock[];
  metadata?: { event_type: string; event_payload: Record<string, string> };
  thread_ts?: string;
  reply_broadcast?: string;
}
export interface FakeSlackBlock {
  type: string;
  block_id?: string;
  elements?: { action_id?: string; text: { text: string }; value?: string; [more: string]: unknown }[];
  [more: string]: unknown;
}

export interface FakeSlackUser {
  id: string;
  name: string;
  team_id: string;
  deleted?: boolean;
  is_bot?: boolean;
  is_restricted?: boolean;
  is_stranger?: boolean;
  is_email_confirmed?: boolean;
  profile: { email?: string };
}
export interface FakeSlackChannel {
  id: string;
  name: string;
  isMember: boolean;
  isArchived?: boolean;
}
export interface FakeSlackView {
  id: string;
  private_metadata: string;
  callback_id: string;
  blocks: FakeSlackInput[];
}
export interface FakeSlackInput extends FakeSlackBlock {
  optional?: boolean;
  element?: { type: string; options?: FakeSlackOption[]; [more: string]: unknown };
}
export interface FakeSlackOption {
  text: { text: string };
  value: string;
}

/** A workspace and its content. */
export interface FakeSlackWorkspace {
  team: string;
  bot: { user: string; bot: string };
  scopes: string;
  users: FakeSlackUser[];
  channels: FakeSlackChannel[];
  messages: FakeSlackMessage[];
  ephemerals: { channel: string; user: string; text: string; thread_ts?: string }[];
  views: FakeSlackView[];
  triggers: Set<string>;
}

/** An error reply of Slack. */
export class SlackApiError extends Error {
  constructor(
    readonly code: string,
    readonly more: object = {},
  ) {
    super(code);
  }
}

export type SlackApiArguments = Record<string, string>;

function rejectUnknownArguments(args: SlackApiArguments, ...known: string[]): void {
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new SlackApiError('invalid_arguments', { unknown });
}

function parseWithSchema(schema: { safeParse(value: unknown): { success: boolean; error?: unknown } }, text = 'null') {
  const value: unknown = JSON.parse(text);
  const { success, error } = schema.safeParse(value);
  if (!success)
    throw new SlackApiError(schema === SlackMetadataSchema ? 'invalid_metadata_format' : 'invalid_blocks', {
      errors: [String(error)],
    });
  return value;
}

function findChannel({ channels, users }: FakeSlackWorkspace, idOrName = ''): FakeSlackChannel {
  const dm = users.find(({ id }) => idOrName === id || idOrName === `D${id.slice(1)}`);
  if (dm) return { id: `D${dm.id.slice(1)}`, name: 'directmessage', isMember: true };
  const found = channels.find(({ id, name }) => idOrName === id || idOrName === `#${name}`);
  if (!found) throw new SlackApiError('channel_not_found');
  return found;
}

function findWritableChannel(workspace: FakeSlackWorkspace, idOrName?: string): FakeSlackChannel {
  const channel = findChannel(workspace, idOrName);
  if (channel.isArchived) throw new SlackApiError('is_archived');
  const mayPost = channel.isMember || workspace.scopes.split(',').includes('chat:write.public');
  if (!mayPost) throw new SlackApiError('not_in_channel');
  return channel;
}

/** Finds a channel to read from, which requires a scope and membership, unlike writing. */
function findReadableChannel(workspace: FakeSlackWorkspace, channelId?: string): FakeSlackChannel {
  const channel = findChannel(workspace, channelId);
  if (channelId !== channel.id) throw new SlackApiError('channel_not_found');
  const needed = channel.id.startsWith('D') ? 'im:history' : 'channels:history';
  if (!workspace.scopes.split(',').includes(needed)) throw new SlackApiError('missing_scope', { needed });
  if (!channel.isMember) throw new SlackApiError('not_in_channel');
  return channel;
}

let lastTimestamp = 0;
export function nextSlackTimestamp(): string {
  lastTimestamp += 1;
  return `${Math.floor(Date.now() / 1_000)}.${String(lastTimestamp).padStart(6, '0')}`;
}

const FORMATTING_ARGUMENTS = ['parse', 'link_names'];

function readMessageContent(args: SlackApiArguments): Pick<FakeSlackMessage, 'text' | 'blocks' | 'metadata'> {
  if (!args.text) throw new SlackApiError('no_text');
  if (args.text.length > 40_000) throw new SlackApiError('msg_too_long');
  return {
    text: args.text,
    blocks: args.blocks ? (parseWithSchema(SlackBlocksSchema, args.blocks) as FakeSlackBlock[]) : [],
    ...(args.metadata
      ? { metadata: parseWithSchema(SlackMetadataSchema, args.metadata) as FakeSlackMessage['metadata'] }
      : {}),
  };
}

/** Returns a page of a list, by its cursor. */
function paginate<T>(all: T[], { limit = '100', cursor = '0' }: SlackApiArguments) {
  const from = Number(cursor);
  const to = from + Number(limit);
  return { items: all.slice(from, to), next_cursor: to < all.length ? String(to) : '' };
}

function toApiMessage(args: SlackApiArguments, message: FakeSlackMessage): object {
  const { metadata, channel: _channel, ...rest } = message;
  const isWanted = args.include_all_metadata === 'true' || args.include_all_metadata === '1';
  return { type: 'message', ...rest, ...(metadata && isWanted ? { metadata } : {}) };
}

export const SLACK_API_METHODS: Record<string, (workspace: FakeSlackWorkspace, args: SlackApiArguments) => object> = {
  'auth.test': ({ team, bot }) => ({
    url: 'https://example.slack.com/',
    team: 'Example',
    user: 'parley',
    team_id: team,
    user_id: bot.user,
    bot_id: bot.bot,
    is_enterprise_install: false,
  }),
  'chat.postMessage': (workspace, args) => {
    rejectUnknownArguments(
      args,
      ...['channel', 'text', 'blocks', 'metadata', 'thread_ts', 'reply_broadcast'],
      ...['unfurl_links', 'unfurl_media', ...FORMATTING_ARGUMENTS],
    );
    const { id: channel } = findWritableChannel(workspace, args.channel);
    const { thread_ts, reply_broadcast } = args;
    if (thread_ts && !workspace.messages.some(({ ts }) => ts === thread_ts))
      throw new SlackApiError('thread_not_found');
    const { user, bot: bot_id } = workspace.bot;
    const message: FakeSlackMessage = {
      channel,
      ts: nextSlackTimestamp(),
      user,
      bot_id,
      ...readMessageContent(args),
      ...(thread_ts ? { thread_ts, reply_broadcast } : {}),
    };
    workspace.messages.push(message);
    return { channel, ts: message.ts, message };
  },
  'chat.update': (workspace, args) => {
    rejectUnknownArguments(args, 'channel', 'ts', 'text', 'blocks', 'metadata', ...FORMATTING_ARGUMENTS);
    const { id } = findWritableChannel(workspace, args.channel);
    const message = workspace.messages.find(({ channel, ts }) => channel === id && ts === args.ts);
    if (!message || args.channel !== id) throw new SlackApiError('message_not_found');
    if (message.bot_id !== workspace.bot.bot) throw new SlackApiError('cant_update_message');
    Object.assign(message, readMessageContent(args));
    return { channel: id, ts: message.ts, text: message.text };
  },
  'chat.postEphemeral': (workspace, args) => {
    rejectUnknownArguments(args, 'channel', 'user', 'text', 'blocks', 'thread_ts');
    const { id: channel } = findWritableChannel(workspace, args.channel);
    const { user = '', thread_ts } = args;
    workspace.ephemerals.push({ channel, user, text: readMessageContent(args).text, thread_ts });
    return { message_ts: nextSlackTimestamp() };
  },
  'conversations.list': ({ channels }, args) => {
    rejectUnknownArguments(args, 'types', 'exclude_archived', 'limit', 'cursor');
    const open = channels.filter(({ isArchived }) => !isArchived);
    const { items, next_cursor } = paginate(open, args);
    return {
      channels: items.map(({ id, name, isMember }) => ({ id, name, is_member: isMember })),
      response_metadata: { next_cursor },
    };
  },
  'conversations.open': (workspace, args) => {
    rejectUnknownArguments(args, 'users');
    return { channel: { id: findChannel(workspace, args.users).id } };
  },
  'conversations.history': (workspace, args) => {
    rejectUnknownArguments(args, 'channel', 'oldest', 'include_all_metadata', 'limit', 'cursor');
    const { id } = findReadableChannel(workspace, args.channel);
    const there = workspace.messages.filter(
      ({ channel, ts, thread_ts }) => channel === id && !thread_ts && Number(ts) >= Number(args.oldest ?? '0'),
    );
    const { items, next_cursor } = paginate(there.reverse(), args);
    return {
      messages: items.map((one) => toApiMessage(args, one)),
      has_more: next_cursor !== '',
      response_metadata: { next_cursor },
    };
  },
  'conversations.replies': (workspace, args) => {
    rejectUnknownArguments(args, 'channel', 'ts', 'include_all_metadata', 'limit', 'cursor');
    const { id } = findReadableChannel(workspace, args.channel);
    const there = workspace.messages.filter(
      ({ channel, ts, thread_ts }) => channel === id && (ts === args.ts || thread_ts === args.ts),
    );
    if (there.length === 0) throw new SlackApiError('thread_not_found');
    const { items, next_cursor } = paginate(there, args);
    return {
      messages: items.map((one) => toApiMessage(args, one)),
      has_more: next_cursor !== '',
      response_metadata: { next_cursor },
    };
  },
  'views.open': (workspace, args) => {
    rejectUnknownArguments(args, 'trigger_id', 'view');
    if (!workspace.triggers.delete(args.trigger_id ?? '')) throw new SlackApiError('expired_trigger_id');
    const view = {
      id: `V${nextSlackTimestamp()}`,
      ...(parseWithSchema(SlackModalSchema, args.view) as Omit<FakeSlackView, 'id'>),
    };
    workspace.views.push(view);
    return { view };
  },
  'users.info': ({ users }, args) => {
    rejectUnknownArguments(args, 'user');
    const user = users.find(({ id }) => id === args.user);
    if (!user) throw new SlackApiError('user_not_found');
    return { user };
  },
  'users.lookupByEmail': ({ users }, args) => {
    rejectUnknownArguments(args, 'email');
    const user = users.find(({ profile }) => profile.email?.toLowerCase() === args.email?.toLowerCase());
    if (!user) throw new SlackApiError('users_not_found');
    return { user };
  },
};
