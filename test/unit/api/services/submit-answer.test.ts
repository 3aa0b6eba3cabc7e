import { submitAnswer } from '#api/services/submit-answer';
import { DEFAULT_WAIT_LIMITS, type TemporalGateway } from '#api/temporal/gateway';
import { createPollBackoff } from '#api/temporal/poll-backoff';
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
    tellAnswer: () => undefined,
    recallAsking: () => ({ memo: { question, start: { access }, verdicts: [] } }),
    signal: async (...sent: unknown[]) => signals.push(sent) > 0,
    find: () => Promise.reject(unreachable),
    pace: createPollBackoff(),
    patience: DEFAULT_WAIT_LIMITS,
    attendance: { begin: async () => ({ met: () => undefined, missed: () => undefined }) },
  } as unknown as TemporalGateway;
  const content = { answer: 'A', via: 'http', receivedAt: 1 };
  const told = await submitAnswer(gateway, caller, { id: 'c', qid: 'question-1' }, answerQuestionSignal, content, {
    id: '1',
    digest: 'd',
    isKeyed: false,
  });
  expect(told).toMatchObject({ confirmed: false, question: { status: 'pending' } });
  expect(signals).toHaveLength(1);
});

it('shows a repeat the outcome, though what was read first is older than the verdict', async () => {
  const settled = { ...question, status: 'answered', outcome: { answers: { q1: 'A' }, at: '2026-01-01' } };
  const verdict = { id: '1', on: 'question-1', status: 'answered', digest: 'd' };
  const conversation = { status: 'running', questionsAsked: 1 };
  const common = { id: 'c', status: 'RUNNING' };
  const stale = {
    conversation,
    question,
    settled: null,
    start: { access },
    verdicts: Array(16).fill({ id: '0' }),
  };
  const fresh = { ...stale, question: null, settled, verdicts: [verdict] };
  const memos = [stale, fresh];
  const gateway = {
    tellAnswer: () => undefined,
    recallAsking: () => undefined,
    find: async () => ({ ...common, memo: memos.shift() ?? fresh }),
    verdict: async () => verdict,
    pace: createPollBackoff(),
    patience: DEFAULT_WAIT_LIMITS,
    attendance: { begin: async () => ({ met: () => undefined, missed: () => undefined }) },
  } as unknown as TemporalGateway;
  const content = { answer: 'A', via: 'http', receivedAt: 1 };
  const once = { id: '1', digest: 'd', isKeyed: true };
  const told = await submitAnswer(gateway, caller, { id: 'c', qid: 'question-1' }, answerQuestionSignal, content, once);
  expect(told).toMatchObject({
    confirmed: true,
    question: { status: 'answered', outcome: { answers: { q1: 'A' } } },
  });
});
