import assert from 'node:assert/strict';
import fc from 'fast-check';
import { advance, applyModelReply, type NextStep } from '#core/conversation/advance';
import { applyUserMessage } from '#core/conversation/messages';
import type { ConversationState } from '#core/conversation/state';
import { NO_USAGE } from '#core/conversation/usage';
import { jsonBytes } from '#core/json';
import { applyAnswer, applyDecline } from '#core/questions/resolve';
import { recordToolResult } from '#core/tools/dispatch';
import { applySummary } from '#core/transcript/compaction';
import { estimateContextUsage, maxTranscriptBytes } from '#core/transcript/token-budget';
import { findRequestError } from '#models/demo/validate-request';
import {
  cloneState,
  modelReply,
  nameQuestion,
  START_TIME,
  startedConversation,
  testAgent,
  toolUse,
} from '#test/support/core/conversation-fixture';

const size = fc.constantFrom(0, 10, 300, 2_000, 9_000, 40_000);
const letters = fc.constantFrom('a ', 'é', '水', '"\\', '</past_message>', '😀');
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('say', 'look', 'two'), size, letters }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('ask', 'decline', 'dig', 'refuse'), size, letters }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('message', 'todos', 'full'), size, letters }) },
);
const story = fc.record({
  window: fc.constantFrom(12_000, 30_000, 60_000),
  tokenBytes: fc.constantFrom(1.5, 3.5, 5),
  tools: fc.constantFrom(1_000, 4_000),
  summary: fc.constantFrom('', 'Short.', 'long '.repeat(8_000)),
  events: fc.array(event, { minLength: 10, maxLength: 80 }),
});
type Story = typeof story extends fc.Arbitrary<infer S> ? S : never;
type Event = Story['events'][number];

/** A conversation run like the workflow, with a model that counts tokens like its API. */
class Play {
  state: ConversationState;
  step: NextStep;
  compactions = 0;
  /** What people said, which the model must find again. */
  spoken: string[] = [];
  private calls = 0;

  constructor(private story: Story) {
    const tools = [{ name: 'write_todos' }, { name: 'look_up' }, { name: 'dig', requiresConfirmation: true }];
    const of = { ...testAgent({ perTurn: 1_000, perConversation: 10_000 }), tools };
    this.state = startedConversation({
      agent: { ...of, contextWindow: story.window, maxTokens: 2_000 },
      message: 'Paint it.',
    });
    this.step = this.go();
  }

  happen({ kind, size, letters }: Event): void {
    const { state } = this;
    const text = letters.repeat(size / letters.length);
    this.calls += 1;
    const id = `call-${this.calls}`;
    if (kind === 'message') {
      applyUserMessage(state, { text: `message ${id} ${text}` }, START_TIME);
      this.step = this.go();
      return;
    }
    if (this.step.do !== 'callModel') return;
    if (kind === 'full') return this.overflow();
    const calls = {
      look: [toolUse(id, 'look_up', { text })],
      two: [toolUse(id, 'look_up', {}), toolUse(`${id}b`, 'look_up', {})],
      ask: [toolUse(id, 'ask_user_question', { questions: [nameQuestion] })],
      decline: [toolUse(id, 'ask_user_question', { questions: [nameQuestion] })],
      dig: [toolUse(id, 'dig', { id })],
      refuse: [toolUse(id, 'dig', { id })],
      todos: [toolUse(id, 'write_todos', { todos: [{ content: id, status: 'pending' }] })],
      say: [],
    }[kind as 'say'];
    this.reply(`Step ${id}. ${text}`, calls);
    this.serve(kind, `${id} ${text.slice(0, 1_800)}`.trim());
  }

  private reply(text: string, calls: ReturnType<typeof toolUse>[]): void {
    const usage = { inputTokens: this.tokens(), outputTokens: 50, cachedTokens: 0, modelCalls: 1 };
    applyModelReply(this.state, { ...modelReply([text, ...calls], this.state.agent), usage }, START_TIME);
    this.step = this.go();
  }

  /** Performs every step until the next model call. */
  private serve(kind: string, text: string): void {
    const { state } = this;
    for (let rounds = 0; this.step.do === 'runTool' || this.step.do === 'park'; rounds += 1) {
      assert.ok(rounds < 5, 'it goes on');
      if (this.step.do === 'runTool') recordToolResult(state, this.step.call, { result: text.repeat(20) }, START_TIME);
      else if (kind === 'decline') applyDecline(state, { reason: text }, START_TIME);
      else if (kind === 'ask') applyAnswer(state, { answer: text }, START_TIME);
      else {
        const yes = kind === 'dig' ? 'Yes, proceed' : 'No, cancel';
        applyAnswer(state, { questionId: state.question?.id, answer: yes }, START_TIME);
      }
      this.step = this.go();
    }
    if (kind === 'ask') this.spoken.push(JSON.stringify({ answers: { [nameQuestion.question]: text } }));
    if (kind === 'decline') this.spoken.push(`The user declined to answer: ${text}`);
  }

  private overflow(): void {
    const told = { tokens: this.tokens(), limit: this.story.window };
    const reply = { content: [], calls: [], usage: NO_USAGE, overflow: told };
    applyModelReply(this.state, { ...reply, error: { code: 'context_full', message: 'Full.' } }, START_TIME);
    this.step = this.go();
  }

  private tokens(): number {
    return this.story.tools + Math.round(jsonBytes(this.state.transcript) / this.story.tokenBytes);
  }

  private go(): NextStep {
    const step = advance(this.state, START_TIME);
    if (step.do !== 'compact') return step;
    this.compactions += 1;
    const most = maxTranscriptBytes(this.state);
    applySummary(this.state, step, this.story.summary);
    const bytes = jsonBytes(this.state.transcript);
    assert.ok(bytes <= most + 3_000, `${bytes} bytes of ${most}`);
    const next = advance(this.state, START_TIME);
    assert.notEqual(next.do, 'compact', 'once is enough');
    return next;
  }
}

function check({ state, step, spoken }: Play): void {
  if (step.do !== 'callModel') return;
  assert.equal(step.messageCount, state.transcript.length);
  assert.equal(findRequestError({ model: 'm', max_tokens: 1, messages: state.transcript }), undefined);
  assert.ok(
    Math.abs(estimateContextUsage(state).bytes - jsonBytes(state.transcript)) < 40 * state.transcript.length + 100,
  );
  if (state.summary?.dropped) return;
  const blocks = state.transcript.flatMap(({ content }) => content);
  const heard = blocks.map((block) =>
    block.type === 'text' ? block.text : block.type === 'tool_result' ? block.content : '',
  );
  for (const text of spoken) {
    const isThere = heard.some((one) => one.includes(text) || one.includes(text.replaceAll('</past', '‹/past')));
    assert.ok(isThere, `gone: ${text.slice(0, 80)}`);
  }
}

describe('for any history of a conversation', () => {
  it('the compacted transcript is valid for the Messages API, within the window, and has what people said', () => {
    let compactions = 0;
    fc.assert(
      fc.property(story, (told) => {
        const play = new Play(told);
        for (const one of told.events) {
          play.happen(one);
          check(play);
          // A single turn may exceed it; it is reduced before the next.
          assert.ok(jsonBytes(play.state.transcript) < 1_000_000);
        }
        assert.deepEqual(cloneState(play.state), play.state, 'JSON only');
        compactions += play.compactions;
      }),
      { numRuns: 30 },
    );
    expect(compactions).toBeGreaterThan(30);
  });

  it('repeated compaction stays within limits', () => {
    fc.assert(
      fc.property(story, (told) => {
        const play = new Play({ ...told, window: 12_000 });
        const sizes: number[] = [];
        for (let round = 0; play.compactions < 8 && round < 20; round += 1) {
          const before = play.compactions;
          for (const one of told.events) {
            play.happen(one);
            if (play.compactions > before + sizes.length) sizes.push(jsonBytes(play.state.transcript));
          }
        }
        const { summary: past, transcript } = play.state;
        if (!past) return;
        const head = jsonBytes(transcript[0]);
        // At most 12,000 tokens and the reserved parts. What the API has not counted is estimated at 3.5 bytes a token.
        const tokenBytes = Math.max(told.tokenBytes, 3.5);
        assert.ok(head < 0.55 * 12_000 * tokenBytes + 5_000, `the head has ${head} bytes`);
      }),
      { numRuns: 10 },
    );
  });
});
