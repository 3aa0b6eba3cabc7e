import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startRehearsal } from '#model/rehearsal';
import type { ModelRequest, Reply } from '#model/rehearsal-reply';

/** What the activities call. Both sides' calls arrive in this process, so one clock times them all. */
export interface World {
  modelUrl: string;
  bareUrl: string;
  /** When that call of a conversation arrived, as soon as it has. Each can be asked for once. */
  arrival(id: string, call: 1 | 2): Promise<number>;
  stop(): Promise<void>;
}

export const OPTIONS = ['Red', 'Blue'] as const;
export const ENDING = 'Then that is settled.';

export async function startWorld(): Promise<World> {
  const arrivals = new Map<string, PromiseWithResolvers>();
  const of = (key: string) => {
    const known = arrivals.get(key) ?? withResolvers();
    arrivals.set(key, known);
    return known;
  };
  const arrived = (id: string, call: 1 | 2, at: number) => of(`${id} ${call}`).resolve(at);

  const model = await startRehearsal((request) => play(request, arrived), { record: false });
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
function play(
  { body, arrivedAt }: ModelRequest,
  arrived: (id: string, call: 1 | 2, at: number) => void,
): Reply {
  const id = textOf(body.messages[0]?.content);
  if (body.messages.length > 1) {
    arrived(id, 2, arrivedAt);
    return { text: ENDING };
  }
  arrived(id, 1, arrivedAt);
  const options = OPTIONS.map((label) => ({ label }));
  return {
    calls: [
      {
        name: 'ask_user_question',
        input: { questions: [{ question: 'Which colour is it to be?', options }] },
      },
    ],
  };
}

function textOf(content: ModelRequest['body']['messages'][number]['content'] | undefined): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

interface PromiseWithResolvers {
  promise: Promise<number>;
  resolve(at: number): void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve: (at: number) => void = () => undefined;
  const promise = new Promise<number>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
