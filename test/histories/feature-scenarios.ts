import type { TestParleySettings, TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { lastToolResults, replyWithText, replyWithQuestion, replyWithToolCalls, replyWithError } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';
import { longRunningScenarios } from './long-running-scenarios';

/** The features of conversations, one scenario each: recorded for later versions, and resumed on another build. */
const { tool } = createRecordingTool();
const askOnce: TestParleySettings['script'] = (request) => (lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'));
const writeCall = { name: 'write_line', input: { line: 'one' } };
const confirmCall = { name: 'confirm_action', input: { action: 'Do it', arguments: { a: 1 } } };
const todosCall = { name: 'write_todos', input: { todos: [{ content: 'Paint', status: 'pending' }] } };
const formCall = { name: 'ask_user_question', input: { questions: [{ question: 'Why?' }], context: 'Because.', timeout: 'never' } };

export type FeatureScenario = (p: TestParley) => Promise<string>;
const parkOnQuestion: FeatureScenario = async (p) => {
  const id = await p.startConversation();
  await p.waitForQuestion(id);
  return id;
};
const parkThen =
  (act: (p: TestParley, id: string) => Promise<unknown>, status: Parameters<TestParley['waitForStatus']>[1] = 'completed'): FeatureScenario =>
  async (p) => {
    const id = await parkOnQuestion(p);
    await act(p, id);
    await p.waitForStatus(id, status);
    return id;
  };

const schemaCall = {
  name: 'ask_user_question',
  input: {
    questions: [
      { question: 'How many?', schema: { type: 'integer', minimum: 1 } },
      { question: 'Since when?', schema: { type: 'string', format: 'date', pattern: '^2' } },
    ],
  },
};
const guardedPolicy = 'tools: [{ name: write_line, requiresConfirmation: true }]';
/** Two sub-agents at once, both of which ask. */
const scoutAgent = `scout-${Date.now()}`;
const delegateCall = (task: string) => ({ name: 'delegate', input: { agent: scoutAgent, task } });
const teamSettings: TestParleySettings = {
  frontMatter: `subagents: [${scoutAgent}]`,
  agents: { [scoutAgent]: '' },
  script: (request) => {
    if (lastToolResults(request).length > 0) return replyWithText('done');
    const isScout = JSON.stringify(request.body.system).includes(`You are ${scoutAgent}`);
    return isScout ? replyWithQuestion('Which?', 'A', 'B') : replyWithToolCalls(delegateCall('one'), delegateCall('two'));
  },
};
/** Each reason for which a call is repeated: rejected thinking, a reply cut off while thinking, and a refusal. */
const repeatedCallsSettings: TestParleySettings = {
  frontMatter: 'fallbackModel: claude-opus-5-5',
  replies: [
    replyWithToolCalls(todosCall),
    replyWithError(400, { message: 'messages.1.content.0: Invalid `signature` in `thinking` block.' }),
    { content: [{ type: 'thinking', thinking: '', signature: '' }], stopReason: 'max_tokens' },
    { text: 'I', stopReason: 'refusal' },
    replyWithQuestion('Which?', 'A', 'B'),
    replyWithText('done'),
  ],
};
/** A budget that its second sub-agent finds used up. */
const budgetSettings: TestParleySettings = {
  ...teamSettings,
  frontMatter: `${teamSettings.frontMatter}\nbudget: { calls: 2 }`,
  script: (request) => {
    const leads = !JSON.stringify(request.body.system).includes(`You are ${scoutAgent}`) && lastToolResults(request).length === 0;
    return leads ? replyWithToolCalls(delegateCall('one'), delegateCall('two')) : replyWithText('done');
  },
};
const startTeam: FeatureScenario = async (p) => {
  const id = await p.startConversation();
  await waitForSubAgentQuestions(p, id);
  return id;
};
async function waitForSubAgentQuestions(p: TestParley, id: string): Promise<string[]> {
  for (;;) {
    const { body } = await p.call<{ items: { conversationId: string; origin: string[] }[] }>('GET', `/v1/questions?agent=${scoutAgent}&limit=100`);
    // A busy server rejects requests now and then.
    const own = (body.items ?? []).filter(({ origin }) => origin[0] === p.agent);
    if (own.length === 2 && id) return own.map(({ conversationId }) => conversationId);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Channels that accept every notification. */
const acceptingChannels: NonNullable<TestParleySettings['senders']> = ['slack', 'webhook'].map((name) => ({
  name,
  send: async () => ({ ts: '1' }),
  remind: async () => ({ ts: '2' }),
  updateCopy: async () => undefined,
  sendConversationEnd: async () => undefined,
}));
const notifyingSettings: TestParleySettings = { script: askOnce, senders: acceptingChannels, frontMatter: 'questions: { notify: [slack:#ops], remind: [1s, 8h] }' };
const parkAndNotify = (notices: number, more: object = {}): FeatureScenario => async (p) => {
  const id = await p.startConversation('Hello', more);
  while ((await p.waitForQuestion(id)).notices.length < notices) await new Promise((resolve) => setTimeout(resolve, 20));
  return id;
};
const answerAndNotify = (notices: number, more: object = {}): FeatureScenario => async (p) => {
  const id = await parkAndNotify(notices, more)(p);
  await p.answer(id, { answer: 'A' });
  await p.waitForStatus(id, 'completed');
  return id;
};
const withCallback = { callbackUrl: 'http://127.0.0.1:9/hook' };

const withReplies = (...replies: NonNullable<TestParleySettings['replies']>): TestParleySettings => ({ replies });
const choicesCall = {
  name: 'ask_user_question',
  input: {
    questions: [
      { question: 'Which ones?', multiSelect: true, options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }] },
      { question: 'Where?', options: [{ label: 'Here' }, { label: 'There' }] },
    ],
  },
};
const defaultCall = { name: 'ask_user_question', input: { questions: [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], default: 'B' }] } };
const malformedCall = { name: 'ask_user_question', input: { questions: [] } };
/** Set to true to let a destination accept outcomes; until then a delivery waits for it. */
export const channelOutage = { isOver: false };
const channelDownSettings: TestParleySettings = {
  ...notifyingSettings,
  senders: acceptingChannels.map((channel) => ({
    ...channel,
    updateCopy: async () => {
      if (!channelOutage.isOver) throw new Error('out of order');
    },
  })),
};
const waitForNotices = async (p: TestParley, id: string, notices: number) => {
  while ((await p.waitForQuestion(id)).notices.length < notices) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** How each is recorded: its name, the settings of Parley, and the steps until the history is taken. */
export const featureScenarios: [string, TestParleySettings, FeatureScenario][] = [
  ['delivery-under-way', channelDownSettings, async (p) => `${await answerAndNotify(1)(p)}/question-1/settled/delivery`],
  ['declined-with-a-reason', { script: askOnce }, parkThen((p, id) => p.call('POST', `/v1/conversations/${id}/questions/latest/decline`, { reason: 'Not mine to say' }))],
  ['timed-out-default', { replies: [replyWithToolCalls(defaultCall), replyWithText('done')], frontMatter: 'questions: { timeout: 1s, onTimeout: default }' }, parkThen(async () => undefined)],
  ['parked-past-its-deadline', { script: askOnce, frontMatter: 'questions: { timeout: 1s, onTimeout: wait }' }, async (p) => {
    const id = await parkOnQuestion(p);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return id;
  }],
  ['answered-past-its-deadline', { script: askOnce, frontMatter: 'questions: { timeout: 1s, onTimeout: wait }' }, parkThen(async (p, id) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await p.answer(id, { answer: 'A' });
  })],
  ['parked-choices', withReplies(replyWithToolCalls(choicesCall)), parkOnQuestion],
  ['answered-with-other', withReplies(replyWithToolCalls(choicesCall), replyWithText('done')), parkThen((p, id) => p.answer(id, { answers: { q1: ['A', { other: 'D' }], q2: { other: 'Nowhere' } }, comment: 'so' }))],
  ['message-as-answer', { replies: [replyWithToolCalls(formCall), replyWithText('done')] }, parkThen((p, id) => p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Because I say so' }))],
  ['answered-by-signal', { script: askOnce }, parkThen(async (p, id) => {
    const handle = p.client.workflow.getHandle(id);
    for (const junk of [null, 7, { answer: 'Z' }]) await handle.signal('answerQuestion', junk);
    await handle.signal('answerQuestion', { answer: 'A' });
  })],
  ['escalated-and-parked', { script: askOnce, frontMatter: 'questions: { escalate: [{ after: 1s, to: maria }] }' }, async (p) => {
    const id = await parkOnQuestion(p);
    await waitForNotices(p, id, 1);
    return id;
  }],
  ['escalated-and-answered', { script: askOnce, frontMatter: 'questions: { escalate: [{ after: 1s, to: maria }] }' }, parkThen(async (p, id) => {
    await waitForNotices(p, id, 1);
    await p.answer(id, { answer: 'A' });
  })],
  ['mended-a-malformed-call', withReplies(replyWithToolCalls(malformedCall), replyWithToolCalls(formCall)), parkOnQuestion],
  ['may-not-ask', { replies: [replyWithToolCalls(formCall), replyWithText('done')], frontMatter: 'canAsk: false' }, async (p) => {
    const id = await p.startConversation();
    await p.waitForStatus(id, 'completed');
    return id;
  }],
  ['asked-too-often', { replies: [replyWithToolCalls(formCall), replyWithToolCalls(formCall), replyWithText('done')], frontMatter: 'questions: { perTurn: 1 }' }, parkThen((p, id) => p.answer(id, { answer: 'So' }))],
  ['taken-up-and-parked', { script: askOnce }, async (p) => {
    const id = await parkThen((q, c) => q.answer(c, { answer: 'A' }))(p);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
    await p.waitForQuestion(id);
    return id;
  }],
  ['parked-a-second-time', { replies: [replyWithToolCalls(formCall), replyWithToolCalls(formCall), replyWithText('done')] }, async (p) => {
    const id = await parkOnQuestion(p);
    await p.answer(id, { answer: 'So' }, 'question-1');
    await p.waitForQuestion(id, 'question-2');
    return id;
  }],
  ['sub-agent-cancelled', teamSettings, async (p) => {
    const subs = await waitForSubAgentQuestions(p, await startTeam(p));
    const [first = ''] = subs;
    await p.call('POST', `/v1/conversations/${first}/cancel`);
    await p.waitForStatus(first, 'cancelled');
    return first;
  }],
  ['parked-and-told-elsewhere', notifyingSettings, parkAndNotify(2)],
  ['settled-elsewhere', notifyingSettings, answerAndNotify(1)],
  ['parked-with-a-callback', notifyingSettings, parkAndNotify(2, withCallback)],
  ['answered-with-a-callback', notifyingSettings, answerAndNotify(2, withCallback)],
  ['cancelled-with-a-callback', notifyingSettings, async (p) => {
    const id = await parkAndNotify(2, withCallback)(p);
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.waitForStatus(id, 'cancelled');
    return id;
  }],
  ['delivery', notifyingSettings, async (p) => {
    const delivery = `${await answerAndNotify(1)(p)}/question-1/settled/delivery`;
    await p.client.workflow.getHandle(delivery).result();
    return delivery;
  }],
  ['links-taken-back', { script: askOnce }, async (p) => {
    const id = await parkOnQuestion(p);
    await p.call('DELETE', `/v1/conversations/${id}/questions/question-1/links?person=joe`);
    return id;
  }],
  ['parked', { script: askOnce }, parkOnQuestion],
  ['parked-forever', { replies: [replyWithToolCalls(formCall)] }, parkOnQuestion],
  ['parked-confirmation', { replies: [replyWithToolCalls(confirmCall)] }, parkOnQuestion],
  ['parked-in-the-middle', { tools: [...builtInTools, tool], replies: [replyWithToolCalls(writeCall, formCall, writeCall)] }, parkOnQuestion],
  ['answered', { script: askOnce }, parkThen((p, id) => p.answer(id, { answer: 'A', comment: 'so' }))],
  ['declined', { script: askOnce }, parkThen((p, id) => p.call('POST', `/v1/conversations/${id}/questions/latest/decline`))],
  ['cancelled', { script: askOnce }, parkThen((p, id) => p.call('POST', `/v1/conversations/${id}/cancel`), 'cancelled')],
  ['cancelled-by-temporal', { script: askOnce }, parkThen((p, id) => p.client.workflow.getHandle(id).cancel(), 'cancelled')],
  ['timed-out', { script: askOnce, frontMatter: 'questions: { timeout: 1s }' }, parkThen(async () => undefined)],
  ['timed-out-failed', { script: askOnce, frontMatter: 'questions: { timeout: 1s, onTimeout: fail }' }, parkThen(async () => undefined, 'failed')],
  ['message-while-parked', { replies: [replyWithToolCalls(confirmCall), replyWithText('done')] }, parkThen(async (p, id) => {
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
    await p.answer(id, { answer: 'Yes, proceed' });
  })],
  ['tools-and-todos', { tools: [...builtInTools, tool], replies: [replyWithToolCalls(todosCall, writeCall, formCall, writeCall), replyWithText('done')] }, parkThen((p, id) => p.answer(id, { answer: 'So' }))],
  ['model-failed', { replies: [replyWithError(400)] }, async (p) => {
    const id = await p.startConversation();
    await p.waitForStatus(id, 'failed');
    return id;
  }],
  ['taken-up', { script: askOnce }, async (p) => {
    const id = await parkThen((q, c) => q.answer(c, { answer: 'A' }))(p);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'B' });
    await p.waitForStatus(id, 'completed');
    return id;
  }],
  ['message-that-may-not-answer', { replies: [replyWithToolCalls(formCall), replyWithText('done')], keys: { program: ['conversations:write', 'conversations:read'], boss: ['admin'] } }, parkThen(async (p, id) => {
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Not for me to say' });
    await p.callAs('boss')('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'So' });
  })],
  ['started-by-webhook', { script: askOnce, frontMatter: 'trigger: { message: "Look into {{ it }}" }' }, async (p) => {
    const { body } = await p.call<{ id: string }>('POST', `/v1/hooks/${p.agent}`, { it: 'this' });
    await p.waitForQuestion(body.id);
    return body.id;
  }],
  ['parked-with-a-schema', { replies: [replyWithToolCalls(schemaCall)] }, parkOnQuestion],
  ['answered-with-a-schema', { replies: [replyWithToolCalls(schemaCall), replyWithText('done')] }, parkThen((p, id) => p.answer(id, { answers: { q1: 3, q2: '2026-11-16' } }))],
  ['parked-approval', { tools: [...builtInTools, tool], frontMatter: guardedPolicy, replies: [replyWithToolCalls(writeCall)] }, parkOnQuestion],
  ['approved', { tools: [...builtInTools, tool], frontMatter: guardedPolicy, replies: [replyWithToolCalls(writeCall, formCall), replyWithText('done')] }, async (p) => {
    const id = await parkOnQuestion(p);
    await p.answer(id, { answer: 'Yes, proceed', comment: 'so' }, 'question-1');
    await p.waitForQuestion(id, 'question-2');
    await p.answer(id, { answer: 'So' }, 'question-2');
    await p.waitForStatus(id, 'completed');
    return id;
  }],
  ['not-approved', { tools: [...builtInTools, tool], frontMatter: guardedPolicy, replies: [replyWithToolCalls(writeCall), replyWithText('done')] }, parkThen((p, id) => p.answer(id, { answer: 'No, cancel' }))],
  ['parked-with-notices-to-come', { script: askOnce, frontMatter: 'questions: { remind: [4h, 8h], escalate: [{ after: 12h, to: maria }] }' }, parkOnQuestion],
  ['parked-and-told', { script: askOnce, frontMatter: 'questions: { notify: [log], remind: [1s, 8h] }' }, async (p) => {
    const id = await parkOnQuestion(p);
    await waitForNotices(p, id, 2);
    return id;
  }],
  ['reminded-escalated-timed-out', { script: askOnce, frontMatter: 'questions: { timeout: 3s, remind: [1s], escalate: [{ after: 2s, to: maria }] }' }, parkThen(async () => undefined)],
  ['parked-for-sub-agents', teamSettings, startTeam],
  ['sub-agent-parked', teamSettings, async (p) => (await waitForSubAgentQuestions(p, await startTeam(p)))[0] ?? ''],
  ['delegated', teamSettings, async (p) => {
    const id = await startTeam(p);
    for (const sub of await waitForSubAgentQuestions(p, id)) await p.answer(sub, { answer: 'A' });
    await p.waitForStatus(id, 'completed');
    return id;
  }],
  ['sub-agent-done', teamSettings, async (p) => {
    const id = await startTeam(p);
    const subs = await waitForSubAgentQuestions(p, id);
    for (const sub of subs) await p.answer(sub, { answer: 'A' });
    await p.waitForStatus(id, 'completed');
    return subs[0] ?? '';
  }],
  ['parked-after-repeated-calls', repeatedCallsSettings, parkOnQuestion],
  ['answered-after-repeated-calls', repeatedCallsSettings, parkThen((p, id) => p.answer(id, { answer: 'A' }))],
  ['parked-at-its-budget', budgetSettings, parkOnQuestion],
  ['continued-beyond-its-budget', budgetSettings, parkThen((p, id) => p.answer(id, { answer: 'Yes, proceed' }))],
  ['cancelled-with-sub-agents', teamSettings, async (p) => {
    const id = await startTeam(p);
    await waitForSubAgentQuestions(p, id);
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.waitForStatus(id, 'cancelled');
    return id;
  }],
  ['said-and-cancelled-at-first', { startsWorker: false }, async (p) => {
    const id = await p.startConversation();
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await p.startWorker();
    await p.client.workflow.getHandle(id).result();
    return id;
  }],
  ...longRunningScenarios,
];
