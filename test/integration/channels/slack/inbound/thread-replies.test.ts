import { createSlackFixture, type SlackFixture } from '#test/support/slack/slack-fixture';

const OPTIONS = [{ label: 'A' }, { label: 'B' }];

describe('a reply in the thread of a question', () => {
  let fixture: SlackFixture;
  beforeAll(async () => {
    fixture = await createSlackFixture();
  });
  beforeEach(() => {
    fixture.slack.ephemerals.length = 0;
  });
  afterAll(() => fixture.stop());

  it.each([
    ['free text', 'name', 'Rose', 'Rose'],
    ['a choice by its label', 'colour', ' blue!', 'Blue'],
    ['a choice with a custom answer, marked as such', 'colour', 'Other: Green, please', { other: 'Green, please' }],
    ['a multiple choice with one option', { question: 'Which?', options: OPTIONS, multiSelect: true }, 'b', ['B']],
    ['an address, which Slack turns into a link', 'address', '<mailto:a@example.org|a@example.org>', 'a@example.org'],
    [
      'text with characters that Slack escapes',
      'name',
      'a &lt;b&gt; &amp;amp; <https://x.example|x.example> ',
      'a <b> &amp; https://x.example',
    ],
    ['text that looks like a confirmation', 'name', 'Yes, proceed', 'Yes, proceed'],
  ])('answers %s', async (_what, shape, text, value) => {
    const { id, message } = await fixture.askQuestion(shape);
    expect(await fixture.userActions.reply(message, text)).toEqual({ status: 200, body: '' });
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({
      answers: { q1: value },
      by: 'maria',
      via: 'slack',
    });
    await fixture.slack.waitFor(() => message.text.startsWith('Answered by maria via Slack'));
    expect(fixture.slack.ephemerals).toEqual([]);
  });

  it.each([
    ['that requires a choice', 'strict', 'M', 'Choose one of the options'],
    ['for an address', 'address', 'rose', 'must be an email address such as'],
    ['for a number', 'count', '7', 'this needs a whole number from 1 to 10'],
    ['with several fields', [{ question: 'A?' }, { question: 'B?' }], 'x', 'This has several questions'],
    ['for approval', 'confirm', 'Yes, proceed', "A reply can't approve an action"],
  ])('that does not fit a question %s gets the valid answers', async (_what, shape, text, expected) => {
    const { id, message } = await fixture.askQuestion(shape);
    await fixture.userActions.reply(message, text);
    expect(await fixture.waitForEphemeral('U0MARIA')).toContain(expected);
    expect(fixture.slack.ephemerals[0]).toMatchObject({ channel: 'C0OPS0000', thread_ts: message.ts });
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it.each([
    ['a person whom Parley does not know', 'U0NEW', 'slack:T0HOME/U0NEW'],
    ['a person who was not asked', 'U0EVE', "the conversation's owner"],
  ])('by %s is not accepted', async (_who, user, expected) => {
    fixture.slack.addUser({ id: 'U0NEW' });
    const { id, message } = await fixture.askQuestion('name');
    await fixture.userActions.reply(message, 'Vera', { user });
    expect(await fixture.waitForEphemeral(user)).toContain(expected);
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it('by a member of another workspace is not mistaken for a member of ours with that id', async () => {
    const { id, message } = await fixture.askQuestion('name');
    await fixture.userActions.reply(message, 'Vera', { team: 'T0ELSE' });
    await fixture.userActions.reply(message, 'Vera', { event: { user_team: 'T0ELSE' } });
    expect(await fixture.waitForEphemeral('U0MARIA')).toContain('slack:T0ELSE/U0MARIA');
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it('that is late gets who answered', async () => {
    const { id, message } = await fixture.askQuestion('name');
    await fixture.p.answer(id, { answer: 'Rose' });
    await fixture.userActions.reply(message, 'Vera');
    expect(await fixture.waitForEphemeral('U0MARIA')).toContain('Answered by ann over HTTP');
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: 'Rose' });
  });

  it('that Slack delivers again has no second effect, and gets one reply', async () => {
    const { id, message } = await fixture.askQuestion('name');
    const redelivery = {
      ts: '1800000000.000001',
      headers: { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' },
    };
    await fixture.userActions.reply(message, 'Rose', { ts: redelivery.ts });
    expect((await fixture.userActions.reply(message, 'Rose', redelivery)).status).toBe(200);
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: 'Rose' });
    const other = await fixture.askQuestion('strict');
    for (const more of [{ ts: '1800000000.000002' }, { ...redelivery, ts: '1800000000.000002' }])
      await fixture.userActions.reply(other.message, 'M', more);
    await fixture.waitForEphemeral('U0MARIA');
    expect(fixture.slack.ephemerals).toHaveLength(1);
  });

  it.each([
    ['colour', ['Green', 'I would rather ask Bob', 'Red or Blue?', 'other: ', 'blue, I think']],
    ['strict', ['M', 'Other: M', 'S or L']],
    ['confirm', ['Yes, proceed', 'yes', 'Other: yes']],
  ])(
    'that is conversation about a choice (%s) answers nothing, and explains once per person how to answer',
    async (shape, texts) => {
      const { id, message } = await fixture.askQuestion(shape);
      for (const user of ['U0MARIA', 'U0BOB'])
        for (const text of texts) expect((await fixture.userActions.reply(message, text, { user })).status).toBe(200);
      await fixture.waitForEphemeral('U0MARIA');
      await fixture.waitForEphemeral('U0BOB');
      expect(fixture.slack.ephemerals).toHaveLength(2);
      expect((await fixture.getQuestion(id)).status).toBe('pending');
    },
  );

  it('that continues after the question is closed gets one reply', async () => {
    const { id, message } = await fixture.askQuestion('name');
    await fixture.p.answer(id, { answer: 'Rose' });
    for (const text of ['Vera', 'fine', 'thanks']) await fixture.userActions.reply(message, text);
    await fixture.waitForEphemeral('U0MARIA');
    expect(fixture.slack.ephemerals).toHaveLength(1);
  });

  it.each(['thread_broadcast', 'file_share'])('answers as a %s, too', async (subtype) => {
    const { id, message } = await fixture.askQuestion('name');
    await fixture.userActions.reply(message, 'Rose', { event: { subtype } });
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({ answers: { q1: 'Rose' }, by: 'maria' });
  });

  it('with a file and no text says that files are not accepted', async () => {
    const { id, message } = await fixture.askQuestion('name');
    await fixture.userActions.reply(message, '', { event: { subtype: 'file_share', files: [{ id: 'F1' }] } });
    expect(await fixture.waitForEphemeral('U0MARIA')).toContain('Files are not accepted');
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it('to a message of an earlier question with the same id says that it no longer exists', async () => {
    const { id, message } = await fixture.askQuestion('name');
    const { askedAt } = await fixture.getQuestion(id);
    const old = JSON.parse(JSON.stringify(message).replaceAll(askedAt, '2026-01-01T00:00:00.000Z'));
    fixture.slack.messages.push({ ...old, ts: '1800000003.000000' });
    await fixture.userActions.reply({ ...old, ts: '1800000003.000000' }, 'Vera');
    expect(await fixture.waitForEphemeral('U0MARIA')).toContain('no longer exists');
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it.each([
    ['an edit', { subtype: 'message_changed' }],
    ['a message of a bot', { bot_id: 'B0OTHER' }],
    ['a notice that a member joined', { subtype: 'channel_join' }],
    ['a message outside a thread', { thread_ts: undefined }],
    ['the start of a thread', { ts: '1800000001.000000', thread_ts: '1800000001.000000' }],
    ['a thread of another user', { parent_user_id: 'U0BOB' }],
    ['another kind of event', { type: 'reaction_added' }],
    ['a message without a sender', { user: undefined }],
  ])('is not %s', async (_what, event) => {
    const { id, message } = await fixture.askQuestion('name');
    const before = fixture.slack.calls.length;
    expect((await fixture.userActions.reply(message, 'Vera', { event })).status).toBe(200);
    expect(fixture.slack.calls.slice(before).map(({ method }) => method)).not.toContain('conversations.replies');
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it('is not one to a message that only looks like ours', async () => {
    const { id, message } = await fixture.askQuestion('name');
    const forged = { ...message, ts: '1800000002.000000', user: 'U0EVIL', bot_id: 'B0EVIL' };
    const plain = { ...message, ts: '1800000002.000001', metadata: undefined };
    fixture.slack.messages.push(forged, plain);
    for (const one of [forged, plain]) expect((await fixture.userActions.reply(one, 'Vera')).status).toBe(200);
    expect((await fixture.getQuestion(id)).status).toBe('pending');
    expect(fixture.slack.ephemerals).toEqual([]);
  });

  it('to a reminder answers, too', async () => {
    const { id, message } = await fixture.askQuestion('name', { question: { remind: ['1s'] } });
    await fixture.slack.waitFor(() => fixture.slack.messages.find(({ thread_ts }) => thread_ts === message.ts));
    await fixture.userActions.reply(message, 'Rose');
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({ by: 'maria' });
  });

  it("is accepted once Slack knows the person's address", async () => {
    const body = JSON.stringify({ token: 'unused', challenge: '3eZbrw1aBm2rZgRN', type: 'url_verification' });
    const response = await fixture.userActions.send('/slack/events', body, 'application/json');
    expect(response).toEqual({ status: 200, body: '{"challenge":"3eZbrw1aBm2rZgRN"}' });
    for (const oddBody of ['', '[]', 'null', '{"type":"event_callback"}', '{"type":"x"}'])
      expect((await fixture.userActions.send('/slack/events', oddBody, 'application/json')).status).toBe(200);
  });
});
