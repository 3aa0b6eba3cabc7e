import { ActivityFailure, ApplicationFailure, condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import type { TokenUsage } from '#contract/conversation';
import {
  applyBudgetSettlement,
  BUDGET_REACHED,
  type BudgetGrant,
  mostOfNextCall,
  recordUsage,
  remainingBudget,
  toAmounts,
} from '#core/conversation/budget';
import { type ConversationState, isConversationFinished } from '#core/conversation/state';
import { NO_USAGE } from '#core/conversation/usage';
import { grantBudgetSignal, requestBudgetSignal, settleBudgetSignal } from '#workflows/messages';
import { cancelWhenFinished } from '#workflows/runtime/cancel-when';
import type { ModelCallRef } from '#workflows/runtime/sinks';

/**
 * Calls the model within the budget and records what that used, however it ends. A sub-agent waits until the
 * conversation that has the budget grants the call, which may take days. Returns `undefined` if there is no reply: the
 * conversation ended, or the budget was reached between two attempts.
 */
export async function callWithinBudget<
  Call extends ModelCallRef & { maxTokens?: number },
  Reply extends { usage: TokenUsage },
>(state: ConversationState, call: Call, callModel: (call: Call) => Promise<Reply>): Promise<Reply | undefined> {
  const { id, budgetPath: above } = state;
  let used = NO_USAGE;
  try {
    if (above?.[0]) {
      const request = { conversationId: id, above, amounts: mostOfNextCall(state, call) };
      await signalWorkflow(above[0], requestBudgetSignal, request);
      await condition(() => state.budgetGrant !== undefined || isConversationFinished(state));
    }
    const allowance = state.budgetGrant ?? remainingBudget(state);
    const reply = await cancelWhenFinished(state, () => callModel(allowance ? { ...call, allowance } : call));
    if (!reply && !isConversationFinished(state))
      throw ApplicationFailure.create({ message: "The model's reply could not be decoded." });
    used = reply?.usage ?? NO_USAGE;
    return reply;
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : error;
    if (!(cause instanceof ApplicationFailure)) throw error;
    used = (cause.details?.[0] as TokenUsage | undefined) ?? NO_USAGE;
    if (cause.type !== BUDGET_REACHED) throw error;
    return undefined;
  } finally {
    recordUsage(state, used);
    delete state.budgetGrant;
    if (above) await settleBudgetCall(state, id, used);
  }
}

function signalWorkflow(workflowId: string, signal: typeof requestBudgetSignal, content: object): Promise<void> {
  return getExternalWorkflowHandle(workflowId).signal(signal, content);
}

/** Tells the conversation that has the budget what a call used. If that has ended, nothing counts any more. */
export async function settleBudgetCall(state: ConversationState, conversationId: string, used = NO_USAGE) {
  const settlement = { conversationId, amounts: toAmounts(used, state.modelRates) };
  const [holder] = state.budgetPath ?? [];
  if (!holder) return applyBudgetSettlement(state, settlement);
  await signalWorkflow(holder, settleBudgetSignal, settlement).catch(() => undefined);
}

/** Grants a call of a sub-agent. If that has ended, the call is settled. */
export function sendBudgetGrant(state: ConversationState, { conversationId, allowance }: BudgetGrant): void {
  signalWorkflow(conversationId, grantBudgetSignal, allowance).catch(() => settleBudgetCall(state, conversationId));
}
