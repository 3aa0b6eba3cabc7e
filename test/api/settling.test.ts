import type { Gateway } from '../../src/api/gateway';
import { settle } from '../../src/api/settling';
import type { Question } from '../../src/contract/question';
import { answerQuestion } from '../../src/workflows/messages';

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
    recallAsking: () => ({ memo: { question, start: { access }, verdicts: [] } }),
    signal: async (...sent: unknown[]) => void signals.push(sent),
    find: () => Promise.reject(unreachable),
    attendance: { begin: async () => ({ met: () => undefined, missed: () => undefined }) },
  } as unknown as Gateway;
  const content = { answer: 'A', via: 'http', receivedAt: 1 };
  const told = await settle(gateway, caller, { id: 'c', qid: 'question-1' }, answerQuestion, content, {
    id: '1',
    digest: 'd',
    isKeyed: false,
  });
  expect(told).toMatchObject({ confirmed: false, question: { status: 'pending' } });
  expect(signals).toHaveLength(1);
});
