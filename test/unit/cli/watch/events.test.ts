import { streamInboxEvents, type WatchEvent } from '#cli/watch/events';
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

/** What is heard of these events, where each look at a question itself comes to the next of these. */
async function heard(events: InboxEvent[], looks: (Question | ParleyError)[]): Promise<string[]> {
  const happenings: WatchEvent[] = [];
  const inbox = {
    async *inboxEvents() {
      yield* events;
    },
    async question() {
      const found = looks.shift();
      if (found && !(found instanceof ParleyError)) return found;
      throw found ?? new Error('nobody was to look');
    },
  };
  await streamInboxEvents(inbox, 'c', new AbortController().signal, (one) => happenings.push(one));
  return happenings.map((one) => `${one.kind} ${'question' in one ? one.question.id : ''}`);
}

describe('a question that the inbox no longer has', () => {
  const first = snapshot(question('one'));

  it('is settled where the question itself says so', async () => {
    expect(await heard([first, snapshot()], [question('one', 'answered')])).toEqual(['asked one', 'settled one']);
  });

  it('waits on where only the inbox is behind', async () => {
    const looks = [question('one'), question('one', 'answered')];
    expect(await heard([first, snapshot()], looks)).toEqual(['asked one']);
    expect(looks).toHaveLength(1);
    expect(await heard([first, snapshot(), snapshot()], [question('one'), ...looks])).toEqual([
      'asked one',
      'settled one',
    ]);
  });

  it('waits on where it cannot be looked at, and those that follow are heard', async () => {
    const lost = new ParleyError('network', 'no line');
    expect(await heard([first, snapshot(), snapshot(question('two'))], [lost, lost])).toEqual([
      'asked one',
      'asked two',
    ]);
  });
});
