import { type AgentView, QuestionPolicy, serializeQuestionPolicy } from '#contract/agent';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ServerStatus } from '#contract/responses';
import type { ConversationTimeline } from '#contract/timeline';

/** The examples follow one conversation through all operations. A test validates each against its schema. */
const exampleLinks = {
  self: 'https://parley.example.com/v1/conversations/offsite',
  events: 'https://parley.example.com/v1/conversations/offsite/events',
  web: 'https://parley.example.com/conversations/offsite',
  temporal: 'https://temporal.example.com/namespaces/default/workflows/offsite',
};

export const exampleStartBody = {
  id: 'offsite',
  message: 'Plan our team offsite',
  assignees: ['maria'],
  question: { timeout: '2d', onTimeout: 'continue' },
};

export const exampleStartedConversation: Conversation = {
  id: 'offsite',
  agent: 'assistant',
  status: 'running',
  title: 'Plan our team offsite',
  createdAt: '2026-11-16T09:30:00.000Z',
  updatedAt: '2026-11-16T09:30:00.000Z',
  completedAt: null,
  question: null,
  questionsAsked: 0,
  result: null,
  error: null,
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, modelCalls: 0 },
  todos: [],
  metadata: {},
  parent: null,
  links: exampleLinks,
};

export const exampleQuestion: Question = {
  id: 'question-1',
  conversationId: 'offsite',
  agent: 'assistant',
  origin: ['assistant'],
  status: 'pending',
  context: 'The venue decides the **budget**, so this comes first.',
  fields: [
    {
      key: 'q1',
      header: 'Place',
      question: 'Where should it be?',
      options: [{ label: 'Seaside', description: 'Two hours by train' }, { label: 'City centre' }],
      multiSelect: false,
      allowOther: true,
      required: true,
    },
  ],
  askedAt: '2026-11-16T09:30:05.000Z',
  expiresAt: '2026-11-18T09:30:05.000Z',
  onTimeout: 'continue',
  notices: [],
  outcome: null,
};

export const exampleWaitingConversation: Conversation = {
  ...exampleStartedConversation,
  status: 'waiting_for_input',
  updatedAt: '2026-11-16T09:30:05.000Z',
  question: exampleQuestion,
  questionsAsked: 1,
  usage: { inputTokens: 1_204, outputTokens: 163, cachedTokens: 0, modelCalls: 1, cost: 0.004638 },
  todos: [{ content: 'Choose a place', status: 'in_progress' }],
};

export const exampleConversationPage = { items: [exampleWaitingConversation], nextCursor: null };
export const exampleQuestionPage = { items: [exampleQuestion], nextCursor: null };

export const exampleAnswerBody = { answer: 'Seaside', comment: 'Two nights at most' };

export const exampleAnsweredQuestion: Question = {
  ...exampleQuestion,
  status: 'answered',
  outcome: {
    answers: { q1: 'Seaside' },
    comment: 'Two nights at most',
    by: 'maria',
    via: 'http',
    at: '2026-11-16T11:02:41.000Z',
  },
};

export const exampleAnswerResponse = {
  question: exampleAnsweredQuestion,
  conversation: { id: 'offsite', status: 'running' },
};

export const exampleAnswerLink = {
  url: 'https://parley.example.com/a/WyJvZmZzaXRlIiwicXVlc3Rpb24tMSIsImxlZSJd.c2lnbmVkIGJ5IFBhcmxleQ',
  person: 'lee@example.com',
  expiresAt: exampleQuestion.expiresAt,
};

export const exampleRevokedLinks = {
  conversationId: 'offsite',
  questionId: 'question-1',
  person: 'lee@example.com',
};

export const exampleTimeline: ConversationTimeline = {
  items: [
    {
      id: 1,
      at: exampleStartedConversation.createdAt,
      kind: 'message',
      role: 'user',
      text: 'Plan our team offsite',
    },
    { id: 2, at: exampleQuestion.askedAt, kind: 'question', question: exampleAnsweredQuestion, settledId: 4 },
    { id: 3, at: exampleQuestion.askedAt, kind: 'status', status: 'waiting_for_input' },
  ],
};

const exampleCompletedConversation: Conversation = {
  ...exampleWaitingConversation,
  status: 'completed',
  updatedAt: '2026-11-16T11:02:58.000Z',
  completedAt: '2026-11-16T11:02:58.000Z',
  question: null,
  result: 'I have found three places by the sea.',
  usage: { inputTokens: 2_730, outputTokens: 391, cachedTokens: 1_102, modelCalls: 2, cost: 0.007662 },
  todos: [{ content: 'Choose a place', status: 'completed' }],
};

const formatExampleEvent = (event: string, data: unknown, id?: number) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

export const exampleConversationStream = [
  formatExampleEvent('snapshot', exampleWaitingConversation, 3),
  formatExampleEvent('question_answered', exampleAnsweredQuestion, 4),
  formatExampleEvent('delta', { text: 'I have found' }),
  formatExampleEvent('done', exampleCompletedConversation),
].join('');

export const exampleInboxStream =
  formatExampleEvent('snapshot', { items: [] }) + formatExampleEvent('question_pending', exampleQuestion);

export const exampleAgent: AgentView = {
  name: 'assistant',
  description: 'A generalist that asks before making decisions for you.',
  model: 'claude-sonnet-5-5',
  maxTokens: 32_000,
  tools: ['ask_user_question', 'confirm_action', 'write_todos'],
  requiresConfirmation: [],
  subagents: [],
  mcp: [],
  canAsk: true,
  questions: serializeQuestionPolicy(QuestionPolicy.parse({ remind: ['4h'], assignees: ['maria'] })),
  visibleTo: ['ops'],
  trigger: { url: 'https://parley.example.com/v1/hooks/assistant', signed: true },
};

export const exampleWebhookBody = { issue: { title: 'The lift is stuck', floor: 3 } };
export const exampleWebhookResponse = { id: 'offsite', links: exampleLinks };
export const exampleSession = { name: 'maria', scopes: ['conversations:read', 'questions:answer'] };

/** Base64 of the JSON text `"Red"`. */
export const exampleCodecBody = {
  payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'IlJlZCI=' }],
};

export const exampleServerStatus: ServerStatus = {
  version: '0.6.0',
  temporal: { reachable: true, namespace: 'default' },
  workers: 2,
  agents: 4,
  channels: { slack: true, email: false, webhook: true },
  channelLabels: { inbox: 'Inbox', log: 'Log', slack: 'Slack', email: 'Email', webhook: 'Webhook' },
  keys: true,
  publicUrl: 'https://parley.example.com',
};
