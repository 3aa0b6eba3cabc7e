import { InboxEvent } from '#contract/events';
import { Question } from '#contract/question';
import * as requests from '#contract/requests';
import { AnswerBody, DeclineBody } from '#contract/requests';
import { AnswerLink, AnswerResponse, InboxResponse, QuestionListResponse, RevokedLinks } from '#contract/responses';
import * as examples from './examples';
import {
  ANSWER_QUESTIONS,
  CONVERSATION_PROBLEMS,
  eventStream,
  jsonReply,
  type Operation,
  VIEW_QUESTIONS,
  WORKER_PROBLEMS,
} from './operation';

const RESOLVED_PROBLEMS = [
  'question_answered',
  'question_declined',
  'question_timed_out',
  'question_cancelled',
  'conversation_finished',
] as const;

const QUESTION_PROBLEMS = [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS, 'question_not_found'] as const;
const SUBMISSION_PROBLEMS = [...QUESTION_PROBLEMS, ...RESOLVED_PROBLEMS, 'idempotency_conflict'] as const;

const answerResponses: Operation['responses'] = {
  200: jsonReply('Accepted.', AnswerResponse, examples.exampleAnswerResponse),
  202: jsonReply('Saved, but not confirmed by a worker yet. It will be processed.', AnswerResponse),
};

export const questionOperations = {
  listInbox: {
    method: 'get',
    path: '/v1/questions',
    summary: 'List open questions',
    description:
      "The open questions you can see: the first 1,000 by deadline, soonest first, then in Visibility's order.",
    requiredScopes: VIEW_QUESTIONS,
    query: requests.InboxQuery,
    responses: {
      200: jsonReply('A page of results.', InboxResponse, examples.exampleQuestionPage, ['X-Parley-As-Of']),
    },
  },
  followInbox: {
    method: 'get',
    path: '/v1/questions/events',
    summary: 'Follow the inbox',
    description:
      'Server-sent events: `snapshot` first (`{items}`), then `question_pending` and `question_answered` (any outcome). ' +
      'They have no ids: a new stream starts with a snapshot.',
    requiredScopes: VIEW_QUESTIONS,
    query: requests.InboxEventsQuery,
    responses: { 200: eventStream(InboxEvent, examples.exampleInboxStream) },
  },
  listQuestions: {
    method: 'get',
    path: '/v1/conversations/{id}/questions',
    summary: 'List questions of a conversation',
    requiredScopes: VIEW_QUESTIONS,
    responses: {
      200: jsonReply('Questions in the order asked, with outcomes.', QuestionListResponse, {
        items: [examples.exampleAnsweredQuestion],
      }),
    },
    problems: [...CONVERSATION_PROBLEMS, ...WORKER_PROBLEMS],
  },
  getQuestion: {
    method: 'get',
    path: '/v1/conversations/{id}/questions/{qid}',
    summary: 'Get a question',
    requiredScopes: VIEW_QUESTIONS,
    responses: { 200: jsonReply('The question.', Question, examples.exampleQuestion, ['X-Parley-As-Of']) },
    problems: QUESTION_PROBLEMS,
  },
  answerQuestion: {
    method: 'post',
    path: '/v1/conversations/{id}/questions/{qid}/answer',
    summary: 'Answer a question',
    description:
      'The first valid answer counts. Key `answers` by the key or exact text of each field, or pass `answer` for a single ' +
      'field. A value is a label, a list of labels, text, a number or a boolean; "Other" is `{"other": "text"}`.',
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
    summary: 'Decline a question',
    description: 'Skips the question. The agent is notified and continues without an answer.',
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
    summary: 'Create an answer link',
    description:
      'Lets a person who could not answer otherwise answer or skip this question, without an API key. The link is valid ' +
      'until the question is closed or the link is revoked. Repeated calls return the same link.',
    requiredScopes: ANSWER_QUESTIONS,
    acceptsChannelHeader: true,
    body: { schema: requests.AnswerLinkBody, example: { person: examples.exampleAnswerLink.person } },
    responses: { 201: jsonReply('The link.', AnswerLink, examples.exampleAnswerLink) },
    problems: [...QUESTION_PROBLEMS, ...RESOLVED_PROBLEMS, 'link_revoked'],
  },
  revokeLinks: {
    method: 'delete',
    path: '/v1/conversations/{id}/questions/{qid}/links',
    summary: 'Revoke answer links',
    description:
      "Revokes one person's links to this question, or all of them, including those sent by channels. Revoked links can't " +
      'be created again. People with permission to answer can still answer.',
    requiredScopes: ANSWER_QUESTIONS,
    isIdempotent: true,
    acceptsChannelHeader: true,
    query: requests.RevokeLinksQuery,
    responses: {
      200: jsonReply('Revoked.', RevokedLinks, examples.exampleRevokedLinks),
      202: jsonReply('Saved, but not processed by a worker yet. The links work until then.', RevokedLinks),
    },
    problems: SUBMISSION_PROBLEMS,
  },
} as const satisfies Record<string, Operation>;
