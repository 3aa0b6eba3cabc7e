import type { Question } from '#contract/question';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { type FakeSlack, startFakeSlack } from './fake-slack';
import { createSlackUserActions, type SlackUserActions } from './user-actions';
import type { FakeSlackMessage, FakeSlackView } from './web-api-methods';

/** The agent's questions, by the keyword in the first message. */
const QUESTION_SHAPES: Record<string, ReturnType<typeof replyWithQuestion>> = {
  colour: replyWithQuestion('Which colour?', 'Red', 'Blue'),
  name: replyWithQuestion('What name?'),
  strict: replyWithQuestion({
    question: 'Which size?',
    options: [{ label: 'S' }, { label: 'L' }],
    allowOther: false,
  }),
  confirm: replyWithToolCalls({
    name: 'confirm_action',
    input: { action: 'Delete the shed?', arguments: { shed: 7 } },
  }),
  address: replyWithQuestion({ question: 'Which address?', schema: { type: 'string', format: 'email' } }),
  count: replyWithQuestion({ question: 'How many?', schema: { type: 'integer', minimum: 1, maximum: 10 } }),
};

export interface SlackFixture {
  p: TestParley;
  slack: FakeSlack;
  userActions: SlackUserActions;
  /** Starts a conversation that asks a question of that shape; resolves with its Slack message. */
  askQuestion(shape: string | object | object[], more?: object): Promise<{ id: string; message: FakeSlackMessage }>;
  /** Clicks the button that opens the form. */
  openForm(message: FakeSlackMessage, button: string): Promise<FakeSlackView>;
  getQuestion(id: string): Promise<Question>;
  /** Resolves with the `count`-th ephemeral message to that user. */
  waitForEphemeral(user: string, count?: number): Promise<string>;
  stop(): Promise<void>;
}

export const SLACK_PEOPLE = 'maria=slack:T0HOME/U0MARIA bob=bob@example.com eve=slack:T0HOME/U0EVE';

/**
 * Starts a Parley with Slack: `maria`, `bob` and `dave@example.com` may answer, and the user who started the
 * conversation.
 */
export async function createSlackFixture(settings: TestParleySettings = {}): Promise<SlackFixture> {
  const slack = await startFakeSlack();
  slack.addUser({ id: 'U0MARIA', email: 'maria@example.com' });
  slack.addUser({ id: 'U0BOB', email: 'bob@example.com' });
  slack.addUser({ id: 'U0DAVE', email: 'Dave@Example.com' });
  slack.addUser({ id: 'U0EVE', email: 'eve@example.com' });
  const custom = new Map<string, ReturnType<typeof replyWithQuestion>>();
  const p = await startParley({
    script: (request) => {
      if (lastToolResults(request).length > 0) return replyWithText('done');
      const firstMessage = JSON.stringify(request.body.messages[0]?.content);
      const [, shape = ''] = /ask: ([\w-]+)/.exec(firstMessage) ?? [];
      return custom.get(shape) ?? QUESTION_SHAPES[shape] ?? replyWithText('nothing to ask');
    },
    keys: { ann: ['admin'] },
    frontMatter:
      'questions: { notify: ["slack:#ops"], assignees: [maria, bob, dave@example.com], maxQuestions: 20, maxOptions: 50 }',
    ...settings,
    env: { ...slack.env, PARLEY_PEOPLE: SLACK_PEOPLE, ...settings.env },
  });

  const self: SlackFixture = {
    p,
    slack,
    userActions: createSlackUserActions(slack, p.url),
    async askQuestion(shape, more) {
      const name = typeof shape === 'string' ? shape : `custom-${custom.size}`;
      if (typeof shape !== 'string') custom.set(name, replyWithQuestion(shape));
      const id = await p.startConversation(`ask: ${name}`, more);
      await p.waitForQuestion(id);
      return { id, message: await slack.waitForMessage(id) };
    },
    async openForm(message, button) {
      const before = slack.views.length;
      await self.userActions.click(message, button);
      return slack.waitFor(() => slack.views[before]);
    },
    getQuestion: async (id) => (await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body,
    async waitForEphemeral(user, count = 1) {
      const ephemerals = () => slack.ephemerals.filter((one) => one.user === user);
      return slack.waitFor(() => ephemerals()[count - 1]?.text);
    },
    async stop() {
      await p.stop();
      await slack.stop();
    },
  };
  return self;
}
