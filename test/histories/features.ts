import { builtIn } from '#tools/registry';
import { diary } from '#test/support/diary';
import type { Parley, Settings } from '#test/support/parley';
import { ask, fail, lastToolResults, say, use } from '#test/support/scripted-model';
import { months } from './months';

/** What conversations can do, one play for each feature: recorded for later versions, and resumed on another build. */
const { tool } = diary();
const askOnce: Settings['script'] = (request) => (lastToolResults(request).length > 0 ? say('done') : ask('Which?', 'A', 'B'));
const write = { name: 'write_line', input: { line: 'one' } };
const confirm = { name: 'confirm_action', input: { action: 'Do it', arguments: { a: 1 } } };
const todos = { name: 'write_todos', input: { todos: [{ content: 'Paint', status: 'pending' }] } };
const form = { name: 'ask_user_question', input: { questions: [{ question: 'Why?' }], context: 'Because.', timeout: 'never' } };

export type Play = (p: Parley) => Promise<string>;
const parked: Play = async (p) => {
  const id = await p.start();
  await p.question(id);
  return id;
};
const then =
  (act: (p: Parley, id: string) => Promise<unknown>, status: Parameters<Parley['until']>[1] = 'completed'): Play =>
  async (p) => {
    const id = await parked(p);
    await act(p, id);
    await p.until(id, status);
    return id;
  };

const schema = {
  name: 'ask_user_question',
  input: {
    questions: [
      { question: 'How many?', schema: { type: 'integer', minimum: 1 } },
      { question: 'Since when?', schema: { type: 'string', format: 'date', pattern: '^2' } },
    ],
  },
};
const guarded = 'tools: [{ name: write_line, requiresConfirmation: true }]';
/** Two sub-agents at once, both of which ask. */
const scout = `scout-${Date.now()}`;
const delegate = (task: string) => ({ name: 'delegate', input: { agent: scout, task } });
const team: Settings = {
  policy: `subagents: [${scout}]`,
  agents: { [scout]: '' },
  script: (request) => {
    if (lastToolResults(request).length > 0) return say('done');
    const isScout = JSON.stringify(request.body.system).includes(`You are ${scout}`);
    return isScout ? ask('Which?', 'A', 'B') : use(delegate('one'), delegate('two'));
  },
};
const leading: Play = async (p) => {
  const id = await p.start();
  await asking(p, id);
  return id;
};
async function asking(p: Parley, id: string): Promise<string[]> {
  for (;;) {
    const { body } = await p.call<{ items: { conversationId: string; origin: string[] }[] }>('GET', `/v1/questions?agent=${scout}&limit=100`);
    // A busy server refuses now and then.
    const own = (body.items ?? []).filter(({ origin }) => origin[0] === p.agent);
    if (own.length === 2 && id) return own.map(({ conversationId }) => conversationId);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Channels that take whatever they are told. */
const told: NonNullable<Settings['channels']> = ['slack', 'webhook'].map((name) => ({
  name,
  send: async () => ({ ts: '1' }),
  remind: async () => ({ ts: '2' }),
  settle: async () => undefined,
  end: async () => undefined,
}));
const telling: Settings = { script: askOnce, channels: told, policy: 'questions: { notify: [slack:#ops], remind: [1s, 8h] }' };
const parkedAndTold = (notices: number, more: object = {}): Play => async (p) => {
  const id = await p.start('Hello', more);
  while ((await p.question(id)).notices.length < notices) await new Promise((resolve) => setTimeout(resolve, 20));
  return id;
};
const answeredAndTold = (notices: number, more: object = {}): Play => async (p) => {
  const id = await parkedAndTold(notices, more)(p);
  await p.answer(id, { answer: 'A' });
  await p.until(id, 'completed');
  return id;
};
const called = { callbackUrl: 'http://127.0.0.1:9/hook' };

const scripted = (...replies: NonNullable<Settings['replies']>): Settings => ({ replies });
const choices = {
  name: 'ask_user_question',
  input: {
    questions: [
      { question: 'Which ones?', multiSelect: true, options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }] },
      { question: 'Where?', options: [{ label: 'Here' }, { label: 'There' }] },
    ],
  },
};
const withDefault = { name: 'ask_user_question', input: { questions: [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], default: 'B' }] } };
const malformed = { name: 'ask_user_question', input: { questions: [] } };
/** A place that takes no news of an outcome until it is mended: a courier waits for it. */
export const outage = { isOver: false };
const down: Settings = {
  ...telling,
  channels: told.map((channel) => ({
    ...channel,
    settle: async () => {
      if (!outage.isOver) throw new Error('out of order');
    },
  })),
};
const noticed = async (p: Parley, id: string, notices: number) => {
  while ((await p.question(id)).notices.length < notices) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** How each is recorded: its name, how Parley is set up for it, and what is done until the history is taken. */
export const features: [string, Settings, Play][] = [
  ['courier-on-its-way', down, async (p) => `${await answeredAndTold(1)(p)}/question-1/settled/courier`],
  ['declined-with-a-reason', { script: askOnce }, then((p, id) => p.call('POST', `/v1/conversations/${id}/questions/latest/decline`, { reason: 'Not mine to say' }))],
  ['timed-out-default', { replies: [use(withDefault), say('done')], policy: 'questions: { timeout: 1s, onTimeout: default }' }, then(async () => undefined)],
  ['parked-past-its-deadline', { script: askOnce, policy: 'questions: { timeout: 1s, onTimeout: wait }' }, async (p) => {
    const id = await parked(p);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return id;
  }],
  ['answered-past-its-deadline', { script: askOnce, policy: 'questions: { timeout: 1s, onTimeout: wait }' }, then(async (p, id) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await p.answer(id, { answer: 'A' });
  })],
  ['parked-choices', scripted(use(choices)), parked],
  ['answered-with-other', scripted(use(choices), say('done')), then((p, id) => p.answer(id, { answers: { q1: ['A', { other: 'D' }], q2: { other: 'Nowhere' } }, comment: 'so' }))],
  ['message-as-answer', { replies: [use(form), say('done')] }, then((p, id) => p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Because I say so' }))],
  ['answered-by-signal', { script: askOnce }, then(async (p, id) => {
    const handle = p.client.workflow.getHandle(id);
    for (const junk of [null, 7, { answer: 'Z' }]) await handle.signal('answerQuestion', junk);
    await handle.signal('answerQuestion', { answer: 'A' });
  })],
  ['escalated-and-parked', { script: askOnce, policy: 'questions: { escalate: [{ after: 1s, to: maria }] }' }, async (p) => {
    const id = await parked(p);
    await noticed(p, id, 1);
    return id;
  }],
  ['escalated-and-answered', { script: askOnce, policy: 'questions: { escalate: [{ after: 1s, to: maria }] }' }, then(async (p, id) => {
    await noticed(p, id, 1);
    await p.answer(id, { answer: 'A' });
  })],
  ['mended-a-malformed-call', scripted(use(malformed), use(form)), parked],
  ['may-not-ask', { replies: [use(form), say('done')], policy: 'canAsk: false' }, async (p) => {
    const id = await p.start();
    await p.until(id, 'completed');
    return id;
  }],
  ['asked-too-often', { replies: [use(form), use(form), say('done')], policy: 'questions: { perTurn: 1 }' }, then((p, id) => p.answer(id, { answer: 'So' }))],
  ['taken-up-and-parked', { script: askOnce }, async (p) => {
    const id = await then((q, c) => q.answer(c, { answer: 'A' }))(p);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
    await p.question(id);
    return id;
  }],
  ['parked-a-second-time', { replies: [use(form), use(form), say('done')] }, async (p) => {
    const id = await parked(p);
    await p.answer(id, { answer: 'So' }, 'question-1');
    await p.question(id, 'question-2');
    return id;
  }],
  ['sub-agent-cancelled', team, async (p) => {
    const subs = await asking(p, await leading(p));
    const [first = ''] = subs;
    await p.call('POST', `/v1/conversations/${first}/cancel`);
    await p.until(first, 'cancelled');
    return first;
  }],
  ['parked-and-told-elsewhere', telling, parkedAndTold(2)],
  ['settled-elsewhere', telling, answeredAndTold(1)],
  ['parked-with-a-callback', telling, parkedAndTold(2, called)],
  ['answered-with-a-callback', telling, answeredAndTold(2, called)],
  ['cancelled-with-a-callback', telling, async (p) => {
    const id = await parkedAndTold(2, called)(p);
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.until(id, 'cancelled');
    return id;
  }],
  ['courier', telling, async (p) => {
    const courier = `${await answeredAndTold(1)(p)}/question-1/settled/courier`;
    await p.client.workflow.getHandle(courier).result();
    return courier;
  }],
  ['links-taken-back', { script: askOnce }, async (p) => {
    const id = await parked(p);
    await p.call('DELETE', `/v1/conversations/${id}/questions/question-1/links?person=joe`);
    return id;
  }],
  ['parked', { script: askOnce }, parked],
  ['parked-forever', { replies: [use(form)] }, parked],
  ['parked-confirmation', { replies: [use(confirm)] }, parked],
  ['parked-in-the-middle', { tools: [...builtIn, tool], replies: [use(write, form, write)] }, parked],
  ['answered', { script: askOnce }, then((p, id) => p.answer(id, { answer: 'A', comment: 'so' }))],
  ['declined', { script: askOnce }, then((p, id) => p.call('POST', `/v1/conversations/${id}/questions/latest/decline`))],
  ['cancelled', { script: askOnce }, then((p, id) => p.call('POST', `/v1/conversations/${id}/cancel`), 'cancelled')],
  ['cancelled-by-temporal', { script: askOnce }, then((p, id) => p.client.workflow.getHandle(id).cancel(), 'cancelled')],
  ['timed-out', { script: askOnce, policy: 'questions: { timeout: 1s }' }, then(async () => undefined)],
  ['timed-out-failed', { script: askOnce, policy: 'questions: { timeout: 1s, onTimeout: fail }' }, then(async () => undefined, 'failed')],
  ['message-while-parked', { replies: [use(confirm), say('done')] }, then(async (p, id) => {
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
    await p.answer(id, { answer: 'Yes, proceed' });
  })],
  ['tools-and-todos', { tools: [...builtIn, tool], replies: [use(todos, write, form, write), say('done')] }, then((p, id) => p.answer(id, { answer: 'So' }))],
  ['model-failed', { replies: [fail(400)] }, async (p) => {
    const id = await p.start();
    await p.until(id, 'failed');
    return id;
  }],
  ['taken-up', { script: askOnce }, async (p) => {
    const id = await then((q, c) => q.answer(c, { answer: 'A' }))(p);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
    await p.question(id);
    await p.answer(id, { answer: 'B' });
    await p.until(id, 'completed');
    return id;
  }],
  ['message-that-may-not-answer', { replies: [use(form), say('done')], keys: { program: ['conversations:write', 'conversations:read'], boss: ['admin'] } }, then(async (p, id) => {
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Not for me to say' });
    await p.as('boss')('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'So' });
  })],
  ['started-by-webhook', { script: askOnce, policy: 'trigger: { message: "Look into {{ it }}" }' }, async (p) => {
    const { body } = await p.call<{ id: string }>('POST', `/v1/hooks/${p.agent}`, { it: 'this' });
    await p.question(body.id);
    return body.id;
  }],
  ['parked-with-a-schema', { replies: [use(schema)] }, parked],
  ['answered-with-a-schema', { replies: [use(schema), say('done')] }, then((p, id) => p.answer(id, { answers: { q1: 3, q2: '2026-11-16' } }))],
  ['parked-approval', { tools: [...builtIn, tool], policy: guarded, replies: [use(write)] }, parked],
  ['approved', { tools: [...builtIn, tool], policy: guarded, replies: [use(write, form), say('done')] }, async (p) => {
    const id = await parked(p);
    await p.answer(id, { answer: 'Yes, proceed', comment: 'so' }, 'question-1');
    await p.question(id, 'question-2');
    await p.answer(id, { answer: 'So' }, 'question-2');
    await p.until(id, 'completed');
    return id;
  }],
  ['not-approved', { tools: [...builtIn, tool], policy: guarded, replies: [use(write), say('done')] }, then((p, id) => p.answer(id, { answer: 'No, cancel' }))],
  ['parked-with-notices-to-come', { script: askOnce, policy: 'questions: { remind: [4h, 8h], escalate: [{ after: 12h, to: maria }] }' }, parked],
  ['parked-and-told', { script: askOnce, policy: 'questions: { notify: [log], remind: [1s, 8h] }' }, async (p) => {
    const id = await parked(p);
    await noticed(p, id, 2);
    return id;
  }],
  ['reminded-escalated-timed-out', { script: askOnce, policy: 'questions: { timeout: 3s, remind: [1s], escalate: [{ after: 2s, to: maria }] }' }, then(async () => undefined)],
  ['parked-for-sub-agents', team, leading],
  ['sub-agent-parked', team, async (p) => (await asking(p, await leading(p)))[0] ?? ''],
  ['delegated', team, async (p) => {
    const id = await leading(p);
    for (const sub of await asking(p, id)) await p.answer(sub, { answer: 'A' });
    await p.until(id, 'completed');
    return id;
  }],
  ['sub-agent-done', team, async (p) => {
    const id = await leading(p);
    const subs = await asking(p, id);
    for (const sub of subs) await p.answer(sub, { answer: 'A' });
    await p.until(id, 'completed');
    return subs[0] ?? '';
  }],
  ['cancelled-with-sub-agents', team, async (p) => {
    const id = await leading(p);
    await asking(p, id);
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.until(id, 'cancelled');
    return id;
  }],
  ['said-and-cancelled-at-first', { worker: false }, async (p) => {
    const id = await p.start();
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.startWorker();
    await p.client.workflow.getHandle(id).result();
    return id;
  }],
  ...months,
];
