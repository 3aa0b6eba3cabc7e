import type { Question } from '#contract/question';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { replyWithText } from '#test/support/scripted-model';
import { runOnScreen, type ScreenOptions, type TerminalScreen } from './terminal-screen';

export interface PromptFixture {
  parley: TestParley;
  /** A conversation that asks this, and waits. */
  asks(reply: ScriptedReply, more?: object): Promise<string>;
  /** The same, without a look at whether it still waits. */
  asked(reply: ScriptedReply, more?: object): Promise<string>;
  /** `parley` with these words on a screen. */
  onScreen(words: string[], shown?: ScreenOptions): TerminalScreen;
  /** `parley answer` on a screen, once keys count. */
  answering(id: string, shown?: ScreenOptions): Promise<TerminalScreen>;
  /** `parley start` on a screen, for an agent that then says this. */
  starting(reply: ScriptedReply): TerminalScreen;
  /** The question as it ended. */
  outcome(id: string): Promise<Question>;
  /** For afterEach. */
  closeScreens(): void;
}

/** A whole Parley whose agent asks whatever a test wants. */
export async function createPromptFixture(settings: TestParleySettings = {}): Promise<PromptFixture> {
  const replies = new Map<string, ScriptedReply>();
  const screens: TerminalScreen[] = [];
  const stage = await startParley({
    ...settings,
    script: (request) =>
      (isFirstRequest(request) ? replies.get(requestText(request)) : undefined) ?? replyWithText('Done.'),
  });
  const named = (reply: ScriptedReply) => {
    const name = `ask ${replies.size}`;
    replies.set(name, reply);
    return name;
  };
  const self: PromptFixture = {
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
      const screen = runOnScreen(words, { env: { PARLEY_URL: stage.url, ...env }, ...shown });
      screens.push(screen);
      return screen;
    },
    async answering(id, shown) {
      const screen = self.onScreen(['answer', id], shown);
      await screen.until(/Enter/);
      return screen;
    },
    starting: (reply) => self.onScreen(['start', stage.agent, named(reply)]),
    outcome: async (id) => (await stage.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body,
    closeScreens() {
      for (const screen of screens.splice(0)) screen.close();
    },
  };
  return self;
}

function isFirstRequest({ body }: ModelRequest): boolean {
  return body.messages.length === 1;
}

function requestText({ body }: ModelRequest): string {
  const content = body.messages[0]?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
