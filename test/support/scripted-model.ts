import type Anthropic from '@anthropic-ai/sdk';
import type { ModelRequest, ModelScript, ScriptedReply } from '#models/demo/reply';
import { type DemoModelServer, type DemoModelServerOptions, startDemoModelServer } from '#models/demo/server';
import { SUMMARY_PROMPT } from '#models/prompts/summary';

export interface ScriptedModel extends DemoModelServer {
  /** The request at that place in the order of arrival, as soon as it has arrived. */
  received(index: number): Promise<ModelRequest>;
  /** Throws where a request was not expected, or a reply was never asked for. */
  expectDone(): void;
  /** Stops the server, then throws where a request was not expected. */
  stop(): Promise<void>;
}

/** Plays replies in order. A request too many is refused for good, and remembered. */
export class ScriptPlayer {
  readonly requests: ModelRequest[] = [];
  private readonly faults: string[] = [];
  private readonly waiting: (() => void)[] = [];
  private played = 0;

  constructor(private readonly replies: readonly (ScriptedReply | ModelScript)[]) {}

  readonly play = async (request: ModelRequest, index: number): Promise<ScriptedReply> => {
    for (const wake of this.waiting.splice(0)) wake();
    const reply = this.replies[this.played++];
    if (reply === undefined) return this.refuse(`the script has ended: request ${index + 1} was not expected`, request);
    if (typeof reply !== 'function') return reply;
    try {
      return await reply(request, index);
    } catch (error) {
      return this.refuse(`the script failed on request ${index + 1}: ${error}`, request);
    }
  };

  /** 400, which nothing retries: a test fails at once and not at its time limit. */
  private refuse(message: string, request: ModelRequest): ScriptedReply {
    this.faults.push(`${message}\n${JSON.stringify(request.body.messages.slice(-2), null, 2)}`);
    return replyWithError(400, { message });
  }

  /** What a test sees of a model that is served at `url`. */
  model(url: string, requests: ModelRequest[], stop: () => Promise<void>): ScriptedModel {
    return {
      url,
      requests,
      received: async (index) => {
        while (!requests[index]) await new Promise<void>((resolve) => this.waiting.push(resolve));
        return requests[index];
      },
      expectDone: () => {
        this.expectNoFaults();
        const left = this.replies.length - this.played;
        if (left > 0) throw new Error(`${left} of ${this.replies.length} replies were never asked for`);
      },
      stop: async () => {
        await stop();
        this.expectNoFaults();
      },
    };
  }

  private expectNoFaults(): void {
    if (this.faults.length > 0) throw new Error(this.faults.join('\n\n'));
  }
}

/** A model on a port of its own that plays these replies, whoever asks. */
export async function startScriptedModel(
  replies: readonly (ScriptedReply | ModelScript)[],
  options: DemoModelServerOptions = {},
): Promise<ScriptedModel> {
  const player = new ScriptPlayer(replies);
  const rehearsal = await startDemoModelServer(player.play, options);
  return player.model(rehearsal.url, rehearsal.requests, rehearsal.stop);
}

export const replyWithText = (text: string): ScriptedReply => ({ text });

export const replyWithToolCalls = (...calls: { name: string; input: unknown; id?: string }[]): ScriptedReply => ({
  calls,
});

/** `ask('Which colour?', 'Red', 'Blue')`, or whole questions. */
export function replyWithQuestion(question: string | object | object[], ...labels: string[]): ScriptedReply {
  const options = labels.length > 0 ? labels.map((label) => ({ label })) : undefined;
  const questions = typeof question === 'string' ? [{ question, options }] : [question].flat();
  return replyWithToolCalls({ name: 'ask_user_question', input: { questions } });
}

export function replyWithError(
  status: number,
  rest: { type?: string; message?: string; retryAfter?: number | string } = {},
): ScriptedReply {
  return { error: { status, ...rest } };
}

/** Whether the model is asked to summarise older turns, and not to go on. */
export function isSummaryModelRequest({ body }: ModelRequest): boolean {
  return JSON.stringify(body.messages.at(-1)).includes(SUMMARY_PROMPT.slice(0, 60));
}

/** The tool results in the newest user message, with their text. */
export function lastToolResults({ body }: ModelRequest): { id: string; text: string; isError: boolean }[] {
  const content = body.messages.findLast(({ role }) => role === 'user')?.content ?? [];
  if (typeof content === 'string') return [];
  const results = content.filter((block) => block.type === 'tool_result');
  return results.map((result) => ({
    id: result.tool_use_id,
    text: readResultText(result),
    isError: result.is_error === true,
  }));
}

function readResultText({ content = '' }: Anthropic.ToolResultBlockParam): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Holds a reply back until it is released. */
export function createLatch(): { hold: Promise<unknown>; release: () => void } {
  let release: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { hold, release };
}
