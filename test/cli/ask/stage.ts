import type { Question } from '../../../src/contract/question';
import type { ModelRequest, Reply } from '../../../src/model/rehearsal';
import { type Parley, parley, type Settings } from '../../helpers/parley';
import { say } from '../../helpers/scripted-model';
import { onScreen, type Screen, type Shown } from '../../helpers/terminal';

export interface Asking {
  parley: Parley;
  /** A conversation that asks this, and waits. */
  asks(reply: Reply, more?: object): Promise<string>;
  /** `parley answer` on a screen, once keys count. */
  answering(id: string, shown?: Shown): Promise<Screen>;
  /** `parley start` on a screen, for an agent that then says this. */
  starting(reply: Reply): Screen;
  /** The question as it ended. */
  outcome(id: string): Promise<Question>;
  /** For afterEach. */
  closeScreens(): void;
}

/** A whole Parley whose agent asks whatever a test wants. */
export async function asking(settings: Settings = {}): Promise<Asking> {
  const replies = new Map<string, Reply>();
  const screens: Screen[] = [];
  const stage = await parley({
    ...settings,
    script: (request) => (isFirst(request) ? replies.get(wordsOf(request)) : undefined) ?? say('Done.'),
  });
  return {
    parley: stage,
    async asks(reply, more) {
      const name = `ask ${replies.size}`;
      replies.set(name, reply);
      const id = await stage.start(name, more);
      await stage.question(id);
      return id;
    },
    async answering(id, { env, ...shown } = {}) {
      const screen = onScreen(['answer', id], { env: { PARLEY_URL: stage.url, ...env }, ...shown });
      screens.push(screen);
      await screen.until(/Enter/);
      return screen;
    },
    starting(reply) {
      const name = `ask ${replies.size}`;
      replies.set(name, reply);
      const screen = onScreen(['start', stage.agent, name], { env: { PARLEY_URL: stage.url } });
      screens.push(screen);
      return screen;
    },
    outcome: async (id) =>
      (await stage.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body,
    closeScreens() {
      for (const screen of screens.splice(0)) screen.close();
    },
  };
}

function isFirst({ body }: ModelRequest): boolean {
  return body.messages.length === 1;
}

function wordsOf({ body }: ModelRequest): string {
  const content = body.messages[0]?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
