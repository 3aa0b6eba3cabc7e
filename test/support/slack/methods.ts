import { MessageBlocks, Metadata, Modal } from './block-kit';

/** What is kept of a message. */
export interface Posted {
  channel: string;
  ts: string;
  user: string;
  bot_id?: string;
  text: string;
  blocks: Block[];
  metadata?: { event_type: string; event_payload: Record<string, string> };
  thread_ts?: string;
  reply_broadcast?: string;
}
export interface Block {
  type: string;
  block_id?: string;
  elements?: { action_id?: string; text: { text: string }; value?: string; [more: string]: unknown }[];
  [more: string]: unknown;
}

export interface User {
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
export interface Channel {
  id: string;
  name: string;
  isMember: boolean;
  isArchived?: boolean;
}
export interface View {
  id: string;
  private_metadata: string;
  callback_id: string;
  blocks: Input[];
}
export interface Input extends Block {
  optional?: boolean;
  element?: { type: string; options?: Option[]; [more: string]: unknown };
}
export interface Option {
  text: { text: string };
  value: string;
}

/** One workspace with what is in it. */
export interface Workspace {
  team: string;
  bot: { user: string; bot: string };
  scopes: string;
  users: User[];
  channels: Channel[];
  messages: Posted[];
  ephemerals: { channel: string; user: string; text: string; thread_ts?: string }[];
  views: View[];
  triggers: Set<string>;
}

/** Slack's way to say no. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    readonly more: object = {},
  ) {
    super(code);
  }
}

export type Args = Record<string, string>;

function takes(args: Args, ...known: string[]): void {
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Refused('invalid_arguments', { unknown });
}

function checked(
  schema: { safeParse(value: unknown): { success: boolean; error?: unknown } },
  text = 'null',
) {
  const value: unknown = JSON.parse(text);
  const { success, error } = schema.safeParse(value);
  if (!success)
    throw new Refused(schema === Metadata ? 'invalid_metadata_format' : 'invalid_blocks', {
      errors: [String(error)],
    });
  return value;
}

function channelOf({ channels, users }: Workspace, given = ''): Channel {
  const dm = users.find(({ id }) => given === id || given === `D${id.slice(1)}`);
  if (dm) return { id: `D${dm.id.slice(1)}`, name: 'directmessage', isMember: true };
  const found = channels.find(({ id, name }) => given === id || given === `#${name}`);
  if (!found) throw new Refused('channel_not_found');
  return found;
}

function writable(workspace: Workspace, given?: string): Channel {
  const channel = channelOf(workspace, given);
  if (channel.isArchived) throw new Refused('is_archived');
  const mayPost = channel.isMember || workspace.scopes.split(',').includes('chat:write.public');
  if (!mayPost) throw new Refused('not_in_channel');
  return channel;
}

/** To read takes more than to write: a scope of its own, and to be there. */
function readable(workspace: Workspace, given?: string): Channel {
  const channel = channelOf(workspace, given);
  if (given !== channel.id) throw new Refused('channel_not_found');
  const needed = channel.id.startsWith('D') ? 'im:history' : 'channels:history';
  if (!workspace.scopes.split(',').includes(needed)) throw new Refused('missing_scope', { needed });
  if (!channel.isMember) throw new Refused('not_in_channel');
  return channel;
}

let last = 0;
export function nextTs(): string {
  last += 1;
  return `${Math.floor(Date.now() / 1_000)}.${String(last).padStart(6, '0')}`;
}

const QUIET = ['parse', 'link_names'];

function content(args: Args): Pick<Posted, 'text' | 'blocks' | 'metadata'> {
  if (!args.text) throw new Refused('no_text');
  if (args.text.length > 40_000) throw new Refused('msg_too_long');
  return {
    text: args.text,
    blocks: args.blocks ? (checked(MessageBlocks, args.blocks) as Block[]) : [],
    ...(args.metadata ? { metadata: checked(Metadata, args.metadata) as Posted['metadata'] } : {}),
  };
}

/** A page of a list, found again by its cursor. */
function paged<T>(all: T[], { limit = '100', cursor = '0' }: Args) {
  const from = Number(cursor);
  const to = from + Number(limit);
  return { items: all.slice(from, to), next_cursor: to < all.length ? String(to) : '' };
}

function shown(args: Args, message: Posted): object {
  const { metadata, channel: _channel, ...rest } = message;
  const isWanted = args.include_all_metadata === 'true' || args.include_all_metadata === '1';
  return { type: 'message', ...rest, ...(metadata && isWanted ? { metadata } : {}) };
}

export const METHODS: Record<string, (workspace: Workspace, args: Args) => object> = {
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
    takes(
      args,
      ...['channel', 'text', 'blocks', 'metadata', 'thread_ts', 'reply_broadcast'],
      ...['unfurl_links', 'unfurl_media', ...QUIET],
    );
    const { id: channel } = writable(workspace, args.channel);
    const { thread_ts, reply_broadcast } = args;
    if (thread_ts && !workspace.messages.some(({ ts }) => ts === thread_ts))
      throw new Refused('thread_not_found');
    const { user, bot: bot_id } = workspace.bot;
    const message: Posted = {
      channel,
      ts: nextTs(),
      user,
      bot_id,
      ...content(args),
      ...(thread_ts ? { thread_ts, reply_broadcast } : {}),
    };
    workspace.messages.push(message);
    return { channel, ts: message.ts, message };
  },
  'chat.update': (workspace, args) => {
    takes(args, 'channel', 'ts', 'text', 'blocks', 'metadata', ...QUIET);
    const { id } = writable(workspace, args.channel);
    const message = workspace.messages.find(({ channel, ts }) => channel === id && ts === args.ts);
    if (!message || args.channel !== id) throw new Refused('message_not_found');
    if (message.bot_id !== workspace.bot.bot) throw new Refused('cant_update_message');
    Object.assign(message, content(args));
    return { channel: id, ts: message.ts, text: message.text };
  },
  'chat.postEphemeral': (workspace, args) => {
    takes(args, 'channel', 'user', 'text', 'blocks', 'thread_ts');
    const { id: channel } = writable(workspace, args.channel);
    const { user = '', thread_ts } = args;
    workspace.ephemerals.push({ channel, user, text: content(args).text, thread_ts });
    return { message_ts: nextTs() };
  },
  'conversations.list': ({ channels }, args) => {
    takes(args, 'types', 'exclude_archived', 'limit', 'cursor');
    const open = channels.filter(({ isArchived }) => !isArchived);
    const { items, next_cursor } = paged(open, args);
    return {
      channels: items.map(({ id, name, isMember }) => ({ id, name, is_member: isMember })),
      response_metadata: { next_cursor },
    };
  },
  'conversations.open': (workspace, args) => {
    takes(args, 'users');
    return { channel: { id: channelOf(workspace, args.users).id } };
  },
  'conversations.history': (workspace, args) => {
    takes(args, 'channel', 'oldest', 'include_all_metadata', 'limit', 'cursor');
    const { id } = readable(workspace, args.channel);
    const there = workspace.messages.filter(
      ({ channel, ts, thread_ts }) =>
        channel === id && !thread_ts && Number(ts) >= Number(args.oldest ?? '0'),
    );
    const { items, next_cursor } = paged(there.reverse(), args);
    return {
      messages: items.map((one) => shown(args, one)),
      has_more: next_cursor !== '',
      response_metadata: { next_cursor },
    };
  },
  'conversations.replies': (workspace, args) => {
    takes(args, 'channel', 'ts', 'include_all_metadata', 'limit', 'cursor');
    const { id } = readable(workspace, args.channel);
    const there = workspace.messages.filter(
      ({ channel, ts, thread_ts }) => channel === id && (ts === args.ts || thread_ts === args.ts),
    );
    if (there.length === 0) throw new Refused('thread_not_found');
    const { items, next_cursor } = paged(there, args);
    return {
      messages: items.map((one) => shown(args, one)),
      has_more: next_cursor !== '',
      response_metadata: { next_cursor },
    };
  },
  'views.open': (workspace, args) => {
    takes(args, 'trigger_id', 'view');
    if (!workspace.triggers.delete(args.trigger_id ?? '')) throw new Refused('expired_trigger_id');
    const view = { id: `V${nextTs()}`, ...(checked(Modal, args.view) as Omit<View, 'id'>) };
    workspace.views.push(view);
    return { view };
  },
  'users.info': ({ users }, args) => {
    takes(args, 'user');
    const user = users.find(({ id }) => id === args.user);
    if (!user) throw new Refused('user_not_found');
    return { user };
  },
  'users.lookupByEmail': ({ users }, args) => {
    takes(args, 'email');
    const user = users.find(({ profile }) => profile.email?.toLowerCase() === args.email?.toLowerCase());
    if (!user) throw new Refused('users_not_found');
    return { user };
  },
};
