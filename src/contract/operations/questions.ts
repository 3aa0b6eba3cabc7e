import { InboxEvent } from '#contract/events';
import { Question } from '#contract/question';
import * as requests from '#contract/requests';
import { AnswerBody, DeclineBody } from '#contract/requests';
import { AnswerLink, AnswerResponse, InboxResponse, QuestionListResponse, RevokedLinks } from '#contract/responses';
import * as examples from './examples';
import { ANSWER_QUESTIONS, CONVERSATION_PROBLEMS, type Operation, VIEW_QUESTIONS, WORKER_PROBLEMS } from './operation';

const RESOLVED_PROBLEMS = [
  'question_answered',
  'question_declined',
  'question_timed_out',
  'question_cancelled',
  'conversation_finished',
] as const;

const SUBMISSION_PROBLEMS: Operation['problems'] = [
  ...CONVERSATION_PROBLEMS,
  ...WORKER_PROBLEMS,
  ...RESOLVED_PROBLEMS,
  'question_not_found',
  'idempotency_conflict',
];

const answerResponses: Operation['responses'] = {
  200: {
    description: 'This is what counts.',
    schema: AnswerResponse,
    example: examples.exampleAnswerResponse,
  },
  202: {
    description: 'Durably accepted; no worker has confirmed it yet. It will be acted on.',
    schema: AnswerResponse,
  },
};

export const questionOperations = {
  listInbox: {
    method: 'get',
    path: '/v1/questions',
    tag: 'Questions',
    summary: 'The inbox: every question that waits for somebody',
    description: "Soonest deadline first among the first 1,000, then in Visibility's order. Those you may see.",
    requiredScopes: VIEW_QUESTIONS,
    query: requests.InboxQuery,
    responses: {
      200: {
        description: 'A page.',
        headers: ['X-Parley-As-Of'],
        schema: InboxResponse,
        example: { items: [examples.exampleQuestion], nextCursor: null },
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
    requiredScopes: VIEW_QUESTIONS,
    query: requests.InboxEventsQuery,
    responses: {
      200: {
        description: 'The stream.',
        isStream: true,
        schema: InboxEvent,
        example: examples.exampleInboxStream,
      },
    },
    problems: [],
  },
  listQuestions: {
    method: 'get',
    path: '/v1/conversations/{id}/questions',
    tag: 'Questions',
    summary: 'Every question of a conversation, with its outcome',
    requiredScopes: VIEW_QUESTIONS,
    responses: {
      200: {
        description: 'In the order asked.',
        schema: QuestionListResponse,
        example: { items: [examples.exampleAnsweredQuestion] },
      },
    },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS],
  },
  getQuestion: {
    method: 'get',
    path: '/v1/conversations/{id}/questions/{qid}',
    tag: 'Questions',
    summary: 'Read a question',
    requiredScopes: VIEW_QUESTIONS,
    responses: {
      200: {
        description: 'As it stands.',
        headers: ['X-Parley-As-Of'],
        schema: Question,
        example: examples.exampleQuestion,
      },
    },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS, 'question_not_found'],
  },
  answerQuestion: {
    method: 'post',
    path: '/v1/conversations/{id}/questions/{qid}/answer',
    tag: 'Questions',
    summary: 'Answer a question',
    description:
      'The first valid answer counts. `answers` is keyed by the key or the exact text of each field; with a single field ' +
      '`answer` will do. A value is a label, a list of labels, text, a number or a boolean; "Other" is `{"other": "text"}`.',
    requiredScopes: ANSWER_QUESTIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    body: { schema: AnswerBody, example: examples.exampleAnswerBody },
    responses: answerResponses,
    problems: [...SUBMISSION_PROBLEMS, 'invalid_answer'],
  },
  declineQuestion: {
    method: 'post',
    path: '/v1/conversations/{id}/questions/{qid}/decline',
    tag: 'Questions',
    summary: 'Decline a question',
    description: 'The person will not answer. The agent hears so, and goes on.',
    requiredScopes: ANSWER_QUESTIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    body: { schema: DeclineBody, isOptional: true, example: { reason: 'Not mine to decide' } },
    responses: answerResponses,
    problems: SUBMISSION_PROBLEMS,
  },
  createLink: {
    method: 'post',
    path: '/v1/conversations/{id}/questions/{qid}/links',
    tag: 'Questions',
    summary: 'Let somebody answer by a link',
    description:
      'Makes a link to a page on which that person can answer this one question, or decline it, with no key: for somebody ' +
      'who may not answer otherwise. It is good until the question is settled, or the link is taken back. Asked again, it ' +
      'is the same link.',
    requiredScopes: ANSWER_QUESTIONS,
    body: { schema: requests.AnswerLinkBody, example: { person: examples.exampleAnswerLink.person } },
    responses: { 201: { description: 'The link.', schema: AnswerLink, example: examples.exampleAnswerLink } },
    problems: [
      ...CONVERSATION_PROBLEMS,
      ...WORKER_PROBLEMS,
      ...RESOLVED_PROBLEMS,
      'question_not_found',
      'link_revoked',
    ],
  },
  revokeLinks: {
    method: 'delete',
    path: '/v1/conversations/{id}/questions/{qid}/links',
    tag: 'Questions',
    summary: 'Take links to a question back',
    description:
      'Those of one person or everybody’s, whoever gave them out, by whatever way they went. They cannot be given out anew ' +
      'for this question. Whoever may answer otherwise still may.',
    requiredScopes: ANSWER_QUESTIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    query: requests.RevokeLinksQuery,
    responses: {
      200: {
        description: 'They no longer work.',
        schema: RevokedLinks,
        example: examples.exampleRevokedLinks,
      },
      202: {
        description: 'Durably accepted; no worker has acted on it yet, and until one does they still work.',
        schema: RevokedLinks,
      },
    },
    problems: SUBMISSION_PROBLEMS,
  },
} as const satisfies Record<string, Operation>;
