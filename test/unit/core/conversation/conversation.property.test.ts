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
  assert.equal(state.questionCount.total, questionsIn(state).length);
}

/** Each question has one outcome and one result, and neither ever changes. */
function oneOutcomeEach({ state }: ConversationDriver, known: Map<string, string>): void {
  for (const { question, settledId } of questionsIn(state)) {
    assert.equal(question.status === 'pending', settledId === null);
    assert.equal(question.outcome === null, settledId === null);
    const verdicts = state.messageResults.filter((verdict) => verdict.questionId === question.id);
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
  assert.deepEqual(state.settledQuestion, last?.question ?? null);
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
  assert.equal(Math.max(...all), state.lastEntryId);
}

/** What the model reads: alternating roles, and every call with its result directly after it. */
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
  const inHand = [...turn.results.map((result) => result.tool_use_id), ...turn.pendingCalls.map((call) => call.id)];
  assert.deepEqual(inHand, usesIn(last));
  if (step.do !== 'callModel') return;
  assert.equal(last?.role, 'user');
  assert.equal(step.messageCount, transcript.length);
}

/** Each message is in one place: passed to the model, queued, or the answer to a question. */
function nothingIsLost({ state, acceptedMessages }: ConversationDriver): void {
  const said = state.transcript
    .filter((message) => message.role === 'user')
    .flatMap((message) => message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
  const answered = questionsIn(state).flatMap((entry) => Object.values(entry.question.outcome?.answers ?? {}).flat());
  const texts = answered.map((value) => (typeof value === 'object' ? value.other : value));
  const heard = [...said, ...state.queuedMessages, ...texts];
  for (const text of acceptedMessages) assert.equal(heard.filter((one) => one === text).length, 1, text);
  const inOrder = [...said, ...state.queuedMessages].filter((text) => acceptedMessages.includes(text as string));
  assert.deepEqual(
    inOrder,
    acceptedMessages.filter((text) => inOrder.includes(text)),
  );
}

/** A guarded tool ran once for each approval, with the arguments shown, and the model gets no other approval. */
function nothingRanUnapproved({ state, toolRuns }: ConversationDriver): void {
  const guarded = toolRuns.filter(({ call }) => call.name === 'dig');
  const yeses = guarded.map(({ call, input }) => {
    const asked = questionsIn(state).find(({ question }) => question.id === call.approval?.questionId)?.question;
    assert.equal(asked?.status, 'answered');
    assert.deepEqual(asked?.outcome?.answers, { q1: 'Yes, proceed' });
    assert.deepEqual(asked?.confirms, { tool: 'dig', arguments: input, digest: sha256Digest(input) });
    return asked?.id;
  });
  assert.equal(new Set(yeses).size, yeses.length);
}

/** Nothing is sent twice, nor about a closed question. */
function nothingIsToldTwice({ state, sentNotices }: ConversationDriver): void {
  assert.equal(new Set(sentNotices).size, sentNotices.length);
  for (const { question } of questionsIn(state))
    assert.equal(question.notices.length, sentNotices.filter((one) => one.startsWith(`${question.id} `)).length);
  if (!state.question) assert.deepEqual(state.notificationPlan ?? [], []);
}

function endingIsWhole({ state, step }: ConversationDriver): void {
  assert.equal(isConversationFinished(state), step.do === 'end');
  assert.equal(state.completedAt !== null, isConversationFinished(state));
  assert.equal(state.result !== null, state.status === 'completed');
  assert.equal(state.error !== null, state.status === 'failed' || state.status === 'cancelled');
  assert.deepEqual(cloneState(state), state, 'JSON only');
}

function run(happenings: DriverEvent[]): ConversationDriver {
  const driver = new ConversationDriver();
  const outcomes = new Map<string, string>();
  for (const event of happenings) {
    const before = JSON.stringify(driver.state);
    if (driver.apply(event)) assert.equal(JSON.stringify(driver.state), before, 'a refusal changes nothing');
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

describe('a conversation, for any events in any order', () => {
  it('has at most one open question, one outcome each, loses nothing and never breaks', () => {
    fc.assert(
      fc.property(conversationEvents, (happenings) => void run(happenings)),
      { numRuns: 1_000 },
    );
  });

  it('was really put through every kind of event', () => {
    const seen = new Set<string>();
    for (const happenings of fc.sample(conversationEvents, { numRuns: 300, seed: 7 })) {
      const { state, toolRuns, sentNotices } = run(happenings);
      for (const { call } of toolRuns) seen.add(call.name);
      if (sentNotices.some((one) => !one.endsWith(' 0'))) seen.add('reminded');
      if (state.entries.some((entry) => entry.kind === 'tool' && entry.name === 'delegate')) seen.add('delegate');
      seen.add(state.status);
      for (const { question } of questionsIn(state)) {
        seen.add(question.status);
        if (question.outcome?.defaulted) seen.add('defaulted');
        if (question.fields[0]?.header === 'Confirm') seen.add('confirmation');
      }
      if (state.messageResults.some((verdict) => verdict.status === 'accepted')) seen.add('message');
      if (state.questionCount.total > 3) seen.add('many questions');
    }
    const questions = ['answered', 'declined', 'timed_out', 'cancelled', 'pending', 'defaulted', 'confirmation'];
    const statuses = ['running', 'waiting_for_input', 'completed', 'failed', 'cancelled'];
    const effects = ['look_up', 'dig', 'delegate', 'reminded'];
    for (const what of [...questions, ...statuses, ...effects, 'message', 'many questions'])
      expect(seen).toContain(what);
  });
});
