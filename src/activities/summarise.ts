import { Context } from '@temporalio/activity';
import type { Agent } from '#contract/agent';
import { jsonBytes } from '#core/json';
import type { Message } from '#core/state';
import { SUMMARY_REQUEST } from '#core/summary-request';
import { textOf } from '#core/transcript';
import { squeezed, withoutResults } from '#core/trimming';
import { type ModelAnswer, ModelError } from '#model/model';
import type { SummaryTurn } from '#workflows/hand-over';
import { heartbeat } from './heartbeat';
import { failure, prepare, type Thinking } from './model-call';
import { stopped } from './stopped';

export interface Summary {
  /** Nothing where the model wrote none, however often it was asked. */
  text: string | null;
  why?: string;
  usage: { inputTokens: number; outputTokens: number };
}

/**
 * Have the model summarise the older turns of its conversation. It reads them as it read them before, with the same prompt
 * and tools. Nobody sees it written.
 */
export async function summarise(thinking: Thinking, turn: SummaryTurn): Promise<Summary> {
  const context = Context.current();
  const heart = heartbeat(context);
  try {
    const { agent, call } = await prepare(thinking, context, turn);
    const ask = (most: number) =>
      thinking.model.answer({
        ...call,
        maxTokens: turn.maxTokens,
        toolChoice: 'none',
        messages: asked(fitting(agent, call.messages, most), turn.lost),
        onText: () => undefined,
      });
    return await written(() => ask(turn.most).catch((error) => unlessTooLong(error) ?? ask(turn.most / 2)));
  } catch (error) {
    throw context.cancellationSignal.aborted ? await stopped(context) : failure(error);
  } finally {
    heart.stop();
  }
}

/** As little is left out as it takes. */
function fitting(agent: Agent, messages: Message[], most: number): Message[] {
  if (jsonBytes(messages) <= most) return messages;
  return squeezed(agent, withoutResults(agent, messages, most), most);
}

/** The older turns end with what the person or a tool said, and so must a request. */
function asked(messages: Message[], lost: number): Message[] {
  const last = messages.at(-1) as Message;
  const text = SUMMARY_REQUEST + (lost > 0 ? notKept(lost) : '');
  return [...messages.slice(0, -1), { ...last, content: [...last.content, { type: 'text', text }] }];
}

function notKept(lost: number): string {
  return ` The ${lost} oldest of them are no longer kept: carry over what was asked, answered and decided there.`;
}

/** A model that did something else when it was asked may do it when it is asked again. */
const TRIES = 3;

async function written(ask: () => Promise<ModelAnswer>): Promise<Summary> {
  const usage = { inputTokens: 0, outputTokens: 0 };
  let why = '';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await ask().catch(unlessTooLong);
    if (!answer) return { text: null, why: 'Even half of it was too long to read.', usage };
    usage.inputTokens += answer.usage.inputTokens;
    usage.outputTokens += answer.usage.outputTokens;
    const text = textOf(answer.content);
    if (isSummary(answer, text)) return { text, usage };
    why = `The model wrote no summary (${answer.stopReason}).`;
  }
  return { text: null, why, usage };
}

function unlessTooLong(error: unknown): undefined {
  if (!(error instanceof ModelError && error.overflow)) throw error;
}

/** What is shorter and was cut off is the beginning of one at best. */
const STUMP = 200;
const CUT = ['max_tokens', 'model_context_window_exceeded'];

/** What was said before a call tells what the model was about to do, not what there was. */
function isSummary({ content, stopReason }: ModelAnswer, text: string): boolean {
  if (stopReason === 'refusal' || content.some(({ type }) => type === 'tool_use')) return false;
  return text.length > (CUT.includes(stopReason) ? STUMP : 0);
}
