import { Conversation } from '#contract/conversation';
import { ConversationEvent } from '#contract/events';
import * as requests from '#contract/requests';
import { ConversationExport, ConversationListResponse } from '#contract/responses';
import { ConversationTimeline } from '#contract/timeline';
import * as examples from './examples';
import {
  CONVERSATION_PROBLEMS,
  eventStream,
  jsonReply,
  type Operation,
  READ_CONVERSATIONS,
  WORKER_PROBLEMS,
  WRITE_CONVERSATIONS,
} from './operation';

const conversationReply = (description: string, ...headers: string[]) =>
  jsonReply(description, Conversation, examples.exampleWaitingConversation, headers);

export const conversationOperations = {
  startConversation: {
    method: 'post',
    path: '/v1/conversations',
    summary: 'Start a conversation',
    description:
      'Retries with the same `id` or `Idempotency-Key` return the first conversation; a different body is a 409.',
    requiredScopes: WRITE_CONVERSATIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    body: { schema: requests.StartBody, limit: '1mb', example: examples.exampleStartBody },
    responses: {
      201: {
        ...jsonReply('Started.', Conversation, examples.exampleStartedConversation, ['Location']),
        createsConversation: true,
      },
      200: conversationReply('Already started by an identical request.', 'Location'),
    },
    problems: ['unknown_agent', 'idempotency_conflict'],
  },
  listConversations: {
    method: 'get',
    path: '/v1/conversations',
    summary: 'List conversations',
    description: 'The conversations you can see: open ones first, then the most recently closed.',
    requiredScopes: READ_CONVERSATIONS,
    query: requests.ConversationListQuery,
    responses: {
      200: jsonReply('A page of results.', ConversationListResponse, examples.exampleConversationPage, [
        'X-Parley-As-Of',
      ]),
    },
  },
  getConversation: {
    method: 'get',
    path: '/v1/conversations/{id}',
    summary: 'Get a conversation',
    requiredScopes: READ_CONVERSATIONS,
    responses: { 200: conversationReply('The conversation.', 'X-Parley-As-Of') },
    problems: CONVERSATION_PROBLEMS,
  },
  getTimeline: {
    method: 'get',
    path: '/v1/conversations/{id}/timeline',
    summary: 'Get timeline',
    requiredScopes: READ_CONVERSATIONS,
    query: requests.TimelineQuery,
    responses: { 200: jsonReply('The timeline, in order.', ConversationTimeline, examples.exampleTimeline) },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS],
  },
  sendMessage: {
    method: 'post',
    path: '/v1/conversations/{id}/messages',
    summary: 'Send a message',
    description:
      'Answers the open question if that accepts free text and your key may answer; otherwise it is delivered after the ' +
      'question is closed. Never confirms an action. Resumes a finished conversation.',
    requiredScopes: WRITE_CONVERSATIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    body: { schema: requests.MessageBody, limit: '1mb', example: { text: 'And book the train, please.' } },
    responses: { 202: conversationReply('Accepted.') },
    problems: [...CONVERSATION_PROBLEMS, 'conversation_finished', 'idempotency_conflict'],
  },
  cancelConversation: {
    method: 'post',
    path: '/v1/conversations/{id}/cancel',
    summary: 'Cancel a conversation',
    requiredScopes: WRITE_CONVERSATIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    body: { schema: requests.CancelBody, isOptional: true, example: { reason: 'No longer needed' } },
    responses: { 202: conversationReply('Accepted.') },
    problems: [...CONVERSATION_PROBLEMS, 'conversation_finished', 'idempotency_conflict'],
  },
  followConversation: {
    method: 'get',
    path: '/v1/conversations/{id}/events',
    summary: 'Follow a conversation',
    description:
      'Server-sent events: `snapshot` first (without `Last-Event-ID`), then `status`, `message`, `delta`, `tool`, `todos`, ' +
      '`question_pending`, `question_answered`, and `done`, which closes the stream. `delta` and `done` have no id.',
    requiredScopes: READ_CONVERSATIONS,
    isResumable: true,
    responses: {
      200: eventStream(ConversationEvent, examples.exampleConversationStream),
      204: { description: 'The conversation is finished and there are no events after that id.' },
    },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS],
  },
  getResult: {
    method: 'get',
    path: '/v1/conversations/{id}/results/{handle}',
    summary: 'Get a full tool result',
    description:
      'For results too large for the conversation, if storage is set up. The timeline has the start and handle.',
    requiredScopes: READ_CONVERSATIONS,
    responses: {
      200: { description: "The tool's complete result.", isText: true, headers: ['Content-Disposition'] },
    },
    problems: [...CONVERSATION_PROBLEMS, 'result_not_found', 'storage_unavailable'],
  },
  exportConversation: {
    method: 'get',
    path: '/v1/conversations/{id}/export',
    summary: 'Export a conversation',
    description: 'Returns the timeline, the transcript the model reads, and the agent as one document.',
    requiredScopes: READ_CONVERSATIONS,
    responses: { 200: jsonReply('The document.', ConversationExport, undefined, ['Content-Disposition']) },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS],
  },
} as const satisfies Record<string, Operation>;
