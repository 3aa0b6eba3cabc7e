import type { ApiDeps } from '#api/dependencies';
import type { Question } from '#contract/question';

/** A Temporal that still shows the question, and does not say in time what became of a signal. */
export function createUnresponsiveDeps(question: Question): ApiDeps {
  const late = Object.assign(new Error('late'), { code: 4, details: 'late', metadata: {} });
  const access = { owner: null, visibleTo: [], assignees: ['maria'] };
  const run = {
    id: question.conversationId,
    status: 'RUNNING',
    memo: { question, settled: null, verdicts: [], start: { access }, conversation: { title: 'Shed' } },
  };
  const gateway = {
    tellAnswer: () => undefined,
    find: async () => run,
    recallAsking: () => run,
    signal: async () => {
      throw late;
    },
  };
  return { gateway, secret: 'secret', now: () => Date.parse(question.askedAt) } as unknown as ApiDeps;
}

export const UNSCOPED_MARIA = { name: 'maria', scopes: [] };
