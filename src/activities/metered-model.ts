import { ApplicationFailure, type Context } from '@temporalio/activity';
import type { TokenUsage } from '#contract/conversation';
import { BUDGET_REACHED, reachedLimits, toAmounts } from '#core/conversation/budget';
import { addUsage, NO_USAGE } from '#core/conversation/usage';
import type { Model } from '#models/model';
import type { ModelCallRef } from '#workflows/runtime/sinks';

/** The model of one activity. Every call goes through it, so that none is left out of the usage. */
export interface MeteredModel extends Pick<Model, 'generate'> {
  /** What this activity has used, earlier attempts and interrupted calls included: they are billed too. */
  usage(): TokenUsage;
}

/**
 * Continues from what earlier attempts left in their heartbeats, since a failed attempt returns nothing. Makes a further
 * call only within the allowance.
 */
export function meterModel(
  model: Model,
  { info }: Context,
  { allowance = {} }: Pick<ModelCallRef, 'allowance'>,
): MeteredModel {
  let usage = (info.heartbeatDetails as { usage?: TokenUsage } | undefined)?.usage ?? NO_USAGE;
  return {
    usage: () => usage,
    async generate(call) {
      if (usage.modelCalls > 0 && reachedLimits(allowance, toAmounts(usage)).length > 0)
        throw ApplicationFailure.nonRetryable('The budget allows no further attempt.', BUDGET_REACHED, usage);
      const before = usage;
      const onUsage = (used: TokenUsage) => {
        usage = addUsage(before, used);
      };
      const response = await model.generate({ ...call, onUsage });
      onUsage(response.usage);
      return response;
    },
  };
}
