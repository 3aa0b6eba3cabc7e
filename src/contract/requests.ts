import { z } from 'zod';
import { ConversationId, ConversationStatus } from './conversation';
import { CallbackUrl, Escalation, NotifyTargets, ReminderSchedule } from './notification';
import { Audience, PersonName } from './permissions';
import { JsonObject, OnTimeout } from './question';
import { Duration } from './time';

const MessageText = z.string().regex(/\S/, 'a message must not be empty');

const MAX_METADATA_BYTES = 8 * 1024;

export const StartBody = z.strictObject({
  agent: z.string().default('assistant').describe('Its name. See GET /v1/agents.'),
  message: MessageText.describe('What is wanted, at most 100 KB.'),
  id: ConversationId.optional().describe('One of your own. Without it Parley makes one.'),
  metadata: JsonObject.refine(
    (data) => new TextEncoder().encode(JSON.stringify(data)).length <= MAX_METADATA_BYTES,
    'metadata is at most 8 KB of JSON',
  )
    .optional()
    .describe('Kept with the conversation, unread by Parley. At most 8 KB.'),
  callbackUrl: CallbackUrl.optional(),
  visibleTo: Audience.optional().describe(
    'Who may see it: names of keys, or `*` for everybody with a key. Otherwise as the agent says.',
  ),
  assignees: Audience.optional().describe('Who may see it and answer. Otherwise as the agent says.'),
  question: z
    .strictObject({
      timeout: Duration.optional(),
      onTimeout: OnTimeout.optional(),
      remind: ReminderSchedule.optional(),
      escalate: z.array(Escalation).max(10).optional(),
      notify: NotifyTargets.optional(),
    })
    .optional()
    .describe('How its questions wait, where a question does not say itself.'),
});
export type StartBody = z.infer<typeof StartBody>;

export const MessageBody = z.strictObject({
  text: MessageText,
});
export type MessageBody = z.infer<typeof MessageBody>;

export const CancelBody = z.strictObject({ reason: z.string().max(4_000).optional() });

export const AnswerLinkBody = z.strictObject({
  person: PersonName.describe(
    'Who is to answer by it: a name, or an e-mail address. They need no key, and what they answer is recorded under it.',
  ),
});

export const RevokeLinksQuery = z.strictObject({
  person: PersonName.optional().describe('Whose links are taken back. Without it, everybody’s.'),
});

const PageLimit = z
  .string()
  .regex(/^([1-9]\d?|100)$/, 'limit is a number from 1 to 100')
  .transform(Number)
  .default(20)
  .describe('How many items a page has at most, from 1 to 100.');

const PageCursor = z.string().optional().describe('`nextCursor` of the page before, with the same filters.');

const pageFields = { limit: PageLimit, cursor: PageCursor };

/** Used in a Visibility query, so it must not contain quotes. */
const AgentFilter = z.string().regex(/^[A-Za-z0-9._-]{1,128}$/, 'not an agent name');

const SEARCH_DESCRIPTION =
  'Words that are all in its id, title, agent or result (as far as lists show it), in any case. It is looked for among at ' +
  'most 20 pages of `limit`, up to the first that has one: a page may be short, or empty, although more follow. Go on by ' +
  '`nextCursor` until that is null.';

export const ConversationListQuery = z.strictObject({
  status: ConversationStatus.optional(),
  agent: AgentFilter.optional(),
  search: z.string().max(200).optional().describe(SEARCH_DESCRIPTION),
  counts: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .default(false)
    .describe('Whether to count them by status, too, whatever `status` and `search` say.'),
  ...pageFields,
});
export type ConversationListQuery = z.infer<typeof ConversationListQuery>;

export const InboxQuery = z.strictObject({
  status: z.literal('pending').default('pending'),
  agent: AgentFilter.optional(),
  conversation: ConversationId.optional().describe('One conversation, with the sub-agents that work for it.'),
  ...pageFields,
});
export type InboxQuery = z.infer<typeof InboxQuery>;

export const TimelineQuery = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'after is the id of an entry, a whole number')
    .transform(Number)
    .default(0)
    .describe('Only what came after the entry with this id.'),
});

/** The `X-Parley-Channel` header. */
export const ClientChannel = z
  .enum(['web', 'terminal'], { error: 'X-Parley-Channel must be one of: web, terminal; or leave it out' })
  .describe(
    'What the caller is, recorded as `outcome.via` in place of `http`. Its own word: it gives no right to anything.',
  );
export type ClientChannel = z.infer<typeof ClientChannel>;

/** The `Last-Event-ID` header of a stream: the id of an entry. */
export const LastEventId = z
  .string()
  .regex(/^\d{1,15}$/, 'Last-Event-ID is the id of an event of this stream, a whole number')
  .transform(Number);

export const InboxEventsQuery = InboxQuery.pick({ agent: true, conversation: true });
export type InboxEventsQuery = z.infer<typeof InboxEventsQuery>;

const Base64Bytes = z.base64('must be base64');

/** A payload in Temporal's JSON format. Other fields are preserved. */
export const CodecPayload = z.looseObject({
  metadata: z.record(z.string(), Base64Bytes).optional(),
  data: Base64Bytes.optional(),
});
export type CodecPayload = z.infer<typeof CodecPayload>;

/** Request and response of a remote codec, for Temporal's own tools. */
export const CodecBody = z.object({
  // Temporal omits an empty list.
  payloads: z.array(CodecPayload).max(10_000).default([]),
});
export type CodecBody = z.infer<typeof CodecBody>;

/** An answer. Its values are validated against the question, so that each error can list the allowed values. */
export const AnswerBody = z.strictObject({
  answers: z
    .unknown()
    .optional()
    .meta({ type: 'object', description: 'A value for each field, by its key or its exact text.' }),
  answer: z.unknown().optional().describe('With a single field: its value.'),
  comment: z.string().optional().describe('Anything to add, for the agent to read.'),
});
export type AnswerBody = z.infer<typeof AnswerBody>;

export const DeclineBody = z.strictObject({ reason: z.string().max(4_000).optional() });
export type DeclineBody = z.infer<typeof DeclineBody>;
