import { submitAnswer } from '#api/services/submit-answer';
import { DEFAULT_WAIT_LIMITS, type TemporalGateway } from '#api/temporal/gateway';
import { createWorkerPresence } from '#api/temporal/worker-presence';
import type { Question } from '#contract/question';
import { answerQuestionSignal } from '#workflows/messages';

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
const unreachable = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: 'gone', metadata: {} });

it('says that an answer is kept when Temporal went away after it took it', async () => {
  const signals: unknown[] = [];
  const gateway = {
    recordAnswer: () => undefined,
    findCachedOpenQuestion: () => ({ memo: { question, start: { access }, messageResults: [] } }),
    signal: async (...args: unknown[]) => signals.push(args) > 0,
    find: () => Promise.reject(unreachable),
    workerPresence: createWorkerPresence(async () => 1, DEFAULT_WAIT_LIMITS),
  } as unknown as TemporalGateway;
  const content = { answer: 'A', via: 'http', receivedAt: 1 };
  const response = await submitAnswer(gateway, caller, { id: 'c', qid: 'question-1' }, answerQuestionSignal, content, {
    id: '1',
    digest: 'd',
    isKeyed: false,
  });
  expect(response).toMatchObject({ confirmed: false, question: { status: 'pending' } });
  expect(signals).toHaveLength(1);
});

it('shows a repeat the outcome, though what was read first is older than the verdict', async () => {
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
    recordAnswer: () => undefined,
    findCachedOpenQuestion: () => undefined,
    find: async () => ({ ...common, memo: memos.shift() ?? fresh }),
    findMessageResult: async () => result,
    workerPresence: createWorkerPresence(async () => 1, DEFAULT_WAIT_LIMITS),
  } as unknown as TemporalGateway;
  const content = { answer: 'A', via: 'http', receivedAt: 1 };
  const idempotency = { id: '1', digest: 'd', isKeyed: true };
  const response = await submitAnswer(
    gateway,
    caller,
    { id: 'c', qid: 'question-1' },
    answerQuestionSignal,
    content,
    idempotency,
  );
  expect(response).toMatchObject({
    confirmed: true,
    question: { status: 'answered', outcome: { answers: { q1: 'A' } } },
  });
});
