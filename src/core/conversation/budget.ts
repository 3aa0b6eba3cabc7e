import type { Budget } from '#contract/agent';
import type { TokenUsage } from '#contract/conversation';
import type { Question } from '#contract/question';
import { createConfirmation, openQuestion, YES_LABEL } from '#core/questions/create';
import { canAskPeople } from '#core/tools/grants';
import {
  effectiveContextWindow,
  MAX_SUMMARY_ATTEMPTS,
  maxReplyTokens,
  maxSummaryTokens,
} from '#core/transcript/token-budget';
import { type ConversationState, endConversation, isConversationFinished } from './state';
import { addUsage, formatUsd, NO_USAGE } from './usage';

/** Amounts of what a budget can limit. */
export type Amounts = Required<Pick<Budget, 'usd' | 'tokens' | 'calls'>>;
type Limits = Partial<Amounts>;
type Unit = keyof Amounts;

/** The highest price of a model in use, in USD per million tokens: what a call costs at most. */
export interface ModelRates {
  input: number;
  output: number;
}

/** The budget of a conversation and its sub-agents. Only the conversation that has it counts, so nothing counts twice. */
export interface BudgetLedger {
  /** What may be used until the next question. */
  limits: Limits;
  /** What each yes adds. */
  step: Limits;
  onLimit: 'ask' | 'stop';
  spent: Amounts;
  /** Calls of sub-agents, from request to settlement, each with the most that it can use. One per conversation. */
  calls: { conversationId: string; above: string[]; atMost: Amounts; isGranted: boolean }[];
  /** The questions about this budget, which don't count as the agent's own, and the last one. */
  questionsAsked: number;
  questionId?: string;
  /** The answer was not yes, so the conversation ends at its next call. */
  isRefused?: true;
}

export function createBudgetLedger({ onLimit = 'ask', ...limits }: Budget): BudgetLedger {
  return { limits, step: limits, onLimit, spent: { usd: 0, tokens: 0, calls: 0 }, calls: [], questionsAsked: 0 };
}

/** Adds what model calls used to the conversation, and to its budget. The only place that counts. */
export function recordUsage(state: ConversationState, used: TokenUsage): void {
  state.usage = addUsage(state.usage, used);
  if (state.budget) state.budget.spent = addAmounts(state.budget.spent, toAmounts(used, state.modelRates));
}

/** What a call used. At the highest rates if its cost is unknown, so that a budget errs towards asking. */
export function toAmounts(used: TokenUsage, rates: ModelRates = { input: 0, output: 0 }): Amounts {
  const { inputTokens, outputTokens, modelCalls: calls } = used;
  const usd = used.cost ?? (inputTokens * rates.input + outputTokens * rates.output) / 1e6;
  return { usd, tokens: inputTokens + outputTokens, calls };
}

function addAmounts(a: Amounts, b: Amounts): Amounts {
  return { usd: Math.round((a.usd + b.usd) * 1e6) / 1e6, tokens: a.tokens + b.tokens, calls: a.calls + b.calls };
}

/** The code of a conversation that ended at its budget, and of a call that may make no further attempt. */
export const BUDGET_REACHED = 'budget_reached';

const UNITS: Unit[] = ['usd', 'tokens', 'calls'];

/** The limits that the amounts reach. */
export function reachedLimits(limits: Limits, amounts: Amounts): Unit[] {
  return UNITS.filter((unit) => amounts[unit] >= (limits[unit] ?? Number.POSITIVE_INFINITY));
}

function remaining(limits: Limits, used: Amounts): Limits {
  return mapLimits(limits, (limit, unit) => limit - used[unit]);
}

function mapLimits(limits: Limits, toAmount: (limit: number, unit: Unit) => number): Limits {
  return Object.fromEntries(
    UNITS.flatMap((unit) => (limits[unit] === undefined ? [] : [[unit, toAmount(limits[unit], unit)]])),
  );
}

/** What this conversation's next call may use over all its attempts; undefined without a budget. */
export function remainingBudget({ budget }: ConversationState): Limits | undefined {
  return budget && remaining(budget.limits, budget.spent);
}

/** True if the budget allows a model call. Otherwise asks whether to continue, or ends the conversation. */
export function isWithinBudget(state: ConversationState, now: number): boolean {
  const { budget } = state;
  const reached = budget ? reachedLimits(budget.limits, budget.spent) : [];
  if (!budget || reached.length === 0) return true;
  const spent = `${describeAmounts(reached, budget.spent)} spent`;
  const canAsk = budget.onLimit === 'ask' && canAskPeople(state.agent);
  const question = {
    isUnlimited: true as const,
    action: `${spent}. Continue with another ${describeAmounts(reached, budget.step)}?`,
    details: 'The budget of this conversation and its sub-agents is used up. Without a yes, it ends.',
    arguments: { spent: budget.spent, another: Object.fromEntries(reached.map((unit) => [unit, budget.step[unit]])) },
  };
  const build = canAsk && !budget.isRefused ? createConfirmation(state, question, now) : undefined;
  delete budget.isRefused;
  if (build?.ok) {
    budget.questionId = build.question.id;
    budget.questionsAsked += 1;
    openQuestion(state, build, now);
    state.questionCount.sinceMessage -= 1;
  } else {
    const hint = canAsk ? ' Send a message to be asked again.' : '';
    const message = `The conversation was stopped at its budget: ${spent}.${hint}`;
    endConversation(state, 'failed', { error: { code: BUDGET_REACHED, message } }, now);
  }
  return false;
}

const FORMATS: Record<Unit, (amount: number) => string> = {
  usd: formatUsd,
  tokens: (amount) => `${amount.toLocaleString('en')} tokens`,
  calls: (amount) => `${amount.toLocaleString('en')} model ${amount === 1 ? 'call' : 'calls'}`,
};

function describeAmounts(units: Unit[], amounts: Limits): string {
  return units.map((unit) => FORMATS[unit](amounts[unit] ?? 0)).join(' and ');
}

/** Applies the outcome of the question about the budget: only a person's yes adds to it. */
export function applyBudgetOutcome(budget: BudgetLedger, { status, onTimeout, outcome }: Question): void {
  if (status === 'answered' && outcome?.answers?.q1 === YES_LABEL) {
    for (const unit of reachedLimits(budget.limits, budget.spent))
      budget.limits = { ...budget.limits, [unit]: budget.spent[unit] + (budget.step[unit] ?? 0) };
  } else if (status !== 'cancelled' && !(status === 'timed_out' && onTimeout === 'fail')) budget.isRefused = true;
}

/**
 * The most that the next call of a sub-agent can use: twice the estimated prompt (a full window before the first call,
 * as tools may be long) and the longest reply. A summary, which has its own `maxTokens`, may take several calls.
 */
export function mostOfNextCall(state: ConversationState, { maxTokens }: { maxTokens?: number }): Amounts {
  const agent = { ...state.agent, ...state.override };
  const modelCalls = maxTokens === undefined ? 1 : MAX_SUMMARY_ATTEMPTS;
  const inputTokens = modelCalls * (state.contextUsage ? 2 * state.contextUsage.tokens : effectiveContextWindow(state));
  const outputTokens =
    modelCalls * (maxTokens === undefined ? maxReplyTokens(agent) : maxSummaryTokens(agent.model, maxTokens));
  return toAmounts({ ...NO_USAGE, inputTokens, outputTokens, modelCalls }, state.modelRates);
}

/** A sub-agent wants to call the model. */
export function applyBudgetRequest({ budget }: ConversationState, raw: unknown): void {
  const { conversationId, above, amounts } = parseBudgetSignal(raw);
  if (!budget || typeof conversationId !== 'string') return;
  const others = budget.calls.filter((call) => call.conversationId !== conversationId);
  budget.calls = [...others, { conversationId, above, atMost: amounts, isGranted: false }];
}

/** The next model call may be made. */
export function applyBudgetGrant(state: ConversationState, raw: unknown): void {
  state.budgetGrant = Object(raw);
}

/** A sub-agent's call is over, or it will make none. Then no call below it is open: one that still is was terminated. */
export function applyBudgetSettlement({ budget }: ConversationState, raw: unknown): void {
  const { conversationId, amounts } = parseBudgetSignal(raw);
  const over = budget?.calls.filter((each) => [each.conversationId, ...each.above].includes(conversationId as string));
  if (!budget || !over?.length) return;
  budget.calls = budget.calls.filter((each) => !over.includes(each));
  if (over.some((each) => each.isGranted && each.conversationId === conversationId))
    budget.spent = addAmounts(budget.spent, amounts);
}

/** Never throws, as any client may send a signal, and an exception would block the run. */
function parseBudgetSignal(raw: unknown): { conversationId?: unknown; above: string[]; amounts: Amounts } {
  const { conversationId, above, amounts } = Object(raw);
  const read = (unit: Unit) => {
    const amount: unknown = Object(amounts)[unit];
    return typeof amount === 'number' && amount >= 0 && Number.isFinite(amount) ? amount : 0;
  };
  return {
    conversationId,
    above: Array.isArray(above) ? above : [],
    amounts: { usd: read('usd'), tokens: read('tokens'), calls: read('calls') },
  };
}

/** What a granted call may use over all its attempts. */
export interface BudgetGrant {
  conversationId: string;
  allowance: Limits;
}

/** Temporal ends a run at 51,200 events, and none can be continued while sub-agents are open. */
const MAX_HISTORY_LENGTH = 40_000;
const TREE_TOO_LARGE = {
  code: 'too_many_model_calls',
  message: 'The sub-agents were stopped after too many model calls at a stretch. Send a message to continue.',
};

/**
 * Grants calls to sub-agents, as many at once as cannot reach the limit together; then one at a time, so that at most
 * one goes over it. At the limit asks once, or ends the conversation.
 */
export function grantBudgetCalls(state: ConversationState, now: number, historyLength: number): BudgetGrant[] {
  const grants: BudgetGrant[] = [];
  if (state.budget && historyLength > MAX_HISTORY_LENGTH)
    endConversation(state, 'failed', { error: TREE_TOO_LARGE }, now);
  for (const call of state.budget?.calls ?? []) {
    const { budget } = state;
    if (call.isGranted || !budget) continue;
    if (state.question || isConversationFinished(state) || !isWithinBudget(state, now)) break;
    const { limits, spent } = budget;
    const open = budget.calls.filter(({ isGranted }) => isGranted);
    const atMost = open.reduce((sum, granted) => addAmounts(sum, granted.atMost), spent);
    if (open.length > 0 && reachedLimits(limits, atMost).length > 0) break;
    // Alone until it is settled, so it may use all that is left.
    const isAlone = open.length === 0 && reachedLimits(limits, addAmounts(spent, call.atMost)).length > 0;
    const allowance = isAlone ? remaining(limits, spent) : mapLimits(limits, (_, unit) => call.atMost[unit]);
    budget.calls = budget.calls.map((each) => (each === call ? { ...each, isGranted: true } : each));
    grants.push({ conversationId: call.conversationId, allowance });
  }
  return grants;
}
