import { randomUUID } from 'node:crypto';
import type { Outgoing } from '#channels/channel';
import { question, waiting } from '#contract/examples';

const ID = 'parley-test';

/** A question that nobody asked, to try a receiver with. */
export function exampleNotice(place: string, now: Date): Outgoing {
  const links = Object.entries(waiting.links).map(([name, url]) => [name, url.replace(waiting.id, ID)]);
  return {
    id: `${ID}/${randomUUID()}`,
    place,
    at: now.toISOString(),
    what: 'a test: nobody waits for an answer',
    to: [],
    question: {
      ...question,
      id: 'question-test',
      conversationId: ID,
      askedAt: now.toISOString(),
      expiresAt: null,
    },
    title: 'A test of this webhook',
    links: Object.fromEntries(links),
    root: ID,
    access: { owner: null, visibleTo: [], assignees: [] },
    revoked: [],
    isRepeat: false,
  };
}
