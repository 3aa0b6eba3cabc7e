import { z } from 'zod';
import { type Scope, Session } from './access';
import { AgentName, AgentView } from './agent';
import { Conversation, ConversationId } from './conversation';
import { Timeline } from './entry';
import { ConversationEvent, InboxEvent } from './event';
import * as examples from './examples';
import { Export } from './export';
import type { ProblemCode } from './problem';
import { AnswerBody, DeclineBody, Question } from './question';
import * as requests from './requests';

/** A key with any one of these scopes may; `admin` always may. An empty list: any key. */
type Allowed = readonly Scope[] | 'anybody';

export interface Reply {
  description: string;
  schema?: z.ZodType;
  /** An event stream, whose events the schema describes. */
  isStream?: true;
  /** A conversation that is new: its id leads on to other operations. */
  isNew?: true;
  headers?: readonly string[];
  example?: unknown;
}

export interface Operation {
  method: 'get' | 'post' | 'delete';
  /** As OpenAPI writes it: `{id}`. */
  path: string;
  tag: 'Conversations' | 'Questions' | 'Agents' | 'Access' | 'Health';
  summary: string;
  description?: string;
  allowed: Allowed;
  query?: z.ZodObject;
  /** Takes an `Idempotency-Key`. */
  isIdempotent?: true;
  /** Takes a `Last-Event-ID`. */
  isResumable?: true;
  /** A signature does instead of a key, where the agent asks for one: the route itself looks. */
  orSigned?: true;
  body?: { schema: z.ZodType; isOptional?: true; example: unknown };
  replies: Readonly<Record<number, Reply>>;
  /** Beyond those that every operation has. */
  problems: readonly ProblemCode[];
}

/** What stands in a path. */
export const PATH_PARAMETERS = {
  id: ConversationId.describe('The id of a conversation.'),
  qid: z.string().describe('The id of a question, or `latest`: the last one asked, open or not.'),
  agent: AgentName.describe('The name of an agent.'),
  name: AgentName.describe('The name of an agent.'),
};

const READ: Allowed = ['conversations:read'];
const WRITE: Allowed = ['conversations:write'];
const ANSWER: Allowed = ['questions:answer'];
/** Whoever may answer must be able to see what is asked. */
const SEE_QUESTIONS: Allowed = ['conversations:read', 'questions:answer'];

const page = (item: z.ZodType) => z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });

export const ConversationPage = page(Conversation);
export const QuestionPage = page(Question);
export const QuestionList = z.strictObject({
  items: z.array(Question),
  truncated: z.literal(true).optional().describe('Old questions were dropped for size.'),
});
export const AgentList = z.strictObject({ items: z.array(AgentView) });
/** How a question stands after an answer. */
export const Standing = z.strictObject({
  question: Question,
  conversation: z.strictObject({ id: z.string(), status: Conversation.shape.status }),
});
export type Standing = z.infer<typeof Standing>;
export const Started = z.strictObject({ id: z.string(), links: Conversation.shape.links });
export type Started = z.infer<typeof Started>;
export const Health = z.strictObject({ status: z.enum(['ok', 'ready']) });

const conversation = { schema: Conversation, example: examples.waiting };
const NOT_FOUND = ['conversation_not_found'] as const;
const NO_WORKER = ['worker_unavailable'] as const;
const TOO_LATE = [
  'question_answered',
  'question_declined',
  'question_timed_out',
  'question_cancelled',
  'conversation_finished',
] as const;

const standing: Operation['replies'] = {
  200: {
    description: 'This is what counts.',
    schema: Standing,
    example: examples.standing,
  },
  202: {
    description: 'Durably accepted; no worker has confirmed it yet. It will be acted on.',
    schema: Standing,
  },
};

/** Every call there is. Routes, scopes, the OpenAPI document and the tests of all three follow from this table. */
export const OPERATIONS = {
  startConversation: {
    method: 'post',
    path: '/v1/conversations',
    tag: 'Conversations',
    summary: 'Start a conversation',
    description:
      'With an `id`, or an `Idempotency-Key`, a repeat returns the first; another body under the same is a conflict.',
    allowed: WRITE,
    isIdempotent: true,
    body: { schema: requests.StartBody, example: examples.start },
    replies: {
      201: {
        description: 'Started.',
        isNew: true,
        ...conversation,
        headers: ['Location'],
        example: examples.started,
      },
      200: { description: 'Started before, by the same request.', ...conversation, headers: ['Location'] },
    },
    problems: ['unknown_agent', 'idempotency_conflict'],
  },
  listConversations: {
    method: 'get',
    path: '/v1/conversations',
    tag: 'Conversations',
    summary: 'List conversations',
    description: 'Open ones first, then the latest closed. Those you may see.',
    allowed: READ,
    query: requests.ListQuery,
    replies: {
      200: {
        description: 'A page.',
        schema: ConversationPage,
        example: { items: [examples.waiting], nextCursor: null },
      },
    },
    problems: [],
  },
  getConversation: {
    method: 'get',
    path: '/v1/conversations/{id}',
    tag: 'Conversations',
    summary: 'Read a conversation',
    allowed: READ,
    replies: { 200: { description: 'As it stands.', ...conversation } },
    problems: NOT_FOUND,
  },
  getTimeline: {
    method: 'get',
    path: '/v1/conversations/{id}/timeline',
    tag: 'Conversations',
    summary: 'Read what a person would read',
    allowed: READ,
    query: requests.TimelineQuery,
    replies: { 200: { description: 'In order.', schema: Timeline, example: examples.timeline } },
    problems: [...NOT_FOUND, ...NO_WORKER],
  },
  sendMessage: {
    method: 'post',
    path: '/v1/conversations/{id}/messages',
    tag: 'Conversations',
    summary: 'Say something further',
    description:
      'While a question is open it answers it if that takes free text (and your key may answer); otherwise it waits until ' +
      'the question is settled. It never confirms an action. It takes a finished conversation up again.',
    allowed: WRITE,
    isIdempotent: true,
    body: { schema: requests.MessageBody, example: { text: 'And book the train, please.' } },
    replies: { 202: { description: 'Accepted.', ...conversation } },
    problems: [...NOT_FOUND, 'conversation_finished', 'idempotency_conflict'],
  },
  cancelConversation: {
    method: 'post',
    path: '/v1/conversations/{id}/cancel',
    tag: 'Conversations',
    summary: 'End a conversation',
    allowed: WRITE,
    isIdempotent: true,
    body: { schema: requests.CancelBody, isOptional: true, example: { reason: 'No longer needed' } },
    replies: { 202: { description: 'Accepted.', ...conversation } },
    problems: [...NOT_FOUND, 'conversation_finished', 'idempotency_conflict'],
  },
  followConversation: {
    method: 'get',
    path: '/v1/conversations/{id}/events',
    tag: 'Conversations',
    summary: 'Follow a conversation live',
    description:
      'Server-sent events: `snapshot` first (without `Last-Event-ID`), then `status`, `message`, `delta`, `tool`, `todos`, ' +
      '`question_pending`, `question_answered`, and `done`, which closes the stream. `delta` and `done` have no id.',
    allowed: READ,
    isResumable: true,
    replies: {
      200: {
        description: 'The stream.',
        isStream: true,
        schema: ConversationEvent,
        example: examples.stream,
      },
      204: { description: 'The conversation is finished, and nothing is left after that id.' },
    },
    problems: [...NOT_FOUND, ...NO_WORKER],
  },
  exportConversation: {
    method: 'get',
    path: '/v1/conversations/{id}/export',
    tag: 'Conversations',
    summary: 'Take a conversation with you',
    description: 'Everything as one document: what people read, what the model reads, and the agent.',
    allowed: READ,
    replies: {
      200: { description: 'The document.', schema: Export, headers: ['Content-Disposition'] },
    },
    problems: [...NOT_FOUND, ...NO_WORKER],
  },
  listInbox: {
    method: 'get',
    path: '/v1/questions',
    tag: 'Questions',
    summary: 'The inbox: every question that waits for somebody',
    description:
      "Soonest deadline first among the first 1,000, then in Visibility's order. Those you may see.",
    allowed: SEE_QUESTIONS,
    query: requests.InboxQuery,
    replies: {
      200: {
        description: 'A page.',
        schema: QuestionPage,
        example: { items: [examples.question], nextCursor: null },
      },
    },
    problems: [],
  },
  followInbox: {
    method: 'get',
    path: '/v1/questions/events',
    tag: 'Questions',
    summary: 'Follow the inbox live',
    description:
      'Server-sent events: `snapshot` first (`{items}`), then `question_pending` and `question_answered` (any outcome). ' +
      'They have no ids: a new stream starts with a snapshot.',
    allowed: SEE_QUESTIONS,
    query: requests.InboxEventsQuery,
    replies: {
      200: { description: 'The stream.', isStream: true, schema: InboxEvent, example: examples.inboxStream },
    },
    problems: [],
  },
  listQuestions: {
    method: 'get',
    path: '/v1/conversations/{id}/questions',
    tag: 'Questions',
    summary: 'Every question of a conversation, with its outcome',
    allowed: SEE_QUESTIONS,
    replies: {
      200: {
        description: 'In the order asked.',
        schema: QuestionList,
        example: { items: [examples.answered] },
      },
    },
    problems: [...NOT_FOUND, ...NO_WORKER],
  },
  getQuestion: {
    method: 'get',
    path: '/v1/conversations/{id}/questions/{qid}',
    tag: 'Questions',
    summary: 'Read a question',
    allowed: SEE_QUESTIONS,
    replies: { 200: { description: 'As it stands.', schema: Question, example: examples.question } },
    problems: [...NOT_FOUND, ...NO_WORKER, 'question_not_found'],
  },
  answerQuestion: {
    method: 'post',
    path: '/v1/conversations/{id}/questions/{qid}/answer',
    tag: 'Questions',
    summary: 'Answer a question',
    description:
      'The first valid answer counts. `answers` is keyed by the key or the exact text of each field; with a single field ' +
      '`answer` will do. A value is a label, a list of labels, text, a number or a boolean; "Other" is `{"other": "text"}`.',
    allowed: ANSWER,
    isIdempotent: true,
    body: { schema: AnswerBody, example: examples.answer },
    replies: standing,
    problems: [
      ...NOT_FOUND,
      ...NO_WORKER,
      ...TOO_LATE,
      'question_not_found',
      'invalid_answer',
      'idempotency_conflict',
    ],
  },
  declineQuestion: {
    method: 'post',
    path: '/v1/conversations/{id}/questions/{qid}/decline',
    tag: 'Questions',
    summary: 'Decline a question',
    description: 'The person will not answer. The agent hears so, and goes on.',
    allowed: ANSWER,
    isIdempotent: true,
    body: { schema: DeclineBody, isOptional: true, example: { reason: 'Not mine to decide' } },
    replies: standing,
    problems: [...NOT_FOUND, ...NO_WORKER, ...TOO_LATE, 'question_not_found', 'idempotency_conflict'],
  },
  listAgents: {
    method: 'get',
    path: '/v1/agents',
    tag: 'Agents',
    summary: 'What agents there are',
    allowed: [],
    replies: {
      200: { description: 'By name.', schema: AgentList, example: { items: [examples.agent] } },
    },
    problems: [],
  },
  getAgent: {
    method: 'get',
    path: '/v1/agents/{name}',
    tag: 'Agents',
    summary: 'Read an agent',
    allowed: [],
    replies: { 200: { description: 'As defined.', schema: AgentView, example: examples.agent } },
    problems: ['agent_not_found'],
  },
  callHook: {
    method: 'post',
    path: '/v1/hooks/{agent}',
    tag: 'Agents',
    summary: 'Start a conversation by webhook',
    description:
      "Any JSON. The agent's `trigger` is filled from it. Where the agent sets a secret the call is signed by Standard " +
      'Webhooks 1.0 and needs no key; otherwise it needs one. The same `webhook-id` starts one conversation only.',
    allowed: WRITE,
    orSigned: true,
    isIdempotent: true,
    body: { schema: z.unknown(), example: examples.hook },
    replies: {
      202: {
        description: 'Started.',
        isNew: true,
        schema: Started,
        example: examples.hooked,
        headers: ['Location'],
      },
    },
    problems: ['agent_not_found', 'idempotency_conflict'],
  },
  openSession: {
    method: 'post',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Swap the key for a cookie',
    description: 'For browsers: an HttpOnly, SameSite=Strict cookie that stands for the key of this request.',
    allowed: [],
    replies: {
      200: {
        description: 'Set.',
        schema: Session,
        headers: ['Set-Cookie'],
        example: examples.session,
      },
    },
    problems: [],
  },
  getSession: {
    method: 'get',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Who this key stands for, and what it may do',
    allowed: [],
    replies: { 200: { description: 'As it is.', schema: Session, example: examples.session } },
    problems: [],
  },
  closeSession: {
    method: 'delete',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Forget the cookie',
    allowed: 'anybody',
    replies: { 204: { description: 'Forgotten.', headers: ['Set-Cookie'] } },
    problems: [],
  },
  getHealth: {
    method: 'get',
    path: '/healthz',
    tag: 'Health',
    summary: 'The process is up',
    allowed: 'anybody',
    replies: { 200: { description: 'It is.', schema: Health, example: { status: 'ok' } } },
    problems: [],
  },
  getReadiness: {
    method: 'get',
    path: '/readyz',
    tag: 'Health',
    summary: 'Temporal answers',
    allowed: 'anybody',
    replies: { 200: { description: 'It does.', schema: Health, example: { status: 'ready' } } },
    problems: [],
  },
} as const satisfies Record<string, Operation>;
export type OperationId = keyof typeof OPERATIONS;
