import { ConversationStatus } from '#contract/conversation';
import type { StatusCounts } from '#contract/responses';
import type { Caller } from './caller';
import type { Context } from './context';
import { ofAgent, STATUS, seenBy, visibility } from './visibility';

/**
 * How many conversations are in each status. Visibility counts runs: of what is open there is one each, of what ended
 * one for each ending, and it cannot tell which of them were taken up again.
 */
export async function countConversations(
  { gateway }: Context,
  caller: Caller,
  agent: string | undefined,
): Promise<StatusCounts> {
  const counted = await Promise.all(
    ConversationStatus.options.map(async (status) => {
      const wanted = visibility(STATUS[status], ofAgent(agent), seenBy(caller, gateway.salt));
      return [status, await gateway.count(wanted)] as const;
    }),
  );
  return Object.fromEntries(counted) as StatusCounts;
}
