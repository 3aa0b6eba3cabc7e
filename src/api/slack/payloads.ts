import { z } from 'zod';

const User = z.object({
  id: z.string(),
  username: z.string().optional(),
  name: z.string().optional(),
  team_id: z.string().nullish(),
});
const Team = z.object({ id: z.string() }).nullish();

/** Somebody clicked a button of a message. As much of it as is read; Slack sends more. */
export const Click = z.object({
  type: z.literal('block_actions'),
  user: User,
  team: Team,
  channel: z.object({ id: z.string() }).optional(),
  container: z.object({ channel_id: z.string().optional(), message_ts: z.string().optional() }).optional(),
  response_url: z.string().optional(),
  trigger_id: z.string().optional(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).min(1),
});
export type Click = z.infer<typeof Click>;

const Chosen = z.object({ value: z.string().optional() });
const Filled = z.object({
  type: z.string().optional(),
  value: z.string().nullish(),
  selected_option: Chosen.nullish(),
  selected_options: z.array(Chosen).nullish(),
  selected_date: z.string().nullish(),
  selected_date_time: z.number().nullish(),
});

/** Somebody sent a form. */
export const Submission = z.object({
  type: z.literal('view_submission'),
  user: User,
  team: Team,
  view: z.object({
    callback_id: z.string().optional(),
    private_metadata: z.string().default(''),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), Filled)) }),
  }),
});
export type Submission = z.infer<typeof Submission>;

/** Somebody wrote something where the bot can read it. */
export const Message = z.object({
  type: z.literal('message'),
  subtype: z.string().optional(),
  channel: z.string(),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  text: z.string().default(''),
  ts: z.string(),
  thread_ts: z.string().optional(),
  parent_user_id: z.string().optional(),
  team: z.string().optional(),
  user_team: z.string().optional(),
});
export type Message = z.infer<typeof Message>;

export const Envelope = z.discriminatedUnion('type', [
  z.object({ type: z.literal('url_verification'), challenge: z.string() }),
  z.object({
    type: z.literal('event_callback'),
    team_id: z.string().optional(),
    event_id: z.string().optional(),
    event: z.unknown(),
  }),
]);
export type Envelope = z.infer<typeof Envelope>;

export type Interaction = Click | Submission;

/** What is of no use to us is undefined: Slack sends what nobody asked for, too. */
export function readInteraction(body: string): Interaction | undefined {
  const payload = jsonOf(new URLSearchParams(body).get('payload') ?? '');
  const read = z.discriminatedUnion('type', [Click, Submission]).safeParse(payload);
  return read.success ? read.data : undefined;
}

export function readEnvelope(body: string): Envelope | undefined {
  return Envelope.safeParse(jsonOf(body)).data;
}

export function readMessage(event: unknown): Message | undefined {
  return Message.safeParse(event).data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
