import { type AnswerSubmission, submitAnswer } from '#api/services/submit-answer';
import { DEFAULT_WAIT_LIMITS, type TemporalGateway } from '#api/temporal/gateway';
import { createWorkerPresence } from '#api/temporal/worker-presence';
import type { Question } from '#contract/question';
import { OutcomeUnknownError } from '#infra/temporal/sent-writes';
import type { Metrics } from '#telemetry/telemetry';

const question = {
  id: 'question-1',
  conversationId: 'c',
  status: 'pending',
  fields: [
    {
      key: 'q1',
      question: 'Which?',
      options: [{ label: 'A' }],
      required: true,
      multiSelect: false,
      allowOther: false,
    },
  ],
  expiresAt: null,
} as unknown as Question;

const access = { owner: null, visibleTo: [], assignees: [] };
const caller = { name: null, scopes: ['admin' as const] };
const submission: AnswerSubmission = {
  kind: 'answer',
  conversationId: 'c',
  questionId: 'question-1',
  content: { answer: 'A', via: 'http', receivedAt: 1 },
  idempotency: { id: '1', digest: 'd', isKeyed: false },
};
const metrics = { http: { recordAnswer: () => undefined } } as unknown as Metrics;
const unreachable = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: 'gone', metadata: {} });

it('an answer that Temporal accepted before its outage is reported as saved', async () => {
  const signals: unknown[] = [];
  const gateway = {
    findCachedOpenQuestion: () => ({ memo: { question, start: { access }, messageResults: [] } }),
    signal: async (...args: unknown[]) => signals.push(args) > 0,
    find: () => Promise.reject(unreachable),
    workerPresence: createWorkerPresence(async () => 1, DEFAULT_WAIT_LIMITS),
  } as unknown as TemporalGateway;
  const response = await submitAnswer({ gateway, metrics }, caller, submission);
  expect(response).toMatchObject({ status: 'queued', question: { status: 'pending' } });
  expect(signals).toHaveLength(1);
});

it('a repeat gets the outcome, even if an older state was read first', async () => {
  const resolved = { ...question, status: 'answered', outcome: { answers: { q1: 'A' }, at: '2026-01-01' } };
  const result = { id: '1', questionId: 'question-1', status: 'answered', digest: 'd' };
  const conversation = { status: 'running', questionsAsked: 1 };
  const common = { id: 'c', status: 'RUNNING' };
  const stale = {
    conversation,
    question,
    settledQuestion: null,
    start: { access },
    messageResults: Array(16).fill({ id: '0' }),
  };
  const fresh = { ...stale, question: null, settledQuestion: resolved, messageResults: [result] };
  const memos = [stale, fresh];
  const gateway = {
    findCachedOpenQuestion: () => undefined,
    find: async () => ({ ...common, memo: memos.shift() ?? fresh }),
    findMessageResult: async () => result,
    workerPresence: createWorkerPresence(async () => 1, DEFAULT_WAIT_LIMITS),
  } as unknown as TemporalGateway;
  const idempotency = { ...submission.idempotency, isKeyed: true };
  const response = await submitAnswer({ gateway, metrics }, caller, { ...submission, idempotency });
  expect(response).toMatchObject({
    status: 'accepted',
    question: { status: 'answered', outcome: { answers: { q1: 'A' } } },
  });
});

describe("the result of an answer is a value whose code is the metric's label", () => {
  const run = {
    id: 'c',
    status: 'RUNNING',
    memo: {
      conversation: { questionsAsked: 1 },
      question,
      settledQuestion: null,
      start: { access },
      messageResults: [],
    },
  };
  const settled = { ...question, status: 'answered', outcome: { by: 'maria', at: '2026-01-01' } };
  const stranger = { name: 'max', scopes: [] };
  const reader = { owner: 'maria', visibleTo: ['max'], assignees: [] };
  const late = new OutcomeUnknownError('write');
  const withMemo = (memo: object) => async () => ({ ...run, memo: { ...run.memo, ...memo } });
  const keyed = { id: '1', digest: 'other', isKeyed: true };
  const earlier = { id: '1', questionId: 'question-1', status: 'answered', digest: 'd' };
  const cases: [status: string, code: string, gateway: object, change?: Partial<AnswerSubmission>, by?: object][] = [
    ['conversationNotFound', 'conversation_not_found', { find: async () => undefined }],
    ['conversationNotFound', 'conversation_not_found', {}, {}, stranger],
    ['forbidden', 'forbidden', { find: withMemo({ start: { access: reader } }) }, {}, stranger],
    ['questionNotFound', 'question_not_found', {}, { questionId: 'question-7' }],
    ['invalid', 'invalid_answer', {}, { content: { answer: 'B', via: 'http', receivedAt: 1 } }],
    ['alreadyResolved', 'question_answered', { find: withMemo({ question: null, settledQuestion: settled }) }],
    [
      'idempotencyConflict',
      'idempotency_conflict',
      { find: withMemo({ messageResults: [earlier] }) },
      { idempotency: keyed },
    ],
    [
      'outcomeUnknown',
      'outcome_unknown',
      {
        find: withMemo({
          question: null,
          settledQuestion: settled,
          messageResults: Array(16).fill({ id: '0', questionId: 'question-9' }),
        }),
        findMessageResult: async () => undefined,
      },
      { idempotency: keyed },
    ],
    [
      'undecided',
      'outcome_unknown',
      { find: withMemo({ question: { ...question, expiresAt: '1970-01-01T00:00:00Z' } }) },
    ],
    ['outcomeUnknown', 'outcome_unknown', { signal: () => Promise.reject(late) }],
    ['unavailable', 'temporal_unavailable', { find: () => Promise.reject(unreachable) }],
  ];

  it.each(cases)('%s, as %s', async (status, code, overrides, change = {}, by = caller) => {
    const replies: string[] = [];
    const gateway = {
      findCachedOpenQuestion: () => undefined,
      find: async () => run,
      workerPresence: { poll: async () => undefined },
      ...overrides,
    } as unknown as TemporalGateway;
    const recording = {
      http: { recordAnswer: ({ reply }: { reply: string }) => replies.push(reply) },
    } as unknown as Metrics;
    const deps = { gateway, metrics: recording };
    const result = await submitAnswer(deps, by as typeof caller, { ...submission, ...change });
    expect(result).toMatchObject({ status, code, detail: expect.stringMatching(/\w/) });
    expect(replies).toEqual([code]);
  });
});
