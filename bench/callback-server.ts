import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { startDemoModelServer } from '#models/demo/server';

/** What the activities call. Both sides' calls arrive in this process, so one clock times them all. */
export interface CallbackServer {
  modelUrl: string;
  bareUrl: string;
  /** When that call of a conversation arrived, as soon as it has. Each can be asked for once. */
  arrival(id: string, call: 1 | 2): Promise<number>;
  stop(): Promise<void>;
}

export const ANSWER_CHOICES = ['Red', 'Blue'] as const;
export const COMPLETION_TEXT = 'Then that is settled.';

export async function startCallbackServer(): Promise<CallbackServer> {
  const arrivals = new Map<string, DeferredArrival>();
  const of = (key: string) => {
    const known = arrivals.get(key) ?? createDeferredArrival();
    arrivals.set(key, known);
    return known;
  };
  const arrived = (id: string, call: 1 | 2, at: number) => of(`${id} ${call}`).resolve(at);

  const model = await startDemoModelServer((request) => replyToModelRequest(request, arrived), {
    record: false,
  });
  const bare = createServer((request, response) => {
    const [, id, call] = (request.url ?? '').split('/');
    arrived(String(id), call === '1' ? 1 : 2, performance.now());
    response.end();
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));

  return {
    modelUrl: model.url,
    bareUrl: `http://127.0.0.1:${(bare.address() as AddressInfo).port}`,
    async arrival(id, call) {
      const key = `${id} ${call}`;
      const at = await of(key).promise;
      arrivals.delete(key);
      return at;
    },
    async stop() {
      bare.close();
      bare.closeAllConnections();
      await model.stop();
    },
  };
}

/** Ask one question, then end: at once, since it is not the model that is measured. The first message names the conversation. */
function replyToModelRequest(
  { body, arrivedAt }: ModelRequest,
  arrived: (id: string, call: 1 | 2, at: number) => void,
): ScriptedReply {
  const id = readMessageText(body.messages[0]?.content);
  if (body.messages.length > 1) {
    arrived(id, 2, arrivedAt);
    return { text: COMPLETION_TEXT };
  }
  arrived(id, 1, arrivedAt);
  const options = ANSWER_CHOICES.map((label) => ({ label }));
  return {
    calls: [
      {
        name: 'ask_user_question',
        input: { questions: [{ question: 'Which colour is it to be?', options }] },
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
  resolve(at: number): void;
}

function createDeferredArrival(): DeferredArrival {
  let resolve: (at: number) => void = () => undefined;
  const promise = new Promise<number>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
