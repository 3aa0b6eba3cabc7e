import type { Question } from '#contract/question';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { replyWithText } from '#test/support/scripted-model';
import { runOnScreen, type ScreenOptions, type TerminalScreen } from './terminal-screen';

export interface PromptFixture {
  parley: TestParley;
  /** Starts a conversation with that reply; resolves once its question is open. */
  startAndWaitForQuestion(reply: ScriptedReply, more?: object): Promise<string>;
  /** The same, but does not check that the question is still open. */
  startAsking(reply: ScriptedReply, more?: object): Promise<string>;
  /** Runs `parley` with these arguments on a screen. */
  openScreen(args: string[], screenOptions?: ScreenOptions): TerminalScreen;
  /** Runs `parley answer` on a screen; resolves once it reads keys. */
  openAnswerPrompt(id: string, screenOptions?: ScreenOptions): Promise<TerminalScreen>;
  /** Runs `parley start` on a screen, for an agent that gives that reply. */
  openStartPrompt(reply: ScriptedReply): TerminalScreen;
  /** Reads the question. */
  getQuestion(id: string): Promise<Question>;
  /** Closes all screens. Call it in afterEach. */
  closeScreens(): void;
}

/** Starts a Parley whose agent asks the questions that a test specifies. */
export async function createPromptFixture(settings: TestParleySettings = {}): Promise<PromptFixture> {
  const replies = new Map<string, ScriptedReply>();
  const screens: TerminalScreen[] = [];
  const parley = await startParley({
    ...settings,
    script: (request) =>
      (isFirstRequest(request) ? replies.get(requestText(request)) : undefined) ?? replyWithText('Done.'),
  });
  const registerReply = (reply: ScriptedReply) => {
    const name = `ask ${replies.size}`;
    replies.set(name, reply);
    return name;
  };
  const self: PromptFixture = {
    parley,
    async startAndWaitForQuestion(reply, more) {
      const id = await self.startAsking(reply, more);
      await parley.waitForQuestion(id);
      return id;
    },
    async startAsking(reply, more) {
      const id = await parley.startConversation(registerReply(reply), more);
      await eventually(async () => expect(await self.getQuestion(id)).toMatchObject({ id: 'question-1' }));
      return id;
    },
    openScreen(args, { env, ...screenOptions } = {}) {
      const screen = runOnScreen(args, { env: { PARLEY_URL: parley.url, ...env }, ...screenOptions });
      screens.push(screen);
      return screen;
    },
    async openAnswerPrompt(id, screenOptions) {
      const screen = self.openScreen(['answer', id], screenOptions);
      await screen.waitFor(/Enter/);
      return screen;
    },
    openStartPrompt: (reply) => self.openScreen(['start', parley.agent, registerReply(reply)]),
    getQuestion: async (id) =>
      (await parley.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body,
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
