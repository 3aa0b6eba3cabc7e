import type Anthropic from '@anthropic-ai/sdk';
import { SUMMARY_REQUEST } from '../../src/core/summary-request';
import {
  type ModelRequest,
  type Rehearsal,
  type RehearsalOptions,
  type Reply,
  type Script,
  startRehearsal,
} from '../../src/model/rehearsal';

export interface ScriptedModel extends Rehearsal {
  /** The request at that place in the order of arrival, as soon as it has arrived. */
  received(index: number): Promise<ModelRequest>;
  /** Throws where a request was not expected, or a reply was never asked for. */
  expectDone(): void;
  /** Stops the server, then throws where a request was not expected. */
  stop(): Promise<void>;
}

/** Plays the replies in order, whoever asks. A request too many is refused for good, and remembered. */
export async function scriptedModel(
  replies: (Reply | Script)[],
  options: RehearsalOptions = {},
): Promise<ScriptedModel> {
  const faults: string[] = [];
  const waiting: (() => void)[] = [];
  let played = 0;
  const rehearsal = await startRehearsal(async (request, index) => {
    for (const wake of waiting.splice(0)) wake();
    const reply = replies[played++];
    if (reply === undefined)
      return refuse(`the script has ended: request ${index + 1} was not expected`, request);
    if (typeof reply !== 'function') return reply;
    try {
      return await reply(request, index);
    } catch (error) {
      return refuse(`the script failed on request ${index + 1}: ${error}`, request);
    }
  }, options);

  /** 400, which nothing retries: a test fails at once and not at its time limit. */
  function refuse(message: string, request: ModelRequest): Reply {
    faults.push(`${message}\n${JSON.stringify(request.body.messages.slice(-2), null, 2)}`);
    return fail(400, { message });
  }

  function expectNoFaults(): void {
    if (faults.length > 0) throw new Error(faults.join('\n\n'));
  }

  return {
    ...rehearsal,
    async received(index) {
      while (!rehearsal.requests[index]) await new Promise<void>((resolve) => waiting.push(resolve));
      return rehearsal.requests[index];
    },
    expectDone() {
      expectNoFaults();
      if (played < replies.length)
        throw new Error(`${replies.length - played} of ${replies.length} replies were never asked for`);
    },
    async stop() {
      await rehearsal.stop();
      expectNoFaults();
    },
  };
}

export const say = (text: string): Reply => ({ text });

export const use = (...calls: { name: string; input: unknown; id?: string }[]): Reply => ({ calls });

/** `ask('Which colour?', 'Red', 'Blue')`, or whole questions. */
export function ask(question: string | object | object[], ...labels: string[]): Reply {
  const options = labels.length > 0 ? labels.map((label) => ({ label })) : undefined;
  const questions = typeof question === 'string' ? [{ question, options }] : [question].flat();
  return use({ name: 'ask_user_question', input: { questions } });
}

export function fail(
  status: number,
  rest: { type?: string; message?: string; retryAfter?: number | string } = {},
): Reply {
  return { error: { status, ...rest } };
}

/** Whether the model is asked to summarise older turns, and not to go on. */
export function isSummaryRequest({ body }: ModelRequest): boolean {
  return JSON.stringify(body.messages.at(-1)).includes(SUMMARY_REQUEST.slice(0, 60));
}

/** The tool results in the newest user message, with their text. */
export function lastToolResults({ body }: ModelRequest): { id: string; text: string; isError: boolean }[] {
  const content = body.messages.findLast(({ role }) => role === 'user')?.content ?? [];
  if (typeof content === 'string') return [];
  const results = content.filter((block) => block.type === 'tool_result');
  return results.map((result) => ({
    id: result.tool_use_id,
    text: textOf(result),
    isError: result.is_error === true,
  }));
}

function textOf({ content = '' }: Anthropic.ToolResultBlockParam): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Holds a reply back until it is released. */
export function latch(): { hold: Promise<unknown>; release: () => void } {
  let release: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { hold, release };
}
