import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Agent } from '../contract/agent';
import { jsonBytes } from '../core/json';
import type { Message } from '../core/state';
import { SUMMARY_REQUEST } from '../core/summary-request';
import { textOf } from '../core/transcript';
import { squeezed, withoutResults } from '../core/trimming';
import { type ModelAnswer, ModelError } from '../model/model';
import type { SummaryTurn } from '../workflows/hand-over';
import { heartbeat } from './heartbeat';
import { failure, prepare, type Thinking } from './model-call';
import { stopped } from './stopped';

export interface Summary {
  text: string;
  usage: { inputTokens: number; outputTokens: number };
}

/**
 * Have the model summarise the older turns of its conversation. It reads them as it read them before, with the same prompt
 * and tools, so that its cache serves. Nobody sees it written.
 */
export async function summarise(thinking: Thinking, turn: SummaryTurn): Promise<Summary> {
  const context = Context.current();
  const heart = heartbeat(context);
  try {
    const { agent, call } = await prepare(thinking, context, turn);
    const ask = (most: number) =>
      thinking.model.answer({
        ...call,
        maxTokens: Math.min(turn.maxTokens, agent.maxTokens),
        messages: asked(fitting(agent, call.messages, most), turn.lost),
        onText: () => undefined,
      });
    const answer = await ask(turn.most).catch((error) => {
      if (!(error instanceof ModelError && error.overflow)) throw error;
      return ask(turn.most / 2);
    });
    return { text: summaryIn(answer), usage: answer.usage };
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

function summaryIn(answer: ModelAnswer): string {
  const text = textOf(answer.content);
  if (text !== '' && answer.stopReason !== 'refusal') return text;
  throw ApplicationFailure.nonRetryable(`The model wrote no summary (${answer.stopReason}).`, 'no_summary');
}
