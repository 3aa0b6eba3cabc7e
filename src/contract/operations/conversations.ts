import { Conversation } from '#contract/conversation';
import { ConversationEvent } from '#contract/events';
import * as requests from '#contract/requests';
import { ConversationExport, ConversationListResponse } from '#contract/responses';
import { ConversationTimeline } from '#contract/timeline';
import * as examples from './examples';
import {
  CONVERSATION_PROBLEMS,
  type Operation,
  READ_CONVERSATIONS,
  WORKER_PROBLEMS,
  WRITE_CONVERSATIONS,
} from './operation';

const conversationResponse = { schema: Conversation, example: examples.exampleWaitingConversation };

export const conversationOperations = {
  startConversation: {
    method: 'post',
    path: '/v1/conversations',
    tag: 'Conversations',
    summary: 'Start a conversation',
    description:
      'With an `id`, or an `Idempotency-Key`, a repeat returns the first; another body under the same is a conflict.',
    requiredScopes: WRITE_CONVERSATIONS,
    isIdempotent: true,
    body: { schema: requests.StartBody, example: examples.exampleStartBody },
    responses: {
      201: {
        description: 'Started.',
        createsConversation: true,
        ...conversationResponse,
        headers: ['Location'],
        example: examples.exampleStartedConversation,
      },
      200: {
        description: 'Started before, by the same request.',
        ...conversationResponse,
        headers: ['Location'],
      },
    },
    problems: ['unknown_agent', 'idempotency_conflict'],
  },
  listConversations: {
    method: 'get',
    path: '/v1/conversations',
    tag: 'Conversations',
    summary: 'List conversations',
    description: 'Open ones first, then the latest closed. Those you may see.',
    requiredScopes: READ_CONVERSATIONS,
    query: requests.ConversationListQuery,
    responses: {
      200: {
        description: 'A page.',
        headers: ['X-Parley-As-Of'],
        schema: ConversationListResponse,
        example: { items: [examples.exampleWaitingConversation], nextCursor: null },
      },
    },
    problems: [],
  },
  getConversation: {
    method: 'get',
    path: '/v1/conversations/{id}',
    tag: 'Conversations',
    summary: 'Read a conversation',
    requiredScopes: READ_CONVERSATIONS,
    responses: { 200: { description: 'As it stands.', headers: ['X-Parley-As-Of'], ...conversationResponse } },
    problems: CONVERSATION_PROBLEMS,
  },
  getTimeline: {
    method: 'get',
    path: '/v1/conversations/{id}/timeline',
    tag: 'Conversations',
    summary: 'Read what a person would read',
    requiredScopes: READ_CONVERSATIONS,
    query: requests.TimelineQuery,
    responses: {
      200: { description: 'In order.', schema: ConversationTimeline, example: examples.exampleTimeline },
    },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS],
  },
  sendMessage: {
    method: 'post',
    path: '/v1/conversations/{id}/messages',
    tag: 'Conversations',
    summary: 'Say something further',
    description:
      'While a question is open it answers it if that takes free text (and your key may answer); otherwise it waits until ' +
      'the question is settled. It never confirms an action. It takes a finished conversation up again.',
    requiredScopes: WRITE_CONVERSATIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    body: { schema: requests.MessageBody, example: { text: 'And book the train, please.' } },
    responses: { 202: { description: 'Accepted.', ...conversationResponse } },
    problems: [...CONVERSATION_PROBLEMS, 'conversation_finished', 'idempotency_conflict'],
  },
  cancelConversation: {
    method: 'post',
    path: '/v1/conversations/{id}/cancel',
    tag: 'Conversations',
    summary: 'End a conversation',
    requiredScopes: WRITE_CONVERSATIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    body: { schema: requests.CancelBody, isOptional: true, example: { reason: 'No longer needed' } },
    responses: { 202: { description: 'Accepted.', ...conversationResponse } },
    problems: [...CONVERSATION_PROBLEMS, 'conversation_finished', 'idempotency_conflict'],
  },
  followConversation: {
    method: 'get',
    path: '/v1/conversations/{id}/events',
    tag: 'Conversations',
    summary: 'Follow a conversation live',
    description:
      'Server-sent events: `snapshot` first (without `Last-Event-ID`), then `status`, `message`, `delta`, `tool`, `todos`, ' +
      '`question_pending`, `question_answered`, and `done`, which closes the stream. `delta` and `done` have no id.',
    requiredScopes: READ_CONVERSATIONS,
    isResumable: true,
    responses: {
      200: {
        description: 'The stream.',
        isStream: true,
        schema: ConversationEvent,
        example: examples.exampleConversationStream,
      },
      204: { description: 'The conversation is finished, and nothing is left after that id.' },
    },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS],
  },
  getResult: {
    method: 'get',
    path: '/v1/conversations/{id}/results/{handle}',
    tag: 'Conversations',
    summary: 'Read all of a large tool result',
    description:
      'A result that was too large for the conversation, where there is a storage to keep it in: the timeline has its ' +
      'beginning, and the handle.',
    requiredScopes: READ_CONVERSATIONS,
    responses: {
      200: { description: 'As the tool returned it.', isText: true, headers: ['Content-Disposition'] },
    },
    problems: [...CONVERSATION_PROBLEMS, 'result_not_found', 'storage_unavailable'],
  },
  exportConversation: {
    method: 'get',
    path: '/v1/conversations/{id}/export',
    tag: 'Conversations',
    summary: 'Take a conversation with you',
    description: 'Everything as one document: what people read, what the model reads, and the agent.',
    requiredScopes: READ_CONVERSATIONS,
    responses: {
      200: { description: 'The document.', schema: ConversationExport, headers: ['Content-Disposition'] },
    },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS],
  },
} as const satisfies Record<string, Operation>;
