import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { startDemoModelServer } from '#models/demo/server';

/**
 * The HTTP servers that activities call. Calls of both subjects arrive in this process, so one clock times them all.
 */
export interface CallbackServer {
  modelUrl: string;
  bareUrl: string;
  /** Resolves when that call of a conversation arrives, with its time. Each call can be awaited once. */
  waitForCall(id: string, call: 1 | 2): Promise<number>;
  stop(): Promise<void>;
}

export const ANSWER_CHOICES = ['Red', 'Blue'] as const;
export const COMPLETION_TEXT = 'Done.';

export async function startCallbackServer(): Promise<CallbackServer> {
  const arrivals = new Map<string, DeferredArrival>();
  const deferredFor = (key: string) => {
    const deferred = arrivals.get(key) ?? createDeferredArrival();
    arrivals.set(key, deferred);
    return deferred;
  };
  const recordArrival = (id: string, call: 1 | 2, timeMs: number) => deferredFor(`${id} ${call}`).resolve(timeMs);

  const model = await startDemoModelServer((request) => replyToModelRequest(request, recordArrival), {
    recordRequests: false,
  });
  const bare = createServer((request, response) => {
    const [, id, call] = (request.url ?? '').split('/');
    recordArrival(String(id), call === '1' ? 1 : 2, performance.now());
    response.end();
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));

  return {
    modelUrl: model.url,
    bareUrl: `http://127.0.0.1:${(bare.address() as AddressInfo).port}`,
    async waitForCall(id, call) {
      const key = `${id} ${call}`;
      const timeMs = await deferredFor(key).promise;
      arrivals.delete(key);
      return timeMs;
    },
    async stop() {
      bare.close();
      bare.closeAllConnections();
      await model.stop();
    },
  };
}

/**
 * Asks one question, then ends, without delay: the model is not what is measured. The first message is the conversation
 * id.
 */
function replyToModelRequest(
  { body, arrivedAt }: ModelRequest,
  recordArrival: (id: string, call: 1 | 2, timeMs: number) => void,
): ScriptedReply {
  const id = readMessageText(body.messages[0]?.content);
  if (body.messages.length > 1) {
    recordArrival(id, 2, arrivedAt);
    return { text: COMPLETION_TEXT };
  }
  recordArrival(id, 1, arrivedAt);
  const options = ANSWER_CHOICES.map((label) => ({ label }));
  return {
    calls: [
      {
        name: 'ask_user_question',
        input: { questions: [{ question: 'Which colour?', options }] },
      },
    ],
  };
}

function readMessageText(content: ModelRequest['body']['messages'][number]['content'] | undefined): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

interface DeferredArrival {
  promise: Promise<number>;
  resolve(timeMs: number): void;
}

function createDeferredArrival(): DeferredArrival {
  let resolve: (timeMs: number) => void = () => undefined;
  const promise = new Promise<number>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
