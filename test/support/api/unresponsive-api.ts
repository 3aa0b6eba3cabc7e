import type { ApiDeps } from '#api/dependencies';
import type { Question } from '#contract/question';
import { OutcomeUnknownError } from '#infra/temporal/sent-writes';

/** Creates dependencies with a Temporal that returns the question, but accepts signals without a reply. */
export function createUnresponsiveDeps(question: Question): ApiDeps {
  const access = { owner: null, visibleTo: [], assignees: ['maria'] };
  const run = {
    id: question.conversationId,
    status: 'RUNNING',
    memo: { question, settledQuestion: null, messageResults: [], start: { access }, conversation: { title: 'Shed' } },
  };
  const gateway = {
    find: async () => run,
    findCachedOpenQuestion: () => run,
    signal: async () => {
      throw new OutcomeUnknownError('sent');
    },
  };
  return {
    gateway,
    metrics: { http: { recordAnswer: () => undefined } },
    secret: 'secret',
    now: () => Date.parse(question.askedAt),
    principalFor: () => UNSCOPED_MARIA,
    channelSettings: { people: [] },
  } as unknown as ApiDeps;
}

export const UNSCOPED_MARIA = { name: 'maria', scopes: [] };
