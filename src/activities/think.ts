import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Agent } from '../contract/agent';
import { jsonBytes } from '../core/json';
import type { Block, Call } from '../core/state';
import type { Reply } from '../core/turn';
import { type Model, type ModelAnswer, ModelError } from '../model/model';
import { systemPrompt } from '../model/system-prompt';
import { withGuards } from '../tools/guards';
import type { McpServers } from '../tools/mcp';
import type { Toolbox } from '../tools/toolbox';
import type { ModelTurn, Reading } from '../workflows/hand-over';
import type { createRarely } from './rarely';
import { stopped } from './stopped';

/** Reads a run's transcript back from its workflow, as it was at that many messages. */
export type TranscriptReader = (
  run: { workflowId: string; runId: string },
  call: ModelTurn,
) => Promise<Reading>;

interface Thinking {
  model: Model;
  toolbox: Toolbox;
  mcp: McpServers;
  rarely: ReturnType<typeof createRarely>;
  readTranscript: TranscriptReader;
}

/** Call the model once. Text goes out as heartbeats while it is written. */
export async function think(
  { model, toolbox, mcp, rarely, readTranscript }: Thinking,
  call: ModelTurn,
): Promise<Reply> {
  const context = Context.current();
  const heart = heartbeat(context);
  try {
    const reading = await readTranscript(context.info.workflowExecution as never, call);
    const { agent, team, messages: transcript } = reading;
    const offer = withGuards(agent, await mcp.offer(agent.mcp ?? {}));
    for (const { server, why } of offer.unreachable)
      rarely(`${server} ${why}`, () => context.log.warn('MCP server not reached', { server, why }));
    const answer = await model.answer({
      model: agent.model,
      maxTokens: agent.maxTokens,
      system: systemPrompt(agent, offer.unreachable),
      tools: toolbox.definitions(agent, { mcp: offer, team }),
      messages: transcript,
      signal: context.cancellationSignal,
      onText: heart.write,
    });
    return within(replyOf(answer, agent, (use) => toolbox.read(use, agent, offer)));
  } catch (error) {
    throw context.cancellationSignal.aborted ? await stopped(context) : failure(error);
  } finally {
    heart.stop();
  }
}

type Use = Block & { type: 'tool_use' };

const BEAT_MS = 2_000;
const TEXT_MS = 250;
const TEXT_LENGTH = 64 * 1024;

/** Beats whether the model speaks or not, so that silence means a dead worker and nothing else. */
function heartbeat(context: Context): { write(text: string): void; stop(): void } {
  let text = '';
  let last = Date.now();
  let soon: NodeJS.Timeout | undefined;
  const beat = () => {
    clearTimeout(soon);
    soon = undefined;
    last = Date.now();
    context.heartbeat({ text: text.slice(0, TEXT_LENGTH) });
  };
  const timer = setInterval(beat, BEAT_MS);
  return {
    write(written) {
      text = written;
      // Also for what was written last before the model went silent, as it does while it writes a call.
      soon ??= setTimeout(beat, Math.max(0, last + TEXT_MS - Date.now()));
    },
    stop() {
      clearInterval(timer);
      clearTimeout(soon);
    },
  };
}

/** Temporal takes no result above 2 MB, and would have the model called, and billed, again and again; the state, less. */
const REPLY_BYTES = 400_000;

function within(reply: Reply): Reply {
  if (jsonBytes(reply) <= REPLY_BYTES) return reply;
  const message = 'The reply of the model was over 400 KB, more than a conversation can hold.';
  return { content: [], calls: [], usage: reply.usage, fault: { code: 'reply_too_large', message } };
}

function replyOf(answer: ModelAnswer, agent: Agent, read: (use: Use) => Call): Reply {
  const { usage } = answer;
  const isCut = answer.stopReason === 'max_tokens' || answer.stopReason === 'model_context_window_exceeded';
  const uses = answer.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  const calls = uses.map((use, index) => {
    // Only the last call can have been cut in two; its arguments are not what the model meant.
    if (isCut && index === uses.length - 1)
      return { id: use.id, name: use.name, run: 'fault' as const, message: CUT };
    return read(use);
  });
  const fault = uses.length > 0 ? undefined : faultOf(answer.stopReason, agent);
  return { content: answer.content, calls, usage, ...(fault ? { fault } : {}) };
}

const CUT =
  'Not run: the reply was cut off at its length limit in the middle of this call. Call again, with less at once.';

function faultOf(stopReason: string, agent: Agent): Reply['fault'] {
  switch (stopReason) {
    case 'max_tokens':
      return {
        code: 'reply_cut_off',
        message: `The reply was cut off at maxTokens (${agent.maxTokens}) of agent ${agent.name}. Send a message to let it go on, or raise maxTokens.`,
      };
    case 'model_context_window_exceeded':
      return {
        code: 'context_full',
        message: "The conversation has outgrown the model's context window. Start a new one.",
      };
    case 'refusal':
      return { code: 'model_refused', message: 'The model declined to go on with this conversation.' };
    default:
      return undefined;
  }
}

function failure(error: unknown): ApplicationFailure {
  if (!(error instanceof ModelError)) throw error;
  return ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nonRetryable: error.isFinal,
    ...(error.retryAfterMs === undefined ? {} : { nextRetryDelay: Math.max(error.retryAfterMs, 100) }),
  });
}
