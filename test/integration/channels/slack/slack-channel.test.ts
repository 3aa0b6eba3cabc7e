import type { ChannelSender } from '#channels/channel';
import { createAnswerForm } from '#channels/slack/blocks/modal';
import { parseSlackForm } from '#channels/slack/inbound/payloads';
import { createSlackSender } from '#channels/slack/sender';
import type { Person } from '#contract/people';
import { collectBlockTexts, collectMrkdwnTexts } from '#test/support/slack/block-kit';
import { type FakeSlack, type FakeSlackFailure, SLACK_TEAM_ID, startFakeSlack } from '#test/support/slack/fake-slack';
import {
  resolvedSlackQuestion,
  slackConfirmation,
  slackNotification,
  slackOptions,
  slackQuestion,
} from '#test/support/slack/slack-samples';
import type { FakeSlackInput } from '#test/support/slack/web-api-methods';

const PEOPLE: Person[] = [
  { name: 'maria', emails: ['maria@example.com'], slack: [{ team: SLACK_TEAM_ID, user: 'U0MARIA' }] },
  { name: 'bob', emails: ['bob@example.com'], slack: [] },
  { name: 'carol', emails: [], slack: [] },
];

describe('Slack', () => {
  let slack: FakeSlack;
  let channel: ChannelSender;
  beforeEach(async () => {
    slack = await startFakeSlack();
    const { token, signingSecret } = slack;
    channel = createSlackSender({ token, signingSecret, apiUrl: slack.env.SLACK_API_URL }, PEOPLE);
    slack.addUser({ id: 'U0MARIA', email: 'maria@example.com' });
    slack.addUser({ id: 'U0BOB', email: 'bob@example.com' });
  });
  afterEach(() => slack.stop());

  const callsTo = (method: string) => slack.calls.filter((call) => call.method === method);
  const firstMessage = () => slack.messages[0] as (typeof slack.messages)[0];
  const buttons = () => firstMessage().blocks.find(({ type }) => type === 'actions')?.elements ?? [];
  const lastMessageText = () => collectBlockTexts(slack.messages.at(-1)?.blocks).join('\n');
  const colours = slackQuestion([{ options: slackOptions('Red', 'Blue'), allowOther: true }]);

  describe('posts a question', () => {
    it('with who asks, why, a button for each option, a deadline in local time and a link to Parley', async () => {
      const question = {
        ...colours,
        origin: ['boss', 'clerk'],
        context: '**Why**: it rains.\n- soon',
        expiresAt: '2026-11-20T12:00:00.000Z',
      };
      const ref = await channel.send(slackNotification(question));
      expect(ref).toEqual({ channel: 'C0OPS0000', ts: firstMessage().ts });
      expect(buttons().map(({ text }) => text.text)).toEqual(['Red', 'Blue', 'Other…', 'Skip']);
      expect(firstMessage().blocks[0]).toMatchObject({ type: 'header', text: { text: 'Paint the shed' } });
      for (const part of [
        '*boss › clerk* asks',
        '*Why*: it rains.\n• soon',
        'Which colour?',
        'Answer by <!date^1795176000^{date_short_pretty} at {time}|2026-11-20 12:00 UTC>',
        '<https://parley.example.com/conversations/c-1|Open in Parley>',
      ])
        expect(lastMessageText()).toContain(part);
      expect(firstMessage().metadata).toEqual({
        event_type: 'parley_question',
        event_payload: {
          conversation: 'c-1',
          question: 'question-1',
          askedAt: colours.askedAt,
          notice: 'c-1/question-1/0',
        },
      });
      expect(firstMessage().text).toBe('clerk asks: Which colour?');
    });

    it.each([
      ['several fields', slackQuestion([{}, {}])],
      ['free text', slackQuestion()],
      ['several choices', slackQuestion([{ options: slackOptions('A', 'B'), multiSelect: true }])],
      ['six choices', slackQuestion([{ options: slackOptions('A', 'B', 'C', 'D', 'E', 'F') }])],
      ['a number', slackQuestion([{ schema: { type: 'integer' }, allowOther: false }])],
    ])('with one button that opens a form, if it asks for %s', async (_what, question) => {
      await channel.send(slackNotification(question));
      expect(buttons().map(({ text }) => text.text)).toEqual(['Answer…', 'Skip']);
    });

    it.each([
      ['yes or no', { schema: { type: 'boolean' }, allowOther: false }, ['Yes', 'No', 'Add a comment…']],
      [
        'one of a list',
        { schema: { type: 'string', enum: ['x', 'y'] }, allowOther: false },
        ['x', 'y', 'Add a comment…'],
      ],
      ['long labels', { options: slackOptions('A'.repeat(90), 'B') }, [`1. ${'A'.repeat(71)}…`, '2. B', 'Other…']],
    ] as const)('with buttons for %s', async (_what, one, labels) => {
      await channel.send(slackNotification(slackQuestion([one as object])));
      expect(buttons().map(({ text }) => text.text)).toEqual([...labels, 'Skip']);
    });

    it('to a person, by the directory, by their address, and by a user id', async () => {
      const places = ['@maria', '@bob', '@bob@example.com', '@U0BOB'];
      for (const target of places) await channel.send(slackNotification(colours, { target }));
      expect(slack.messages.map((one) => one.channel)).toEqual(['D0MARIA', 'D0BOB', 'D0BOB', 'D0BOB']);
    });

    it('and mentions people it is escalated to by their Slack name, if they have one', async () => {
      await channel.send(slackNotification(colours, { escalatedTo: ['maria', 'bob', 'carol'] }));
      expect(lastMessageText()).toContain('Escalated to <@U0MARIA>, <@U0BOB>, *carol*');
    });

    it('so that nothing the model wrote mentions people or links anywhere', async () => {
      const evil = '<!channel> <@U0BOB> <https://evil.example|click> &lt;!here&gt; [x](https://evil.example)';
      const question = slackQuestion(
        [{ question: evil, options: [{ label: evil, description: evil }, { label: 'B' }] }],
        {
          context: evil,
        },
      );
      await channel.send(slackNotification(question, { title: evil }));
      const markup = collectMrkdwnTexts(firstMessage().blocks).join('\n');
      expect(markup).toContain('&lt;!channel&gt; &lt;@U0BOB&gt; &lt;https://evil.example|click&gt; &amp;lt;!here');
      expect(markup.match(/<[^>]*>/g)?.filter((one) => !/^<(!date\^|https:\/\/parley\.)/.test(one))).toEqual([]);
      expect(callsTo('chat.postMessage')[0]?.args).toMatchObject({
        parse: 'none',
        link_names: 'false',
        unfurl_links: 'false',
      });
      expect(firstMessage().text).toContain('&lt;!channel&gt;');
    });
  });

  describe('asks for approval', () => {
    it('with the tool and its exact arguments, and a "yes" that is confirmed', async () => {
      await channel.send(slackNotification(slackConfirmation({ to: 'ann@example.com', body: '```\nhi <b>' })));
      const [yes, no, comment, decline] = buttons();
      expect(yes).toMatchObject({ text: { text: 'Yes, proceed' }, style: 'danger' });
      expect(yes?.confirm).toMatchObject({ style: 'danger', deny: { text: 'Not yet' } });
      expect([no, comment, decline].map((one) => one?.text.text)).toEqual(['No, cancel', 'Add a comment…', 'Skip']);
      expect(no?.style).toBeUndefined();
      expect(lastMessageText()).toContain('Tool: *send_mail*');
      const code = firstMessage().blocks.find(({ type }) => type === 'rich_text');
      expect(collectBlockTexts(code)).toEqual([
        JSON.stringify({ to: 'ann@example.com', body: '```\nhi <b>' }, null, 2),
      ]);
      expect(lastMessageText().match(/ann@example\.com/g)).toHaveLength(1);
    });

    it('and offers no "yes" if the arguments cannot be shown in full', async () => {
      await channel.send(slackNotification(slackConfirmation({ body: 'a'.repeat(9_000) })));
      expect(buttons().map(({ text }) => text.text)).toEqual(['No, cancel', 'Add a comment…', 'Skip']);
      expect(lastMessageText()).toContain('too long for Slack');
    });

    it('and offers no "yes" in the form either, where "no" still works', async () => {
      const question = slackConfirmation({ body: 'a'.repeat(9_000) });
      const origin = { conversation: 'c', question: 'q', askedAt: question.askedAt, channel: 'C', ts: '1' };
      const { blocks } = createAnswerForm(question, origin, 'https://parley.example.com');
      const input = blocks.find(({ block_id }) => block_id === 'field_q1') as unknown as FakeSlackInput;
      const [onlyOption, ...more] = input.element?.options ?? [];
      expect([onlyOption?.text.text, ...more]).toEqual(['No, cancel']);
      const values = { field_q1: { value: { selected_option: onlyOption } } };
      expect(parseSlackForm(question, values).answers).toEqual({ q1: 'No, cancel' });
    });

    it('and shows invisible and bidirectional characters as escapes', async () => {
      await channel.send(slackNotification(slackConfirmation({ file: 'a\u202etxt.exe' })));
      expect(lastMessageText()).toContain('a\\u202etxt.exe');
    });
  });

  describe('posts once', () => {
    it('if a worker died after posting: the message is found again', async () => {
      slack.failNext('chat.postMessage', 'cutAfter');
      await expect(channel.send(slackNotification(colours))).rejects.toThrow("Can't reach Slack");
      expect(slack.messages).toHaveLength(1);
      for (const target of ['#ops', 'C0OPS0000']) {
        const ref = await channel.send(slackNotification(colours, { target, mayBeDuplicate: true }));
        expect(ref).toEqual({ channel: 'C0OPS0000', ts: firstMessage().ts });
      }
      expect(slack.messages).toHaveLength(1);
    });

    it('to a person, too', async () => {
      const ref = await channel.send(slackNotification(colours, { target: '@maria' }));
      expect(await channel.send(slackNotification(colours, { target: '@maria', mayBeDuplicate: true }))).toEqual(ref);
      expect(slack.messages).toHaveLength(1);
    });

    it("but again if only another notification, or another sender's message, is there", async () => {
      await channel.send(slackNotification(colours, { id: 'c-1/question-1/7' }));
      slack.messages.push({ ...firstMessage(), bot_id: 'B0OTHER', user: 'U0OTHER', metadata: otherMetadata });
      await channel.send(slackNotification(colours, { mayBeDuplicate: true }));
      expect(slack.messages).toHaveLength(3);
    });
    const otherMetadata = {
      event_type: 'parley_question',
      event_payload: { conversation: 'c-1', question: 'question-1', notice: 'c-1/question-1/0' },
    };

    it('however many messages were posted in the channel since', async () => {
      const ref = await channel.send(slackNotification(colours));
      for (let count = 0; count < 450; count += 1)
        slack.messages.push({ ...firstMessage(), ts: `${2e9 + count}.000000`, metadata: undefined });
      expect(await channel.send(slackNotification(colours, { mayBeDuplicate: true }))).toEqual(ref);
      expect(callsTo('conversations.history')).toHaveLength(3);
    });

    it('or rather twice than not at all if the bot may not read the channel', async () => {
      slack.failNext('conversations.list', { error: 'missing_scope', needed: 'channels:read' });
      await channel.send(slackNotification(colours, { mayBeDuplicate: true }));
      expect(slack.messages).toHaveLength(1);
    });

    const UNREADABLE_TARGETS: [string, string, string][] = [
      ['is not a member, but may post', '#secret', 'chat:write,channels:history,chat:write.public'],
      ['may not read the channel', '#ops', 'chat:write'],
      ['may not read its direct messages', '@maria', 'chat:write'],
    ];
    it.each(UNREADABLE_TARGETS)('and does not wait if it %s', async (_where, target, scopes) => {
      slack.scopes = scopes;
      const ref = await channel.send(slackNotification(colours, { target, mayBeDuplicate: true }));
      const reminder = { id: 'c-1/question-1/1', reason: 'reminder 1 of 2', target, mayBeDuplicate: true };
      await channel.remind(slackNotification(colours, reminder), ref);
      expect(slack.messages.map(({ thread_ts }) => thread_ts)).toEqual([undefined, ref.ts]);
    });
  });

  describe('sends reminders', () => {
    it('in the thread of the first copy, once', async () => {
      const ref = await channel.send(slackNotification(colours));
      const reminder = { id: 'c-1/question-1/1', reason: 'reminder 1 of 2' };
      expect(await channel.remind(slackNotification(colours, reminder), ref)).toEqual(ref);
      expect(slack.messages[1]).toMatchObject({ thread_ts: ref.ts, reply_broadcast: 'false' });
      expect(lastMessageText()).toContain('Still waiting for an answer (reminder 1 of 2).');
      expect(await channel.remind(slackNotification(colours, { ...reminder, mayBeDuplicate: true }), ref)).toEqual(ref);
      expect(slack.messages).toHaveLength(2);
    });

    it('that mention the people it is escalated to, visible to the channel', async () => {
      const ref = await channel.send(slackNotification(colours));
      const to = ['maria', 'carol'];
      await channel.remind(
        slackNotification(colours, { id: 'c-1/question-1/2', reason: 'escalated', escalatedTo: to }),
        ref,
      );
      expect(slack.messages[1]).toMatchObject({ thread_ts: ref.ts, reply_broadcast: 'true' });
      expect(slack.messages[1]?.text).toContain('<@U0MARIA> *carol* This question is still open');
    });

    it('with the question again if its message was deleted', async () => {
      const ref = await channel.send(slackNotification(colours));
      slack.messages.length = 0;
      const reminder = { id: 'c-1/question-1/1', reason: 'reminder' };
      const newRef = await channel.remind(slackNotification(colours, reminder), ref);
      expect(buttons()).toHaveLength(4);
      expect(newRef).toEqual({ channel: 'C0OPS0000', ts: firstMessage().ts });
      expect(await channel.remind(slackNotification(colours, { ...reminder, mayBeDuplicate: true }), ref)).toEqual(
        newRef,
      );
      expect(slack.messages).toHaveLength(1);
    });
  });

  describe('shows the outcome', () => {
    const updateCopy = async (question = resolvedSlackQuestion(colours)) => {
      const ref = await channel.send(slackNotification(colours));
      await channel.updateCopy({ ...slackNotification(question), id: 'c-1/question-1/0/settled', ref });
    };

    it('by updating the message: no buttons, but by whom, where, when and what', async () => {
      await updateCopy();
      expect(firstMessage().blocks.some(({ type }) => type === 'actions')).toBe(false);
      expect(lastMessageText()).toContain('*Answer:* Blue');
      expect(lastMessageText()).toContain('Answered by maria on the web · <!date^');
      expect(firstMessage().text).toBe('Answered by maria on the web: clerk asks: Which colour?');
      expect(firstMessage().metadata?.event_payload.notice).toBe('c-1/question-1/0');
    });

    it.each([
      [{ answers: { q1: { other: '<!here>' } }, comment: '<@U1> & co', via: 'email' }, 'answered', 'via Email'],
      [{ by: 'maria', via: 'slack' }, 'declined', 'Skipped by maria via Slack'],
      [{ via: 'timer' }, 'timed_out', 'No answer in time ·'],
      [{ answers: { q1: 'Red' }, defaulted: true }, 'timed_out', 'default used'],
      [{ by: 'ann', via: 'http' }, 'cancelled', 'Closed: conversation cancelled by ann'],
    ] as const)('%j as %s', async (outcome, status, expected) => {
      await updateCopy(
        resolvedSlackQuestion(colours, { status, outcome: { at: colours.askedAt, ...outcome } as never }),
      );
      expect(lastMessageText()).toContain(expected);
      expect(lastMessageText()).not.toMatch(/<!here>|<@U1>/);
    });

    it.each(['#ops', '@maria'])('on a message that a worker posted in %s before it died', async (target) => {
      slack.failNext('chat.postMessage', 'cutAfter');
      await channel.send(slackNotification(colours, { target })).catch(() => undefined);
      const copy = {
        ...slackNotification(resolvedSlackQuestion(colours), { target }),
        id: 'c-1/question-1/0/settled',
        ref: {},
      };
      await channel.updateCopy(copy);
      expect(lastMessageText()).toContain('Answered by maria on the web');
      expect(firstMessage().blocks.some(({ type }) => type === 'actions')).toBe(false);
    });

    it.each(['#ops', '#nowhere', '@nobody'])('nowhere if nothing was posted: %s', async (target) => {
      await channel.send(slackNotification(colours, { id: 'c-1/question-1/7' }));
      const copy = {
        ...slackNotification(resolvedSlackQuestion(colours), { target }),
        id: 'c-1/question-1/0/settled',
        ref: {},
      };
      await channel.updateCopy(copy);
      expect(callsTo('chat.update')).toEqual([]);
    });

    it.each(['message_not_found', 'channel_not_found', 'is_archived'])(
      'without an error if the message is gone (%s)',
      async (error) => {
        slack.failNext('chat.update', { error });
        await updateCopy();
      },
    );
  });

  describe('describes errors', () => {
    const FAILURES: [string, FakeSlackFailure, RegExp, boolean?][] = [
      ['a wrong token', { error: 'invalid_auth' }, /SLACK_BOT_TOKEN/],
      ['a missing scope', { error: 'missing_scope', needed: 'chat:write' }, /Needed: chat:write\./],
      ['no such channel', { error: 'channel_not_found' }, /cannot find #ops/],
      ['not invited', { error: 'not_in_channel' }, /not in #ops. Invite it/],
      ['archived', { error: 'is_archived' }, /#ops is archived/],
      ['blocks that Slack rejects', { error: 'invalid_blocks' }, /bug in Parley/, true],
      ['an unknown user', { error: 'user_not_found' }, /no user/, true],
    ];
    it.each(FAILURES)(
      'in plain words: %s; retried unless no one can fix it',
      async (_what, failure, lastMessageText, isPermanent = false) => {
        slack.failNext('chat.postMessage', failure);
        const failing = channel.send(slackNotification(colours));
        await expect(failing).rejects.toMatchObject({ isPermanent, message: expect.stringMatching(lastMessageText) });
      },
    );

    const TRANSIENT_FAILURES: [string, FakeSlackFailure, object][] = [
      ['a rate limit', { retryAfter: 17 }, { retryAfterMs: 17_000, isPermanent: false }],
      ['a Slack error', { status: 503 }, { message: 'Slack is unavailable (HTTP 503).' }],
      ['a broken connection', 'cut', { message: expect.stringContaining("Can't reach Slack"), isPermanent: false }],
      ['an unknown error', { error: 'internal_error' }, { isPermanent: false }],
      ['an invalid reply', { error: '<html>' }, { isPermanent: false }],
    ];
    it.each(TRANSIENT_FAILURES)('that are temporary: %s', async (_what, failure, error) => {
      slack.failNext('chat.postMessage', failure);
      await expect(channel.send(slackNotification(colours))).rejects.toMatchObject(error);
      expect(callsTo('chat.postMessage')).toHaveLength(1);
    });

    it('for an unknown name', async () => {
      const failing = channel.send(slackNotification(colours, { target: '@carol' }));
      await expect(failing).rejects.toMatchObject({
        isPermanent: true,
        message: expect.stringContaining('PARLEY_PEOPLE'),
      });
    });
  });

  describe('can be tested', () => {
    it('with a message, and reports where it went', async () => {
      expect(await channel.test?.('#ops')).toBe('Sent a test message to #ops in Example as @parley.');
      expect(lastMessageText()).toContain('This is a test from Parley');
    });

    it('and reports missing scopes, and what they are for', async () => {
      slack.scopes = 'chat:write,users:read';
      const missingScopes =
        /^Sent a test message to #ops .*missing the scopes .*im:write \(to send direct messages\).*reinstall it/;
      await expect(channel.test?.('#ops')).rejects.toThrow(missingScopes);
      await expect(channel.test?.('')).rejects.toThrow(/missing the scopes/);
      expect(slack.messages).toHaveLength(1);
      slack.scopes = 'users:read';
      const other = createSlackSender({ ...slack, apiUrl: slack.env.SLACK_API_URL }, PEOPLE);
      await expect(other.test?.('#ops')).rejects.toThrow(/chat:write \(to post messages\)/);
    });

    it.each([
      ['#nowhere', /cannot find #nowhere/],
      ['#secret', /The bot is not in #secret/],
      ['#old', /#old is archived/],
      ['@nobody', /PARLEY_PEOPLE/],
    ])('%s', async (target, expected) => {
      await expect(channel.test?.(target)).rejects.toThrow(expected);
    });

    it('and says what to check if Slack is unreachable', async () => {
      slack.failNext('auth.test', 'cut');
      const { host } = new URL(slack.url);
      await expect(channel.test?.('#ops')).rejects.toThrow(
        new RegExp(`^Can't reach Slack at ${host}\\. Check DNS, .*SLACK_API_URL`),
      );
    });

    it('with a wrong token, which no message shows', async () => {
      const token = 'xoxb-wrong-and-secret';
      const { signingSecret, env } = slack;
      const wrong = createSlackSender({ token, signingSecret, apiUrl: env.SLACK_API_URL }, PEOPLE);
      const error = await wrong.test?.('#ops').catch((one: Error) => one);
      expect((error as Error).message).toMatch(/rejected the bot token/);
      expect(JSON.stringify([error, (error as Error).stack])).not.toContain(token);
    });
  });
});
