import { Context } from '@temporalio/activity';
import type { Agent } from '#contract/agent';
import { jsonBytes } from '#core/json';
import type { Block, Call } from '#core/state';
import type { Reply } from '#core/turn';
import { type ModelAnswer, ModelError } from '#model/model';
import type { ModelTurn } from '#workflows/hand-over';
import { heartbeat } from './heartbeat';
import { failure, prepare, type Thinking } from './model-call';
import { stopped } from './stopped';

/** Call the model once. Text goes out as heartbeats while it is written. */
export async function think(thinking: Thinking, turn: ModelTurn): Promise<Reply> {
  const { model, toolbox } = thinking;
  const context = Context.current();
  const heart = heartbeat(context);
  try {
    const { agent, offer, call } = await prepare(thinking, context, turn);
    const answer = await model.answer({ ...call, onText: heart.write });
    const window = model.window(agent.model);
    const reply = within(replyOf(answer, agent, (use) => toolbox.read(use, agent, offer)));
    return { ...reply, ...(window ? { window } : {}) };
  } catch (error) {
    if (context.cancellationSignal.aborted) throw await stopped(context);
    if (error instanceof ModelError && error.overflow) return overflowing(error);
    throw failure(error);
  } finally {
    heart.stop();
  }
}

/** No failure yet: the conversation makes room and comes again. */
function overflowing({ message, overflow }: ModelError): Reply {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return {
    content: [],
    calls: [],
    usage,
    overflow,
    fault: { code: 'context_full', message: `${message}. ${FULL}` },
  };
}

const FULL =
  "This conversation does not fit the model's context window, though what is older was summarised. Send a shorter message to go on, or start a new one; if the agent has many tools or a long prompt, give it fewer, or a smaller maxTokens.";

type Use = Block & { type: 'tool_use' };

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
  const isFull = fault?.code === 'context_full';
  return {
    content: answer.content,
    calls,
    usage,
    ...(fault ? { fault } : {}),
    ...(isFull ? { overflow: {} } : {}),
  };
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
        message: `The reply was cut off at the end of the model's context window. ${FULL}`,
      };
    case 'refusal':
      return { code: 'model_refused', message: 'The model declined to go on with this conversation.' };
    default:
      return undefined;
  }
}
