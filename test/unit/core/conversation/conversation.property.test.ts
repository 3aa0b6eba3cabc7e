import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TimelineEntry } from '#contract/timeline';
import { type ConversationState, isConversationFinished } from '#core/conversation/state';
import { sha256Digest } from '#core/digest';
import type { TranscriptMessage } from '#core/transcript/transcript';
import { ConversationDriver, conversationEvents, type DriverEvent } from '#test/support/core/conversation-driver';
import { cloneState } from '#test/support/core/conversation-fixture';

const questionsIn = (state: ConversationState) =>
  state.entries.flatMap((entry) => (entry.kind === 'question' ? [entry as TimelineEntry & { kind: 'question' }] : []));

function usesIn(message: TranscriptMessage | undefined): string[] {
  return (message?.content ?? []).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function resultsIn(message: TranscriptMessage | undefined): string[] {
  return (message?.content ?? []).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

function oneQuestionAtMost({ state, step }: ConversationDriver): void {
  const open = questionsIn(state).filter((entry) => entry.settledId === null);
  assert.deepEqual(
    open.map((entry) => entry.question),
    state.question ? [state.question] : [],
  );
  assert.equal(state.status === 'waiting_for_input', state.question !== null);
  assert.equal(step.do === 'park', state.question !== null);
  assert.equal(state.asked.total, questionsIn(state).length);
}

/** Each question has one outcome, one verdict, and neither ever changes. */
function oneOutcomeEach({ state }: ConversationDriver, known: Map<string, string>): void {
  for (const { question, settledId } of questionsIn(state)) {
    assert.equal(question.status === 'pending', settledId === null);
    assert.equal(question.outcome === null, settledId === null);
    const verdicts = state.verdicts.filter((verdict) => verdict.on === question.id);
    assert.deepEqual(
      verdicts.map((verdict) => verdict.status),
      settledId === null ? [] : [question.status],
    );
    if (settledId === null) continue;
    const outcome = JSON.stringify([question, settledId, verdicts]);
    assert.equal(known.get(question.id) ?? outcome, outcome);
    known.set(question.id, outcome);
  }
  const last = questionsIn(state)
    .filter((entry) => entry.settledId !== null)
    .at(-1);
  assert.deepEqual(state.settled, last?.question ?? null);
}

function numbersOnlyGrow({ state }: ConversationDriver): void {
  const ids = state.entries.map((entry) => entry.id);
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  );
  const settled = questionsIn(state).flatMap((entry) => (entry.settledId === null ? [] : [entry.settledId]));
  assert.deepEqual(
    settled,
    [...settled].sort((a, b) => a - b),
  );
  const all = [...ids, ...settled];
  assert.equal(new Set(all).size, all.length);
  assert.equal(Math.max(...all), state.lastEntry);
}

/** What the model reads: roles in turn, and every call with its result directly after, before anything else. */
function transcriptIsSound({ state, step }: ConversationDriver): void {
  const { transcript, turn } = state;
  transcript.forEach((message, index) => {
    assert.equal(message.role, index % 2 === 0 ? 'user' : 'assistant');
    assert.ok(message.content.length > 0);
    const results = resultsIn(message);
    assert.deepEqual(results, usesIn(transcript[index - 1]));
    assert.deepEqual(resultsIn({ ...message, content: message.content.slice(0, results.length) }), results);
  });
  const last = transcript.at(-1);
  const inHand = [...turn.results.map((result) => result.tool_use_id), ...turn.calls.map((call) => call.id)];
  assert.deepEqual(inHand, usesIn(last));
  if (step.do !== 'think') return;
  assert.equal(last?.role, 'user');
  assert.equal(step.messages, transcript.length);
}

/** Each message is in one place: said to the model, waiting for it, or the answer to a question. */
function nothingIsLost({ state, accepted }: ConversationDriver): void {
  const said = state.transcript
    .filter((message) => message.role === 'user')
    .flatMap((message) => message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
  const answered = questionsIn(state).flatMap((entry) => Object.values(entry.question.outcome?.answers ?? {}).flat());
  const texts = answered.map((value) => (typeof value === 'object' ? value.other : value));
  const heard = [...said, ...state.queued, ...texts];
  for (const text of accepted) assert.equal(heard.filter((one) => one === text).length, 1, text);
  const inOrder = [...said, ...state.queued].filter((text) => accepted.includes(text as string));
  assert.deepEqual(
    inOrder,
    accepted.filter((text) => inOrder.includes(text)),
  );
}

/** What has to be approved ran once for each yes, with the arguments that were shown; the model hears no yes of its own. */
function nothingRanUnapproved({ state, ran }: ConversationDriver): void {
  const guarded = ran.filter(({ call }) => call.name === 'dig');
  const yeses = guarded.map(({ call, input }) => {
    const asked = questionsIn(state).find(({ question }) => question.id === call.approval?.question)?.question;
    assert.equal(asked?.status, 'answered');
    assert.deepEqual(asked?.outcome?.answers, { q1: 'Yes, proceed' });
    assert.deepEqual(asked?.confirms, { tool: 'dig', arguments: input, digest: sha256Digest(input) });
    return asked?.id;
  });
  assert.equal(new Set(yeses).size, yeses.length);
}

/** Nothing is told twice, nor of a question that is settled. */
function nothingIsToldTwice({ state, told }: ConversationDriver): void {
  assert.equal(new Set(told).size, told.length);
  for (const { question } of questionsIn(state))
    assert.equal(question.notices.length, told.filter((one) => one.startsWith(`${question.id} `)).length);
  if (!state.question) assert.deepEqual(state.plan ?? [], []);
}

function endingIsWhole({ state, step, replies }: ConversationDriver): void {
  assert.equal(isConversationFinished(state), step.do === 'end');
  assert.equal(state.completedAt !== null, isConversationFinished(state));
  assert.equal(state.result !== null, state.status === 'completed');
  assert.equal(state.error !== null, state.status === 'failed' || state.status === 'cancelled');
  assert.equal(state.usage.modelCalls, replies);
  assert.deepEqual(cloneState(state), state, 'JSON only');
}

function run(happenings: DriverEvent[]): ConversationDriver {
  const driver = new ConversationDriver();
  const outcomes = new Map<string, string>();
  for (const event of happenings) {
    const before = JSON.stringify(driver.state);
    if (driver.happen(event)) assert.equal(JSON.stringify(driver.state), before, 'a refusal changes nothing');
    oneQuestionAtMost(driver);
    oneOutcomeEach(driver, outcomes);
    numbersOnlyGrow(driver);
    transcriptIsSound(driver);
    nothingIsLost(driver);
    nothingRanUnapproved(driver);
    nothingIsToldTwice(driver);
    endingIsWhole(driver);
  }
  return driver;
}

describe('a conversation, whatever happens to it in whatever order', () => {
  it('has one open question at most, one outcome each, loses nothing and never breaks', () => {
    fc.assert(
      fc.property(conversationEvents, (happenings) => void run(happenings)),
      { numRuns: 1_000 },
    );
  });

  it('was really put through everything that may happen', () => {
    const seen = new Set<string>();
    for (const happenings of fc.sample(conversationEvents, { numRuns: 300, seed: 7 })) {
      const { state, ran, told } = run(happenings);
      for (const { call } of ran) seen.add(call.name);
      if (told.some((one) => !one.endsWith(' 0'))) seen.add('reminded');
      if (state.entries.some((entry) => entry.kind === 'tool' && entry.name === 'delegate')) seen.add('delegate');
      seen.add(state.status);
      for (const { question } of questionsIn(state)) {
        seen.add(question.status);
        if (question.outcome?.defaulted) seen.add('defaulted');
        if (question.fields[0]?.header === 'Confirm') seen.add('confirmation');
      }
      if (state.verdicts.some((verdict) => verdict.status === 'accepted')) seen.add('message');
      if (state.asked.total > 3) seen.add('many questions');
    }
    const questions = ['answered', 'declined', 'timed_out', 'cancelled', 'pending', 'defaulted', 'confirmation'];
    const statuses = ['running', 'waiting_for_input', 'completed', 'failed', 'cancelled'];
    const effects = ['look_up', 'dig', 'delegate', 'reminded'];
    for (const what of [...questions, ...statuses, ...effects, 'message', 'many questions'])
      expect(seen).toContain(what);
  });
});
