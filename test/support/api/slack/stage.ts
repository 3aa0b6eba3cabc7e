import type { Question } from '#contract/question';
import { type Parley, parley, type Settings } from '#test/support/parley';
import { ask, lastToolResults, say, use } from '#test/support/scripted-model';
import { type SlackStandIn, slackStandIn } from '#test/support/slack';
import { type Hands, hands } from '#test/support/slack/hands';
import type { Posted, View } from '#test/support/slack/methods';

/** What the agent asks, by what it is told first. */
const SHAPES: Record<string, ReturnType<typeof ask>> = {
  colour: ask('Which colour?', 'Red', 'Blue'),
  name: ask('What name?'),
  strict: ask({ question: 'Which size?', options: [{ label: 'S' }, { label: 'L' }], allowOther: false }),
  confirm: use({
    name: 'confirm_action',
    input: { action: 'Delete the shed?', arguments: { shed: 7 } },
  }),
  address: ask({ question: 'Which address?', schema: { type: 'string', format: 'email' } }),
  count: ask({ question: 'How many?', schema: { type: 'integer', minimum: 1, maximum: 10 } }),
};

export interface Stage {
  p: Parley;
  slack: SlackStandIn;
  hands: Hands;
  /** A question of that shape, and its message. */
  asked(shape: string | object | object[], more?: object): Promise<{ id: string; message: Posted }>;
  /** Click what opens the form. */
  opened(message: Posted, button: string): Promise<View>;
  question(id: string): Promise<Question>;
  /** What only that user is told, as soon as they are. */
  told(user: string, count?: number): Promise<string>;
  stop(): Promise<void>;
}

export const PEOPLE = 'maria=slack:T0HOME/U0MARIA bob=bob@example.com eve=slack:T0HOME/U0EVE';

/** A Parley with Slack: `maria`, `bob` and `dave@example.com` may answer, and the one who started it. */
export async function stage(settings: Settings = {}): Promise<Stage> {
  const slack = await slackStandIn();
  slack.addUser({ id: 'U0MARIA', email: 'maria@example.com' });
  slack.addUser({ id: 'U0BOB', email: 'bob@example.com' });
  slack.addUser({ id: 'U0DAVE', email: 'Dave@Example.com' });
  slack.addUser({ id: 'U0EVE', email: 'eve@example.com' });
  const custom = new Map<string, ReturnType<typeof ask>>();
  const p = await parley({
    script: (request) => {
      if (lastToolResults(request).length > 0) return say('done');
      const heard = JSON.stringify(request.body.messages[0]?.content);
      const [, shape = ''] = /ask: ([\w-]+)/.exec(heard) ?? [];
      return custom.get(shape) ?? SHAPES[shape] ?? say('nothing to ask');
    },
    keys: { ann: ['admin'] },
    policy:
      'questions: { notify: ["slack:#ops"], assignees: [maria, bob, dave@example.com], maxQuestions: 20, maxOptions: 50 }',
    ...settings,
    env: { ...slack.env, PARLEY_PEOPLE: PEOPLE, ...settings.env },
  });

  const self: Stage = {
    p,
    slack,
    hands: hands(slack, p.url),
    async asked(shape, more) {
      const name = typeof shape === 'string' ? shape : `custom-${custom.size}`;
      if (typeof shape !== 'string') custom.set(name, ask(shape));
      const id = await p.start(`ask: ${name}`, more);
      await p.question(id);
      return { id, message: await slack.posted(id) };
    },
    async opened(message, button) {
      const before = slack.views.length;
      await self.hands.click(message, button);
      return slack.until(() => slack.views[before]);
    },
    question: async (id) =>
      (await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body,
    async told(user, count = 1) {
      const to = () => slack.ephemerals.filter((one) => one.user === user);
      return slack.until(() => to()[count - 1]?.text);
    },
    async stop() {
      await p.stop();
      await slack.stop();
    },
  };
  return self;
}
