import { collectBlockTexts, collectMrkdwnTexts } from '#test/support/slack/block-kit';
import { createSlackFixture, type SlackFixture } from '#test/support/slack/slack-fixture';

describe('a click in Slack', () => {
  let s: SlackFixture;
  beforeAll(async () => {
    s = await createSlackFixture();
  });
  beforeEach(() => {
    s.slack.ephemerals.length = 0;
  });
  afterAll(() => s.stop());

  it('on an option answers, as that person and by Slack, and the message says so', async () => {
    const { id, message } = await s.asked('colour');
    const told = await s.hands.click(message, 'Blue');
    expect(told).toEqual({ status: 200, body: '' });
    expect(await s.question(id)).toMatchObject({
      status: 'answered',
      outcome: { answers: { q1: 'Blue' }, by: 'maria', via: 'slack' },
    });
    await s.p.until(id, 'completed');
    await s.slack.until(() => message.text.startsWith('Answered by maria in Slack'));
    expect(collectBlockTexts(message.blocks).join('\n')).toContain('*Answer:* Blue');
    expect(message.blocks.some(({ type }) => type === 'actions')).toBe(false);
    expect(s.slack.ephemerals).toEqual([]);
  });

  it('on Decline declines', async () => {
    const { id, message } = await s.asked('colour');
    await s.hands.click(message, 'Decline');
    expect(await s.question(id)).toMatchObject({
      status: 'declined',
      outcome: { by: 'maria', via: 'slack' },
    });
    await s.slack.until(() => message.text.startsWith('Declined by maria in Slack'));
  });

  it.each([
    ['Yes, proceed', 'Yes, proceed'],
    ['No, cancel', 'No, cancel'],
  ])('on %s says so to an action', async (button, value) => {
    const { id, message } = await s.asked('confirm');
    await s.hands.click(message, button);
    expect((await s.question(id)).outcome).toMatchObject({ answers: { q1: value }, via: 'slack' });
  });

  it('counts once, however often it is made', async () => {
    const { id, message } = await s.asked('colour');
    const before = { ...message };
    const all = await Promise.all([1, 2, 3].map(() => s.hands.click(before, 'Red')));
    await s.hands.click(before, 'Red');
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await s.question(id)).outcome).toMatchObject({ answers: { q1: 'Red' } });
    await s.p.until(id, 'completed');
    const later = await s.asked('colour');
    await s.hands.click(before, 'Blue');
    await s.told('U0MARIA');
    expect(s.slack.ephemerals).toHaveLength(1);
    expect((await s.question(later.id)).status).toBe('pending');
  });

  it('that is late is told by whom, where and when, and brings the message up to date', async () => {
    const { id, message } = await s.asked('colour');
    s.slack.trouble('chat.update', { error: 'message_not_found' });
    const before = { ...message };
    await s.p.answer(id, { answer: 'Red' });
    await s.slack.until(() => s.slack.calls.some(({ method }) => method === 'chat.update'));
    expect(message.blocks.some(({ type }) => type === 'actions')).toBe(true);
    await s.hands.click(before, 'Blue');
    const { at } = (await s.question(id)).outcome ?? { at: '' };
    const seconds = Math.floor(Date.parse(at) / 1_000);
    expect(await s.told('U0MARIA')).toMatch(
      new RegExp(`^Too late: .*Answered by ann over HTTP · <!date\\^${seconds}\\^.*changed nothing\\.$`),
    );
    await s.slack.until(() => message.text.startsWith('Answered by ann'));
    expect((await s.question(id)).outcome?.answers).toEqual({ q1: 'Red' });
    // The same for what opens the form, and for what declines.
    await s.hands.click(before, 'Other…');
    await s.hands.click(before, 'Decline');
    expect(await s.told('U0MARIA', 3)).toContain('Answered by ann');
  });

  it('changes the message when the question is settled elsewhere', async () => {
    const { id, message } = await s.asked('name');
    await s.p.call(
      'POST',
      `/v1/conversations/${id}/questions/latest/answer`,
      {
        answer: '<!channel> Rose',
        comment: '<@U0BOB>',
      },
      { 'x-parley-channel': 'web' },
    );
    await s.slack.until(() => message.text.startsWith('Answered by ann in the web app'));
    const markup = collectMrkdwnTexts(message.blocks).join('\n');
    expect(markup).toContain('&lt;!channel&gt; Rose');
    expect(markup).toContain('*Comment:* &lt;@U0BOB&gt;');
  });

  describe('by somebody', () => {
    it.each([
      ['whose address the directory knows', 'U0BOB', 'bob'],
      ['whose address is among the assignees', 'U0DAVE', 'dave@example.com'],
    ])('%s answers as them', async (_who, user, name) => {
      const { id, message } = await s.asked('colour');
      await s.hands.click(message, 'Blue', { user });
      expect((await s.question(id)).outcome).toMatchObject({ by: name, via: 'slack' });
    });

    it('who may see it and not answer is told that it is not theirs', async () => {
      const { id, message } = await s.asked('colour', { visibleTo: ['eve'] });
      await s.hands.click(message, 'Blue', { user: 'U0EVE' });
      expect(await s.told('U0EVE')).toMatch(/^This is not yours to answer: it is for the owner /);
      expect((await s.question(id)).status).toBe('pending');
    });

    it('who is known and not asked is told that it is not theirs', async () => {
      const { id, message } = await s.asked('colour');
      for (const button of ['Blue', 'Other…', 'Decline']) await s.hands.click(message, button, { user: 'U0EVE' });
      expect(await s.told('U0EVE', 3)).toMatch(
        /^It is not there any more, or not yours to answer: it is for the owner .* Parley knows you as eve\.$/,
      );
      expect((await s.question(id)).status).toBe('pending');
      expect(s.slack.views).toHaveLength(0);
    });

    const STRANGERS: [string, object, { team?: string }?][] = [
      ['whom nobody knows', { id: 'U0NEW', email: undefined }],
      ['whose address is not confirmed', { id: 'U1BOB', email: 'bob@example.com', is_email_confirmed: false }],
      [
        'whose address Slack does not call confirmed',
        { id: 'U9BOB', email: 'bob@example.com', is_email_confirmed: undefined },
      ],
      ['who is of another company', { id: 'U2BOB', email: 'bob@example.com', team_id: 'T0ELSE' }, { team: 'T0ELSE' }],
      ['whose profile is of another company', { id: 'U3BOB', email: 'bob@example.com', team_id: 'T0ELSE' }],
      ['who is a stranger to the workspace', { id: 'U4BOB', email: 'bob@example.com', is_stranger: true }],
      ['who is a guest', { id: 'U5BOB', email: 'bob@example.com', is_restricted: true }],
      ['who is a bot', { id: 'U6BOB', email: 'bob@example.com', is_bot: true }],
      ['who has left', { id: 'U7BOB', email: 'bob@example.com', deleted: true }],
      ['with the id of another in another company', { id: 'U8BOB' }, { team: 'T0ELSE' }],
    ];
    it.each(STRANGERS)('%s is told how to become known', async (_who, user, more = {}) => {
      const { id } = s.slack.addUser(user as { id: string });
      const { id: conversation, message } = await s.asked('colour');
      await s.hands.click(message, 'Blue', { user: id, ...more });
      expect(await s.told(id)).toBe(
        `This is not yours to answer: Parley does not know you. Ask whoever runs it to add slack:${more.team ?? 'T0HOME'}/${id} to you in PARLEY_PEOPLE.`,
      );
      expect((await s.question(conversation)).status).toBe('pending');
    });

    it('mapped by id is not somebody of another team with that id', async () => {
      const { id, message } = await s.asked('colour');
      await s.hands.click(message, 'Blue', { user: 'U0MARIA', team: 'T0ELSE' });
      expect(await s.told('U0MARIA')).toContain('slack:T0ELSE/U0MARIA');
      expect((await s.question(id)).status).toBe('pending');
    });

    it('is looked up once in a while, and not with each click', async () => {
      s.slack.addUser({ id: 'U0OFTEN', email: 'often@example.com' });
      const { message } = await s.asked('colour');
      for (const count of [1, 2, 3]) {
        await s.hands.click(message, 'Blue', { user: 'U0OFTEN' });
        await s.told('U0OFTEN', count);
      }
      const looks = s.slack.calls.filter(({ method, args }) => method === 'users.info' && args.user === 'U0OFTEN');
      expect(looks).toHaveLength(1);
    });

    it('is told when Slack does not say who they are, and may try again', async () => {
      s.slack.addUser({ id: 'U0LATE', email: 'bob@example.com' });
      const { id, message } = await s.asked('colour');
      s.slack.trouble('users.info', { status: 500 });
      await s.hands.click(message, 'Blue', { user: 'U0LATE' });
      expect(await s.told('U0LATE')).toContain('Slack is out of order');
      await s.hands.click(message, 'Blue', { user: 'U0LATE' });
      expect((await s.question(id)).outcome).toMatchObject({ by: 'bob' });
    });
  });

  it('on the message of another asking under the same id is told that it is not there', async () => {
    const { id, message } = await s.asked('colour');
    const { askedAt } = await s.question(id);
    const old = JSON.parse(JSON.stringify(message).replaceAll(askedAt, '2026-01-01T00:00:00.000Z'));
    for (const button of ['Blue', 'Other…', 'Decline']) await s.hands.click(old, button);
    expect(await s.told('U0MARIA', 3)).toBe('This question is not there any more: nothing was taken.');
    expect([(await s.question(id)).status, s.slack.views.length]).toEqual(['pending', 0]);
  });

  it('of a button that is none of ours does nothing', async () => {
    const { message } = await s.asked('colour');
    const odd = (value: string) => ({
      ...message,
      blocks: [{ type: 'actions', elements: [{ action_id: 'x', text: { text: 'Odd' }, value }] }],
    });
    for (const value of ['', '[]', '{}', '["a"]', 'null', '["../x","question-1",0]'])
      expect((await s.hands.click(odd(value), 'Odd')).status).toBe(200);
    const form = new URLSearchParams({ payload: '{"type":"view_closed"}' }).toString();
    for (const body of [form, 'payload=%', 'payload=[', '', 'x=1'])
      expect((await s.hands.send('/slack/interactions', body, 'application/x-www-form-urlencoded')).status).toBe(200);
  });
});

it('lets anybody answer, under their Slack name, where no keys are set', async () => {
  const s = await createSlackFixture({ keys: undefined });
  s.slack.addUser({ id: 'U0NEW', name: 'newcomer' });
  const { id, message } = await s.asked('colour');
  await s.hands.click(message, 'Blue', { user: 'U0NEW' });
  expect((await s.question(id)).outcome).toMatchObject({ by: 'newcomer', via: 'slack' });
  await s.stop();
});
