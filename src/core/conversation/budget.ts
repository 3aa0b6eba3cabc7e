import type { Budget } from '#contract/agent';
import type { TokenUsage } from '#contract/conversation';
import type { Question } from '#contract/question';
import { createConfirmation, openQuestion, YES_LABEL } from '#core/questions/create';
import { canAskPeople } from '#core/tools/grants';
import { estimateContextUsage, maxReplyTokens } from '#core/transcript/token-budget';
import { type ConversationState, endConversation } from './state';
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
  calls: { conversationId: string; atMost: Amounts; isGranted: boolean }[];
  /** The last question about this budget. */
  questionId?: string;
  /** The answer was not yes, so the conversation ends at its next call. */
  isRefused?: true;
}

export function createBudgetLedger({ onLimit = 'ask', ...limits }: Budget): BudgetLedger {
  return { limits, step: limits, onLimit, spent: { usd: 0, tokens: 0, calls: 0 }, calls: [] };
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
  return Object.fromEntries(
    UNITS.flatMap((unit) => (limits[unit] === undefined ? [] : [[unit, limits[unit] - used[unit]]])),
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
  const mayAsk = budget.onLimit === 'ask' && !budget.isRefused && canAskPeople(state.agent);
  const question = {
    action: `${spent}. Continue with another ${describeAmounts(reached, budget.step)}?`,
    details: 'The budget of this conversation and its sub-agents is used up. Without a yes, it ends.',
    arguments: { spent: budget.spent, another: Object.fromEntries(reached.map((unit) => [unit, budget.step[unit]])) },
  };
  const build = mayAsk ? createConfirmation(state, question, now) : undefined;
  delete budget.isRefused;
  if (build?.ok) {
    budget.questionId = build.question.id;
    openQuestion(state, build, now);
  } else {
    const hint = budget.onLimit === 'ask' ? ' Send a message to be asked again.' : '';
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

/** The most that the next call of a sub-agent can use: twice the estimated prompt, and the longest reply. */
export function mostOfNextCall(state: ConversationState): Amounts {
  const inputTokens = 2 * estimateContextUsage(state).tokens;
  const outputTokens = maxReplyTokens({ ...state.agent, ...state.override });
  return toAmounts({ ...NO_USAGE, inputTokens, outputTokens, modelCalls: 1 }, state.modelRates);
}

/** A sub-agent wants to call the model. */
export function applyBudgetRequest({ budget }: ConversationState, raw: unknown): void {
  const { conversationId, amounts } = parseBudgetSignal(raw);
  if (!budget || typeof conversationId !== 'string') return;
  const others = budget.calls.filter((call) => call.conversationId !== conversationId);
  budget.calls = [...others, { conversationId, atMost: amounts, isGranted: false }];
}

/** The next model call may be made. */
export function applyBudgetGrant(state: ConversationState, raw: unknown): void {
  state.budgetGrant = Object(raw);
}

/** A sub-agent's call is over, or it will make none. */
export function applyBudgetSettlement({ budget }: ConversationState, raw: unknown): void {
  const { conversationId, amounts } = parseBudgetSignal(raw);
  const call = budget?.calls.find((each) => each.conversationId === conversationId);
  if (!budget || !call) return;
  budget.calls = budget.calls.filter((each) => each !== call);
  if (call.isGranted) budget.spent = addAmounts(budget.spent, amounts);
}

/** Never throws, as any client may send a signal, and an exception would block the run. */
function parseBudgetSignal(raw: unknown): { conversationId?: unknown; amounts: Amounts } {
  const { conversationId, amounts } = Object(raw);
  const read = (unit: Unit) => {
    const amount: unknown = Object(amounts)[unit];
    return typeof amount === 'number' && amount >= 0 && Number.isFinite(amount) ? amount : 0;
  };
  return { conversationId, amounts: { usd: read('usd'), tokens: read('tokens'), calls: read('calls') } };
}

/** What a granted call may use over all its attempts. */
export interface BudgetGrant {
  conversationId: string;
  allowance: Limits;
}

/**
 * Grants calls to sub-agents, as many at once as cannot reach the limit together; then one at a time, so that at most
 * one goes over it. At the limit asks once, or ends the conversation.
 */
export function grantBudgetCalls(state: ConversationState, now: number): BudgetGrant[] {
  const grants: BudgetGrant[] = [];
  for (const call of state.budget?.calls ?? []) {
    const { budget } = state;
    if (call.isGranted || !budget) continue;
    if (state.question || !isWithinBudget(state, now)) break;
    const open = budget.calls.filter(({ isGranted }) => isGranted);
    const atMost = open.reduce((sum, granted) => addAmounts(sum, granted.atMost), budget.spent);
    if (open.length > 0 && reachedLimits(budget.limits, atMost).length > 0) break;
    budget.calls = budget.calls.map((each) => (each === call ? { ...each, isGranted: true } : each));
    grants.push({ conversationId: call.conversationId, allowance: remaining(budget.limits, atMost) });
  }
  return grants;
}
