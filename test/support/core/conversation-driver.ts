import fc from 'fast-check';
import type { Agent } from '#contract/agent';
import type { QuestionField } from '#contract/question';
import { advance, applyModelReply, type NextStep } from '#core/conversation/advance';
import { applyCancel, applyUserMessage } from '#core/conversation/messages';
import {
  type ConversationState,
  endConversation,
  isConversationFinished,
  type ParsedToolCall,
  reopenConversation,
} from '#core/conversation/state';
import { recordNotification, startDueNotifications } from '#core/questions/notifications';
import { applyAnswer, applyDecline, expireQuestion } from '#core/questions/resolve';
import { recordToolResult } from '#core/tools/dispatch';
import type { ContentBlock } from '#core/transcript/transcript';
import {
  cloneState,
  colourQuestion,
  modelReply,
  nameQuestion,
  START_TIME,
  sizesQuestion,
  startedConversation,
  testAgent,
  toolUse,
} from './conversation-fixture';

const replyPart = fc.constantFrom(
  'say',
  'think',
  'ask',
  'list',
  'both',
  'default',
  'fail',
  'wait',
  'bad',
  'confirm',
  'todos',
  'unknown',
  'tool',
  'guarded',
  'delegate',
);
const replyEvent = fc.record({
  kind: fc.constant('reply' as const),
  parts: fc.array(replyPart, { maxLength: 5 }),
  fails: fc.nat(19),
});
/** Few ids, so that some signals are repeated. */
const signalId = fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { nil: undefined });
const signalFields = {
  id: signalId,
  questionId: fc.option(fc.constantFrom('question-1', 'question-2'), { nil: undefined, freq: 6 }),
};
const signalEvent = fc.record({
  kind: fc.constantFrom('answer', 'answer', 'answer', 'decline', 'message', 'message', 'cancel'),
  fits: fc.nat(3),
  ...signalFields,
});
const effectEvent = fc.record({
  kind: fc.constantFrom('outcome', 'outcome', 'error', 'expire', 'expire', 'remind', 'model_fails', 'roll_over'),
});

/** Random events of a conversation. Events that are impossible in the current state are skipped. */
export const conversationEvents = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: replyEvent },
    { weight: 4, arbitrary: signalEvent },
    { weight: 2, arbitrary: effectEvent },
  ),
  { minLength: 5, maxLength: 60 },
);
export type DriverEvent = typeof conversationEvents extends fc.Arbitrary<(infer E)[]> ? E : never;

const busyAgent: Agent = {
  ...testAgent({ perTurn: 6, perConversation: 12, remind: [2_000, 3_600_000], notify: ['log'] }),
  tools: [{ name: 'write_todos' }, { name: 'look_up' }, { name: 'dig', requiresConfirmation: true }],
  subagents: ['mate'],
};

/** A conversation with its environment, run like the workflow does. */
export class ConversationDriver {
  state: ConversationState = startedConversation({ agent: busyAgent });
  step: NextStep = advance(this.state, START_TIME);
  now = START_TIME;
  /** The texts of the accepted messages. */
  acceptedMessages: string[] = [];
  /** The tool calls that started as activities, with their input. */
  toolRuns: { call: ParsedToolCall; input: unknown }[] = [];
  /** The notifications that were sent, by question and number. */
  sentNotices: string[] = [];
  private calls = 0;

  /** Returns true if the event was a signal that was rejected. */
  apply(event: DriverEvent): boolean {
    this.now += 1_000;
    if (event.kind === 'reply') this.reply(event as never);
    else if (event.kind === 'roll_over') this.state = cloneState(this.state);
    else if ('fits' in event) return !this.applySignal(event as never);
    else this.applyEffect(event.kind);
    return false;
  }

  private reply(event: { parts: string[]; fails: number }): void {
    if (this.step.do !== 'callModel') return;
    const blocks = event.parts.map((kind) => this.createBlock(kind));
    const errorPart = event.fails === 0 ? { error: { code: 'reply_cut_off', message: 'Cut off.' } } : {};
    const replyBlocks = event.fails === 0 ? blocks.filter((block) => block.type !== 'tool_use') : blocks;
    applyModelReply(this.state, { ...modelReply(replyBlocks, this.state.agent), ...errorPart }, this.now);
    this.takeNextStep();
  }

  private applyEffect(kind: string): void {
    const { state, step, now } = this;
    if (kind === 'model_fails' && step.do === 'callModel')
      endConversation(state, 'failed', { error: { code: 'model_unavailable', message: 'No.' } }, now);
    else if (kind === 'outcome' && step.do === 'runTool') recordToolResult(state, step.call, { result: 'Found.' }, now);
    else if (kind === 'error' && step.do === 'runTool') recordToolResult(state, step.call, { error: 'Lost.' }, now);
    else if (kind === 'outcome' && step.do === 'runSubagents')
      for (const call of step.calls) recordToolResult(state, call, { result: 'Done.' }, now);
    else if (kind === 'remind' && step.do === 'park') return this.sendReminders();
    else if (kind === 'expire' && step.do === 'park' && state.question?.expiresAt) {
      this.now = Math.max(now, Date.parse(state.question.expiresAt));
      expireQuestion(state, this.now);
    } else return;
    this.takeNextStep();
  }

  private sendReminders(): void {
    const { state } = this;
    const [next] = (state.notificationPlan ?? []).filter(({ sending }) => !sending);
    this.now = Math.max(this.now, Date.parse(next?.at ?? '') || 0);
    for (const notice of startDueNotifications(state, this.now)) {
      this.sentNotices.push(`${state.question?.id} ${notice.number}`);
      recordNotification(state, state.question?.id ?? '', notice, undefined, this.now);
    }
  }

  private applySignal(event: { kind: string; id?: string; questionId?: string; fits: number }): boolean {
    const { state, now } = this;
    const text = ` ${event.kind} at ${now}\n`;
    const isReopening = event.kind === 'message' && this.step.do === 'end';
    if (isReopening) reopenConversation(state, now);
    const handlers = {
      answer: applyAnswer,
      decline: applyDecline,
      cancel: applyCancel,
      message: applyUserMessage,
    };
    const content = { ...event, text, reason: text, receivedAt: now, answers: this.createAnswers(event.fits) };
    // Half of the answers name their question.
    if (event.fits > 1) content.questionId ??= state.question?.id;
    const raw = event.kind === 'message' ? { ...content, answers: undefined } : content;
    const { ok } = handlers[event.kind as keyof typeof handlers](state, raw, now);
    if (ok && event.kind === 'message') this.acceptedMessages.push(text);
    // Waits for a running activity, unless the conversation has ended meanwhile.
    const isBusy = ['callModel', 'runTool', 'runSubagents'].includes(this.step.do) && !isConversationFinished(state);
    if (!isBusy && (ok || isReopening)) this.takeNextStep();
    return ok || isReopening;
  }

  private takeNextStep(): void {
    this.step = advance(this.state, this.now);
    const { step } = this;
    if (step.do === 'runTool') this.toolRuns.push({ call: step.call, input: step.input });
  }

  private createAnswers(fits: number): unknown {
    const fields = this.state.question?.fields ?? [];
    const chosen = (field: QuestionField) => {
      const label = field.options?.[fits % field.options.length]?.label ?? `text ${this.now}`;
      return field.multiSelect ? [label] : label;
    };
    return fits === 0 ? { q1: 'Mauve', q9: 1 } : Object.fromEntries(fields.map((f) => [f.key, chosen(f)]));
  }

  private createBlock(kind: string): ContentBlock {
    this.calls += 1;
    const call = (tool: string, input: unknown) => toolUse(`call-${this.calls}`, tool, input);
    const ask = (questions: object[], rest = {}) => call('ask_user_question', { questions, ...rest });
    const blocks: Record<string, () => ContentBlock> = {
      say: () => ({ type: 'text', text: `Step ${this.calls}.` }),
      think: () => ({ type: 'thinking', thinking: 'Hm.', signature: 's' }),
      ask: () => ask([nameQuestion]),
      list: () => ask([sizesQuestion]),
      both: () => ask([colourQuestion, nameQuestion]),
      default: () => ask([{ ...colourQuestion, default: 'Red' }], { onTimeout: 'default', timeout: '1h' }),
      fail: () => ask([colourQuestion], { onTimeout: 'fail', timeout: '5s' }),
      wait: () => ask([{ ...colourQuestion, allowOther: false }], { onTimeout: 'wait' }),
      bad: () => ask([colourQuestion, colourQuestion]),
      confirm: () => call('confirm_action', { action: 'Delete the shed?', default: 'No' }),
      todos: () => call('write_todos', { todos: [{ content: `Item ${this.calls}`, status: 'pending' }] }),
      unknown: () => call('no_such_tool', {}),
      tool: () => call('look_up', { n: this.calls }),
      guarded: () => call('dig', { n: this.calls % 3 }),
      delegate: () => call('delegate', { agent: 'mate', task: 'Look.' }),
    };
    return (blocks[kind] as () => ContentBlock)();
  }
}
