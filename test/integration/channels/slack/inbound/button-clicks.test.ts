import { collectBlockTexts, collectMrkdwnTexts } from '#test/support/slack/block-kit';
import { createSlackFixture, type SlackFixture } from '#test/support/slack/slack-fixture';

describe('a click in Slack', () => {
  let fixture: SlackFixture;
  beforeAll(async () => {
    fixture = await createSlackFixture();
  });
  beforeEach(() => {
    fixture.slack.ephemerals.length = 0;
  });
  afterAll(() => fixture.stop());

  it('on an option answers as that person via Slack, and the message says so', async () => {
    const { id, message } = await fixture.askQuestion('colour');
    const response = await fixture.userActions.click(message, 'Blue');
    expect(response).toEqual({ status: 200, body: '' });
    expect(await fixture.getQuestion(id)).toMatchObject({
      status: 'answered',
      outcome: { answers: { q1: 'Blue' }, by: 'maria', via: 'slack' },
    });
    await fixture.p.waitForStatus(id, 'completed');
    await fixture.slack.waitFor(() => message.text.startsWith('Answered by maria via Slack'));
    expect(collectBlockTexts(message.blocks).join('\n')).toContain('*Answer:* Blue');
    expect(message.blocks.some(({ type }) => type === 'actions')).toBe(false);
    expect(fixture.slack.ephemerals).toEqual([]);
  });

  it('on Skip skips', async () => {
    const { id, message } = await fixture.askQuestion('colour');
    await fixture.userActions.click(message, 'Skip');
    expect(await fixture.getQuestion(id)).toMatchObject({
      status: 'declined',
      outcome: { by: 'maria', via: 'slack' },
    });
    await fixture.slack.waitFor(() => message.text.startsWith('Skipped by maria via Slack'));
  });

  it.each([
    ['Yes, proceed', 'Yes, proceed'],
    ['No, cancel', 'No, cancel'],
  ])('on %s answers an approval', async (button, value) => {
    const { id, message } = await fixture.askQuestion('confirm');
    await fixture.userActions.click(message, button);
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({ answers: { q1: value }, via: 'slack' });
  });

  it('counts once, however often it is repeated', async () => {
    const { id, message } = await fixture.askQuestion('colour');
    const before = { ...message };
    const responses = await Promise.all([1, 2, 3].map(() => fixture.userActions.click(before, 'Red')));
    await fixture.userActions.click(before, 'Red');
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({ answers: { q1: 'Red' } });
    await fixture.p.waitForStatus(id, 'completed');
    const later = await fixture.askQuestion('colour');
    await fixture.userActions.click(before, 'Blue');
    await fixture.waitForEphemeral('U0MARIA');
    expect(fixture.slack.ephemerals).toHaveLength(1);
    expect((await fixture.getQuestion(later.id)).status).toBe('pending');
  });

  it('that is late shows who answered, where and when, and updates the message', async () => {
    const { id, message } = await fixture.askQuestion('colour');
    fixture.slack.failNext('chat.update', { error: 'message_not_found' });
    const before = { ...message };
    await fixture.p.answer(id, { answer: 'Red' });
    await fixture.slack.waitFor(() => fixture.slack.calls.some(({ method }) => method === 'chat.update'));
    expect(message.blocks.some(({ type }) => type === 'actions')).toBe(true);
    await fixture.userActions.click(before, 'Blue');
    const { at } = (await fixture.getQuestion(id)).outcome ?? { at: '' };
    const seconds = Math.floor(Date.parse(at) / 1_000);
    expect(await fixture.waitForEphemeral('U0MARIA')).toMatch(
      new RegExp(`^Too late: .*Answered by ann over HTTP · <!date\\^${seconds}\\^.*was not used\\.$`),
    );
    await fixture.slack.waitFor(() => message.text.startsWith('Answered by ann'));
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: 'Red' });
    // The same for the button that opens the form, and for Skip.
    await fixture.userActions.click(before, 'Other…');
    await fixture.userActions.click(before, 'Skip');
    expect(await fixture.waitForEphemeral('U0MARIA', 3)).toContain('Answered by ann');
  });

  it('is not needed for the message to change when the question is answered elsewhere', async () => {
    const { id, message } = await fixture.askQuestion('name');
    await fixture.p.call(
      'POST',
      `/v1/conversations/${id}/questions/latest/answer`,
      {
        answer: '<!channel> Rose',
        comment: '<@U0BOB>',
      },
      { 'x-parley-channel': 'web' },
    );
    await fixture.slack.waitFor(() => message.text.startsWith('Answered by ann on the web'));
    const markup = collectMrkdwnTexts(message.blocks).join('\n');
    expect(markup).toContain('&lt;!channel&gt; Rose');
    expect(markup).toContain('*Comment:* &lt;@U0BOB&gt;');
  });

  describe('by a person', () => {
    it.each([
      ['whose address is in PARLEY_PEOPLE', 'U0BOB', 'bob'],
      ['whose address is among the assignees', 'U0DAVE', 'dave@example.com'],
    ])('%s answers as them', async (_who, user, name) => {
      const { id, message } = await fixture.askQuestion('colour');
      await fixture.userActions.click(message, 'Blue', { user });
      expect((await fixture.getQuestion(id)).outcome).toMatchObject({ by: name, via: 'slack' });
    });

    it('who may see but not answer is refused', async () => {
      const { id, message } = await fixture.askQuestion('colour', { visibleTo: ['eve'] });
      await fixture.userActions.click(message, 'Blue', { user: 'U0EVE' });
      expect(await fixture.waitForEphemeral('U0EVE')).toMatch(
        /^You can't answer this question. Only the conversation's owner /,
      );
      expect((await fixture.getQuestion(id)).status).toBe('pending');
    });

    it('who is known but was not asked is refused', async () => {
      const { id, message } = await fixture.askQuestion('colour');
      for (const button of ['Blue', 'Other…', 'Skip'])
        await fixture.userActions.click(message, button, { user: 'U0EVE' });
      expect(await fixture.waitForEphemeral('U0EVE', 3)).toMatch(
        /^This question no longer exists, or you can't answer it\. Only .* owner .* Parley knows you as eve\.$/,
      );
      expect((await fixture.getQuestion(id)).status).toBe('pending');
      expect(fixture.slack.views).toHaveLength(0);
    });

    const STRANGERS: [string, object, { team?: string }?][] = [
      ['who is unknown', { id: 'U0NEW', email: undefined }],
      ['whose address is not confirmed', { id: 'U1BOB', email: 'bob@example.com', is_email_confirmed: false }],
      [
        'whose address Slack does not report as confirmed',
        { id: 'U9BOB', email: 'bob@example.com', is_email_confirmed: undefined },
      ],
      ['of another workspace', { id: 'U2BOB', email: 'bob@example.com', team_id: 'T0ELSE' }, { team: 'T0ELSE' }],
      ['whose profile is of another workspace', { id: 'U3BOB', email: 'bob@example.com', team_id: 'T0ELSE' }],
      ['who is a stranger to the workspace', { id: 'U4BOB', email: 'bob@example.com', is_stranger: true }],
      ['who is a guest', { id: 'U5BOB', email: 'bob@example.com', is_restricted: true }],
      ['who is a bot', { id: 'U6BOB', email: 'bob@example.com', is_bot: true }],
      ['who has left', { id: 'U7BOB', email: 'bob@example.com', deleted: true }],
      ['with the id of a person in another workspace', { id: 'U8BOB' }, { team: 'T0ELSE' }],
    ];
    it.each(STRANGERS)('%s gets instructions on how to be recognized', async (_who, user, more = {}) => {
      const { id } = fixture.slack.addUser(user as { id: string });
      const { id: conversation, message } = await fixture.askQuestion('colour');
      await fixture.userActions.click(message, 'Blue', { user: id, ...more });
      expect(await fixture.waitForEphemeral(id)).toBe(
        `You can't answer this question: Parley does not know your Slack account. Ask your administrator to add slack:${more.team ?? 'T0HOME'}/${id} to your entry in PARLEY_PEOPLE.`,
      );
      expect((await fixture.getQuestion(conversation)).status).toBe('pending');
    });

    it('mapped by id is not confused with that id in another workspace', async () => {
      const { id, message } = await fixture.askQuestion('colour');
      await fixture.userActions.click(message, 'Blue', { user: 'U0MARIA', team: 'T0ELSE' });
      expect(await fixture.waitForEphemeral('U0MARIA')).toContain('slack:T0ELSE/U0MARIA');
      expect((await fixture.getQuestion(id)).status).toBe('pending');
    });

    it('is looked up once in a while, and not on each click', async () => {
      fixture.slack.addUser({ id: 'U0OFTEN', email: 'often@example.com' });
      const { message } = await fixture.askQuestion('colour');
      for (const count of [1, 2, 3]) {
        await fixture.userActions.click(message, 'Blue', { user: 'U0OFTEN' });
        await fixture.waitForEphemeral('U0OFTEN', count);
      }
      const lookups = fixture.slack.calls.filter(
        ({ method, args }) => method === 'users.info' && args.user === 'U0OFTEN',
      );
      expect(lookups).toHaveLength(1);
    });

    it('gets an error if Slack does not identify them, and may try again', async () => {
      fixture.slack.addUser({ id: 'U0LATE', email: 'bob@example.com' });
      const { id, message } = await fixture.askQuestion('colour');
      fixture.slack.failNext('users.info', { status: 500 });
      await fixture.userActions.click(message, 'Blue', { user: 'U0LATE' });
      expect(await fixture.waitForEphemeral('U0LATE')).toContain('Slack is unavailable');
      await fixture.userActions.click(message, 'Blue', { user: 'U0LATE' });
      expect((await fixture.getQuestion(id)).outcome).toMatchObject({ by: 'bob' });
    });
  });

  it('on a message of an earlier question with the same id says that it no longer exists', async () => {
    const { id, message } = await fixture.askQuestion('colour');
    const { askedAt } = await fixture.getQuestion(id);
    const old = JSON.parse(JSON.stringify(message).replaceAll(askedAt, '2026-01-01T00:00:00.000Z'));
    for (const button of ['Blue', 'Other…', 'Skip']) await fixture.userActions.click(old, button);
    expect(await fixture.waitForEphemeral('U0MARIA', 3)).toBe(
      'This question no longer exists. Your answer was not accepted.',
    );
    expect([(await fixture.getQuestion(id)).status, fixture.slack.views.length]).toEqual(['pending', 0]);
  });

  it('on an unknown button does nothing', async () => {
    const { message } = await fixture.askQuestion('colour');
    const withButton = (value: string) => ({
      ...message,
      blocks: [{ type: 'actions', elements: [{ action_id: 'x', text: { text: 'Odd' }, value }] }],
    });
    for (const value of ['', '[]', '{}', '["a"]', 'null', '["../x","question-1",0]'])
      expect((await fixture.userActions.click(withButton(value), 'Odd')).status).toBe(200);
    const form = new URLSearchParams({ payload: '{"type":"view_closed"}' }).toString();
    for (const body of [form, 'payload=%', 'payload=[', '', 'x=1'])
      expect(
        (await fixture.userActions.send('/slack/interactions', body, 'application/x-www-form-urlencoded')).status,
      ).toBe(200);
  });
});

it('lets anyone answer under their Slack name if no keys are set', async () => {
  const fixture = await createSlackFixture({ keys: undefined });
  fixture.slack.addUser({ id: 'U0NEW', name: 'newcomer' });
  const { id, message } = await fixture.askQuestion('colour');
  await fixture.userActions.click(message, 'Blue', { user: 'U0NEW' });
  expect((await fixture.getQuestion(id)).outcome).toMatchObject({ by: 'newcomer', via: 'slack' });
  await fixture.stop();
});
