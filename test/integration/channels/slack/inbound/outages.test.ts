import { createLatch } from '#test/support/scripted-model';
import { createSlackFixture, type SlackFixture } from '#test/support/slack/slack-fixture';
import { startTcpProxy } from '#test/support/tcp-proxy';

describe('during an outage', () => {
  let fixture: SlackFixture;
  beforeAll(async () => {
    fixture = await createSlackFixture();
  });
  beforeEach(() => {
    fixture.slack.ephemerals.length = 0;
  });
  afterAll(() => fixture.stop());

  const messagesAbout = (id: string) =>
    fixture.slack.messages.filter(({ metadata }) => metadata?.event_payload.conversation === id);

  it.each([
    ['fails', { status: 500 } as const],
    ['is unreachable', 'cut' as const],
    ['asks to wait', { retryAfter: 1 } as const],
    ['loses the reply', 'cutAfter' as const],
  ])('a question is posted once, when Slack is back, if it %s', async (_what, failure) => {
    fixture.slack.failNext('chat.postMessage', failure);
    const id = await fixture.p.startConversation('ask: colour');
    await fixture.p.waitForQuestion(id);
    const waitForNotice = async () => {
      for (;;) {
        const { notices } = await fixture.getQuestion(id);
        if (notices.length > 0) return notices;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    };
    expect(await waitForNotice()).toMatchObject([{ channel: 'slack:#ops', what: 'asked' }]);
    expect(messagesAbout(id)).toHaveLength(1);
    await fixture.userActions.click(await fixture.slack.waitForMessage(id), 'Red');
    await fixture.slack.waitFor(() => messagesAbout(id)[0]?.text.startsWith('Answered by maria'));
  });

  it('a question is posted once the bot is invited', async () => {
    fixture.slack.failNext('chat.postMessage', { error: 'not_in_channel' }, { error: 'not_in_channel' });
    const { message } = await fixture.askQuestion('colour');
    expect(fixture.slack.messages.filter(({ ts }) => ts === message.ts)).toHaveLength(1);
  });

  it('a question that Slack will never accept is recorded as not sent, with the reason', async () => {
    fixture.slack.failNext('chat.postMessage', { error: 'invalid_blocks' });
    const id = await fixture.p.startConversation('ask: colour');
    await fixture.p.waitForQuestion(id);
    const waitForNotice = async () => {
      for (;;) {
        const [notice] = (await fixture.getQuestion(id)).notices;
        if (notice) return notice.what;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    };
    expect(await waitForNotice()).toContain('could not be sent: Slack rejected the message itself');
    expect(messagesAbout(id)).toHaveLength(0);
  });

  it('a message is updated once Slack is back', async () => {
    const { id, message } = await fixture.askQuestion('colour');
    fixture.slack.failNext('chat.update', 'cut');
    await fixture.p.answer(id, { answer: 'Red' });
    await fixture.slack.waitFor(() => message.text.startsWith('Answered by ann'));
  });

  describe('of all workers', () => {
    afterEach(() => fixture.p.startWorker());

    it('a click, a form and a reply are saved, and the person sees that', async () => {
      const click = await fixture.askQuestion('colour');
      const form = await fixture.askQuestion('name');
      const reply = await fixture.askQuestion('name');
      const view = await fixture.openForm(form.message, 'Answer…');
      await fixture.p.stopWorker();
      const [, { action }] = await Promise.all([
        fixture.userActions.click(click.message, 'Blue'),
        fixture.userActions.submit(view, { field_q1: 'Rose' }),
        fixture.userActions.reply(reply.message, 'Vera'),
      ]);
      const expected = /Answer saved\..*unless someone else answered first/;
      expect(JSON.stringify(action)).toMatch(expected);
      expect(await fixture.waitForEphemeral('U0MARIA', 2)).toMatch(expected);
      await fixture.p.startWorker();
      for (const { id } of [click, form, reply]) await fixture.p.waitForStatus(id, 'completed');
      expect((await fixture.getQuestion(click.id)).outcome).toMatchObject({ answers: { q1: 'Blue' }, by: 'maria' });
      expect((await fixture.getQuestion(form.id)).outcome).toMatchObject({ answers: { q1: 'Rose' } });
      expect((await fixture.getQuestion(reply.id)).outcome).toMatchObject({ answers: { q1: 'Vera' } });
      await fixture.p.stopWorker();
    });
  });

  it('Slack gets a reply before a slow step is done, which continues afterwards', async () => {
    fixture.slack.addUser({ id: 'U0SLOW', email: 'bob@example.com' });
    fixture.slack.addUser({ id: 'U1SLOW', email: 'bob@example.com' });
    const slow = createLatch();
    const heldResponse = { hold: slow.hold };
    const click = await fixture.askQuestion('colour');
    const form = await fixture.askQuestion('name');
    const view = await fixture.openForm(form.message, 'Answer…');
    fixture.slack.failNext('users.info', heldResponse, heldResponse);
    // Slack waits for three seconds: the reply arrives while the slow step is still held.
    const responses = await Promise.all([
      fixture.userActions.click(click.message, 'Blue', { user: 'U0SLOW' }),
      fixture.userActions.submit(view, { field_q1: 'Rose' }, { user: 'U1SLOW' }),
    ]);
    expect(responses[0]).toEqual({ status: 200, body: '' });
    expect(responses[1].action).toEqual({
      response_action: 'errors',
      errors: { comment: 'Parley is slow. Send it again; it only counts once.' },
    });
    slow.release();
    const retry = await fixture.userActions.submit(view, { field_q1: 'Rose' }, { user: 'U1SLOW' });
    expect(retry.action).toEqual({ response_action: 'clear' });
    await fixture.p.waitForStatus(click.id, 'completed');
    await fixture.p.waitForStatus(form.id, 'completed');
    expect((await fixture.getQuestion(click.id)).outcome).toMatchObject({ answers: { q1: 'Blue' }, by: 'bob' });
    expect((await fixture.getQuestion(form.id)).outcome).toMatchObject({ answers: { q1: 'Rose' }, by: 'bob' });
    expect(fixture.slack.ephemerals).toEqual([]);
  });

  it('a form is closed in time once Temporal has the answer, and its result is shown afterwards', async () => {
    fixture.slack.addUser({ id: 'U3SLOW', email: 'bob@example.com' });
    const { id, message } = await fixture.askQuestion('name');
    const view = await fixture.openForm(message, 'Answer…');
    await fixture.p.stopWorker();
    // A worker may take longer than Slack waits for a reply.
    fixture.p.waitLimits.resultMs = 5_000;
    const submitted = await fixture.userActions.submit(view, { field_q1: 'Rose' }, { user: 'U3SLOW' });
    expect(submitted.action).toEqual({ response_action: 'clear' });
    expect(await fixture.waitForEphemeral('U3SLOW')).toContain('Answer saved.');
    await fixture.p.startWorker();
    await fixture.p.waitForStatus(id, 'completed');
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({ answers: { q1: 'Rose' }, by: 'bob' });
  });
});

it("while Temporal is unreachable nothing is accepted, the person sees that, and Slack's retry is", async () => {
  const proxy = await startTcpProxy(`http://${process.env.PARLEY_TEST_ADDRESS}`);
  const fixture = await createSlackFixture({ address: new URL(proxy.url).host, cutsOffServer: true });
  const click = await fixture.askQuestion('colour');
  const reply = await fixture.askQuestion('name');
  const form = await fixture.askQuestion('name');
  const view = await fixture.openForm(form.message, 'Answer…');
  proxy.cut();
  await fixture.userActions.click(click.message, 'Blue');
  expect(await fixture.waitForEphemeral('U0MARIA')).toMatch(/Temporal.*so nothing was accepted/);
  const { action } = await fixture.userActions.submit(view, { field_q1: 'Vera' });
  expect(action).toMatchObject({
    response_action: 'errors',
    errors: { comment: expect.stringMatching(/again/) },
  });
  const redelivery = { ts: '1800000009.000001', headers: { 'x-slack-retry-num': '1' } };
  const refused = await fixture.userActions.reply(reply.message, 'Rose', { ts: redelivery.ts });
  expect(refused.status).toBe(503);
  expect(await fixture.waitForEphemeral('U0MARIA', 2)).toContain('Slack retries');
  proxy.restore();
  while ((await fixture.userActions.reply(reply.message, 'Rose', redelivery)).status !== 200);
  await fixture.p.waitForStatus(reply.id, 'completed');
  expect((await fixture.getQuestion(reply.id)).outcome).toMatchObject({ answers: { q1: 'Rose' }, by: 'maria' });
  expect((await fixture.getQuestion(click.id)).status).toBe('pending');
  await fixture.userActions.click(click.message, 'Blue');
  await fixture.p.waitForStatus(click.id, 'completed');
  expect((await fixture.userActions.submit(view, { field_q1: 'Vera' })).action).toEqual({ response_action: 'clear' });
  await fixture.stop();
  await proxy.stop();
});
