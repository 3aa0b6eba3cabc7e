import type Anthropic from '@anthropic-ai/sdk';
import type { ModelRequest, ModelScript, ScriptedReply } from '#models/demo/reply';
import { type DemoModelServer, type DemoModelServerOptions, startDemoModelServer } from '#models/demo/server';
import { SUMMARY_PROMPT } from '#models/prompts/summary';

export interface ScriptedModel extends DemoModelServer {
  /** Resolves with the request at that index, as soon as it has arrived. */
  waitForRequest(index: number): Promise<ModelRequest>;
  /** Set by tests in which thinking gets invalid. */
  mayRejectThinking: boolean;
  /** Throws if a request was not expected, or a reply was never used. */
  expectAllRepliesUsed(): void;
  /** Stops the server, then throws if a request was not expected, or contained invalid thinking. */
  stop(): Promise<void>;
}

/** Gives replies in order. Rejects requests beyond the last reply, and records them. */
export class ScriptPlayer {
  readonly requests: ModelRequest[] = [];
  private readonly unexpectedRequests: string[] = [];
  private readonly waiters: (() => void)[] = [];
  private replyCount = 0;

  constructor(private readonly replies: readonly (ScriptedReply | ModelScript)[]) {}

  readonly reply = async (request: ModelRequest, index: number): Promise<ScriptedReply> => {
    for (const resolve of this.waiters.splice(0)) resolve();
    const reply = this.replies[this.replyCount++];
    if (reply === undefined) return this.refuse(`the script has ended: request ${index + 1} was not expected`, request);
    if (typeof reply !== 'function') return reply;
    try {
      return await reply(request, index);
    } catch (error) {
      return this.refuse(`the script failed on request ${index + 1}: ${error}`, request);
    }
  };

  /** Replies 400, which nothing retries, so that a test fails at once instead of at its timeout. */
  private refuse(message: string, request: ModelRequest): ScriptedReply {
    this.unexpectedRequests.push(`${message}\n${JSON.stringify(request.body.messages.slice(-2), null, 2)}`);
    return replyWithError(400, { message });
  }

  /** Returns the test's view of the scripted model that is served at `url`. */
  toScriptedModel(url: string, requests: ModelRequest[], stop: () => Promise<void>): ScriptedModel {
    const model: ScriptedModel = {
      url,
      requests,
      mayRejectThinking: false,
      waitForRequest: async (index) => {
        while (!requests[index]) await new Promise<void>((resolve) => this.waiters.push(resolve));
        return requests[index];
      },
      expectAllRepliesUsed: () => {
        this.expectNoFaults();
        const unused = this.replies.length - this.replyCount;
        if (unused > 0) throw new Error(`${unused} of ${this.replies.length} replies were never asked for`);
      },
      stop: async () => {
        await stop();
        this.expectNoFaults();
        if (!model.mayRejectThinking) expectValidThinking(requests);
      },
    };
    return model;
  }

  private expectNoFaults(): void {
    if (this.unexpectedRequests.length > 0) throw new Error(this.unexpectedRequests.join('\n\n'));
  }
}

function expectValidThinking(requests: ModelRequest[]): void {
  const paths = requests.flatMap(({ invalidThinking }, index) => {
    const paths = invalidThinking.flatMap(({ path, reason }) => (reason === 'prefix_binding_mismatch' ? [path] : []));
    return paths.length > 0 ? [`request ${index + 1}: ${paths.join(', ')}`] : [];
  });
  if (paths.length > 0) throw new Error(`Thinking behind a changed prefix was sent:\n${paths.join('\n')}`);
}

/** Starts a model on its own port that gives these replies in order. */
export async function startScriptedModel(
  replies: readonly (ScriptedReply | ModelScript)[],
  options: DemoModelServerOptions = {},
): Promise<ScriptedModel> {
  const player = new ScriptPlayer(replies);
  const server = await startDemoModelServer(player.reply, options);
  return player.toScriptedModel(server.url, server.requests, server.stop);
}

export const replyWithText = (text: string): ScriptedReply => ({ text });

export const replyWithToolCalls = (...calls: { name: string; input: unknown; id?: string }[]): ScriptedReply => ({
  calls,
});

/** Asks a question with options, as in `replyWithQuestion('Which colour?', 'Red', 'Blue')`, or complete questions. */
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

/** Whether the request asks the model to summarise older turns. */
export function isSummaryModelRequest({ body }: ModelRequest): boolean {
  return JSON.stringify(body.messages.at(-1)).includes(SUMMARY_PROMPT.slice(0, 60));
}

/** Returns the tool results in the newest user message, with their text. */
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

/** Creates a promise that holds a reply back until it is released. */
export function createLatch(): { hold: Promise<unknown>; release: () => void } {
  let release: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { hold, release };
}
