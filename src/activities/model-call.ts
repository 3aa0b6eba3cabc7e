import { ApplicationFailure, type Context } from '@temporalio/activity';
import { type Model, type ModelCall, ModelError } from '#model/model';
import { systemPrompt } from '#model/system-prompt';
import type { Vouches } from '#signing/pinned';
import { withGuards } from '#tools/guards';
import type { McpServers } from '#tools/mcp';
import type { Toolbox } from '#tools/toolbox';
import type { ModelTurn, Reading } from '#workflows/hand-over';
import { grantedServers } from './grants';
import type { createRarely } from './rarely';

/** Reads a run's transcript back from its workflow, as it was at that many messages. */
export type TranscriptReader = (
  run: { workflowId: string; runId: string },
  call: ModelTurn,
) => Promise<Reading>;

export interface Thinking {
  model: Model;
  toolbox: Toolbox;
  mcp: McpServers;
  vouches: Vouches;
  rarely: ReturnType<typeof createRarely>;
  readTranscript: TranscriptReader;
}

/** What the model is sent for this turn of its conversation, and what its tools are: the same each time, so that it is cached. */
export async function prepare(
  { toolbox, mcp, vouches, rarely, readTranscript }: Thinking,
  context: Context,
  turn: ModelTurn,
) {
  const { agent, team, messages } = await readTranscript(context.info.workflowExecution as never, turn);
  const { servers, refused } = grantedServers(agent, vouches);
  const { tools, unreachable } = await mcp.offer(servers);
  const offer = withGuards(agent, { tools, unreachable: [...unreachable, ...refused] });
  for (const { server, why } of offer.unreachable)
    rarely(`${server} ${why}`, () => context.log.warn('MCP server not reached', { server, why }));
  const call: Omit<ModelCall, 'onText'> = {
    model: agent.model,
    maxTokens: agent.maxTokens,
    system: systemPrompt(agent, offer.unreachable),
    tools: toolbox.definitions(agent, { mcp: offer, team }),
    messages,
    signal: context.cancellationSignal,
  };
  return { agent, offer, call };
}

export function failure(error: unknown): ApplicationFailure {
  if (!(error instanceof ModelError)) throw error;
  return ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nonRetryable: error.isFinal,
    ...(error.retryAfterMs === undefined ? {} : { nextRetryDelay: Math.max(error.retryAfterMs, 100) }),
  });
}
