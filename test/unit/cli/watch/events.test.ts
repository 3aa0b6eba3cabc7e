import { streamInboxEvents } from '#cli/watch/events';
import { ParleyError } from '#client/parley-error';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';

const question = (id: string, status: Question['status'] = 'pending'): Question => ({
  id,
  conversationId: 'sub',
  agent: 'scout',
  origin: ['assistant', 'scout'],
  status,
  context: null,
  fields: [],
  askedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  onTimeout: 'continue',
  notices: [],
  outcome: null,
});
const snapshot = (...items: Question[]): InboxEvent => ({ event: 'snapshot', data: { items } });

/** Summarizes what is delivered for these inbox events. Each lookup of a question returns the next of `lookups`. */
async function deliveredEvents(events: InboxEvent[], lookups: (Question | ParleyError)[]): Promise<string[]> {
  const delivered: string[] = [];
  const inbox = {
    async *inboxEvents() {
      yield* events;
    },
    async question() {
      const result = lookups.shift();
      if (result && !(result instanceof ParleyError)) return result;
      throw result ?? new Error('nobody was to look');
    },
  };
  await streamInboxEvents(inbox, 'c', new AbortController().signal, {
    onPending: ({ id }) => delivered.push(`pending ${id}`),
    onResolved: ({ id }) => delivered.push(`resolved ${id}`),
  });
  return delivered;
}

describe('a question that left the inbox', () => {
  const first = snapshot(question('one'));

  it('is closed if the question itself says so', async () => {
    expect(await deliveredEvents([first, snapshot()], [question('one', 'answered')])).toEqual([
      'pending one',
      'resolved one',
    ]);
  });

  it('stays open if only the inbox is behind', async () => {
    const lookups = [question('one'), question('one', 'answered')];
    expect(await deliveredEvents([first, snapshot()], lookups)).toEqual(['pending one']);
    expect(lookups).toHaveLength(1);
    expect(await deliveredEvents([first, snapshot(), snapshot()], [question('one'), ...lookups])).toEqual([
      'pending one',
      'resolved one',
    ]);
  });

  it('stays open if it cannot be read, and later events are processed', async () => {
    const lost = new ParleyError('network', 'no line');
    expect(await deliveredEvents([first, snapshot(), snapshot(question('two'))], [lost, lost])).toEqual([
      'pending one',
      'pending two',
    ]);
  });
});
