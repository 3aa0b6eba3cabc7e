import type { Question } from '#contract/question';
import type { ModelRequest, Reply } from '#model/rehearsal';
import { eventually } from '#test/support/eventually';
import { type Parley, parley, type Settings } from '#test/support/parley';
import { say } from '#test/support/scripted-model';
import { onScreen, type Screen, type Shown } from '#test/support/terminal';

export interface Asking {
  parley: Parley;
  /** A conversation that asks this, and waits. */
  asks(reply: Reply, more?: object): Promise<string>;
  /** The same, without a look at whether it still waits. */
  asked(reply: Reply, more?: object): Promise<string>;
  /** `parley` with these words on a screen. */
  onScreen(words: string[], shown?: Shown): Screen;
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
  const named = (reply: Reply) => {
    const name = `ask ${replies.size}`;
    replies.set(name, reply);
    return name;
  };
  const self: Asking = {
    parley: stage,
    async asks(reply, more) {
      const id = await self.asked(reply, more);
      await stage.question(id);
      return id;
    },
    async asked(reply, more) {
      const id = await stage.start(named(reply), more);
      await eventually(async () => expect(await self.outcome(id)).toMatchObject({ id: 'question-1' }));
      return id;
    },
    onScreen(words, { env, ...shown } = {}) {
      const screen = onScreen(words, { env: { PARLEY_URL: stage.url, ...env }, ...shown });
      screens.push(screen);
      return screen;
    },
    async answering(id, shown) {
      const screen = self.onScreen(['answer', id], shown);
      await screen.until(/Enter/);
      return screen;
    },
    starting: (reply) => self.onScreen(['start', stage.agent, named(reply)]),
    outcome: async (id) =>
      (await stage.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body,
    closeScreens() {
      for (const screen of screens.splice(0)) screen.close();
    },
  };
  return self;
}

function isFirst({ body }: ModelRequest): boolean {
  return body.messages.length === 1;
}

function wordsOf({ body }: ModelRequest): string {
  const content = body.messages[0]?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
