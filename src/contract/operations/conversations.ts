import { Conversation } from '#contract/conversation';
import { Timeline } from '#contract/entry';
import { ConversationEvent } from '#contract/event';
import * as examples from '#contract/examples';
import { Export } from '#contract/export';
import * as requests from '#contract/requests';
import { READ, WRITE } from './allowed';
import type { Operation } from './operation';
import { ConversationPage } from './replies';
import { NO_WORKER, NOT_FOUND } from './troubles';

const conversation = { schema: Conversation, example: examples.waiting };

export const conversations = {
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
        headers: ['X-Parley-As-Of'],
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
    replies: { 200: { description: 'As it stands.', headers: ['X-Parley-As-Of'], ...conversation } },
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
    takesChannel: true,
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
    takesChannel: true,
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
  getResult: {
    method: 'get',
    path: '/v1/conversations/{id}/results/{handle}',
    tag: 'Conversations',
    summary: 'Read all of a large tool result',
    description:
      'A result that was too large for the conversation, where there is a storage to keep it in: the timeline has its ' +
      'beginning, and the handle.',
    allowed: READ,
    replies: {
      200: { description: 'As the tool returned it.', isText: true, headers: ['Content-Disposition'] },
    },
    problems: [...NOT_FOUND, 'result_not_found', 'storage_unavailable'],
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
} as const satisfies Record<string, Operation>;
