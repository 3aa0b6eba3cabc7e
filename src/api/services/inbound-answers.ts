import type { ApiDeps } from '#api/dependencies';
import { findActionable } from '#api/middleware/authorization';
import type { InboundDeps } from '#channels/inbound';
import { isLinkRevoked } from './answer-links';
import { idempotencyFrom } from './idempotency';
import { readQuestion } from './read-conversation';
import { questionNotFound, toUnavailability } from './refusals';
import { submitAnswer } from './submit-answer';

/** What the API offers to the inbound side of every channel. */
export function createInboundDeps(deps: ApiDeps): InboundDeps {
  const { gateway, principalFor, secret, buildLinks, log, now } = deps;

  return {
    submitAnswer({ person, via, identity, content, receivedAt, ...submission }) {
      return submitAnswer(deps, principalFor(person), {
        ...submission,
        content: { ...content, by: person, via, receivedAt },
        idempotency: idempotencyFrom(secret, [via, ...identity], content),
      });
    },
    async findQuestion(person, conversationId, questionId, wasAskedAt) {
      try {
        const found = await findActionable(gateway, principalFor(person), conversationId);
        if (found.status !== 'found') return found;
        const { run } = found;
        const question = await readQuestion(gateway, run, questionId);
        if (!question || !wasAskedAt(question.askedAt)) return questionNotFound(questionId);
        const areLinksRevoked = isLinkRevoked(run, { questionId: question.id, person });
        return { status: 'found', question, title: run.memo.conversation.title, areLinksRevoked };
      } catch (error) {
        return toUnavailability(error);
      }
    },
    async findAccess(person, conversationId) {
      const found = await findActionable(gateway, principalFor(person), conversationId);
      return found.status === 'found' ? found.run.memo.start.access : undefined;
    },
    buildLinks,
    people: deps.channelSettings.people,
    allowAnyone: !deps.hasKeys,
    secret,
    log,
    now,
  };
}
