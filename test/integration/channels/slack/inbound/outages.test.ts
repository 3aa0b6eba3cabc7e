import { createLatch } from '#test/support/scripted-model';
import { createSlackFixture, type SlackFixture } from '#test/support/slack/slack-fixture';
import { startTcpProxy } from '#test/support/tcp-proxy';

describe('with Slack, while something is down', () => {
  let s: SlackFixture;
  beforeAll(async () => {
    s = await createSlackFixture();
  });
  beforeEach(() => {
    s.slack.ephemerals.length = 0;
  });
  afterAll(() => s.stop());

  const posts = (id: string) => s.slack.messages.filter(({ metadata }) => metadata?.event_payload.conversation === id);

  it.each([
    ['is out of order', { status: 500 } as const],
    ['cannot be reached', 'cut' as const],
    ['asks to wait', { retryAfter: 1 } as const],
    ['loses the answer', 'cutAfter' as const],
  ])('a question is posted once Slack is back, and once, where it %s', async (_what, trouble) => {
    s.slack.trouble('chat.postMessage', trouble);
    const id = await s.p.start('ask: colour');
    await s.p.question(id);
    const noted = async () => {
      for (;;) {
        const { notices } = await s.question(id);
        if (notices.length > 0) return notices;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    };
    expect(await noted()).toMatchObject([{ channel: 'slack:#ops', what: 'asked' }]);
    expect(posts(id)).toHaveLength(1);
    await s.hands.click(await s.slack.posted(id), 'Red');
    await s.slack.until(() => posts(id)[0]?.text.startsWith('Answered by maria'));
  });

  it('a question is told once the bot is let in', async () => {
    s.slack.trouble('chat.postMessage', { error: 'not_in_channel' }, { error: 'not_in_channel' });
    const { message } = await s.asked('colour');
    expect(s.slack.messages.filter(({ ts }) => ts === message.ts)).toHaveLength(1);
  });

  it('a question that Slack will never take is noted as not sent, in words', async () => {
    s.slack.trouble('chat.postMessage', { error: 'invalid_blocks' });
    const id = await s.p.start('ask: colour');
    await s.p.question(id);
    const noted = async () => {
      for (;;) {
        const [notice] = (await s.question(id)).notices;
        if (notice) return notice.what;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    };
    expect(await noted()).toContain('could not be sent: Slack refused the message itself');
    expect(posts(id)).toHaveLength(0);
  });

  it('a message is changed once Slack is back', async () => {
    const { id, message } = await s.asked('colour');
    s.slack.trouble('chat.update', 'cut');
    await s.p.answer(id, { answer: 'Red' });
    await s.slack.until(() => message.text.startsWith('Answered by ann'));
  });

  describe('with no worker up', () => {
    afterEach(() => s.p.startWorker());

    it('a click, a form and a reply are kept, and that is said', async () => {
      const click = await s.asked('colour');
      const form = await s.asked('name');
      const reply = await s.asked('name');
      const view = await s.opened(form.message, 'Answer…');
      await s.p.stopWorker();
      const [, { action }] = await Promise.all([
        s.hands.click(click.message, 'Blue'),
        s.hands.submit(view, { field_q1: 'Rose' }),
        s.hands.reply(reply.message, 'Vera'),
      ]);
      const words = /Your answer is kept\..*unless somebody else’s came first/;
      expect(JSON.stringify(action)).toMatch(words);
      expect(await s.told('U0MARIA', 2)).toMatch(words);
      await s.p.startWorker();
      for (const { id } of [click, form, reply]) await s.p.until(id, 'completed');
      expect((await s.question(click.id)).outcome).toMatchObject({ answers: { q1: 'Blue' }, by: 'maria' });
      expect((await s.question(form.id)).outcome).toMatchObject({ answers: { q1: 'Rose' } });
      expect((await s.question(reply.id)).outcome).toMatchObject({ answers: { q1: 'Vera' } });
      await s.p.stopWorker();
    });
  });

  it('Slack is answered before a slow part is done, and the rest goes on after that', async () => {
    s.slack.addUser({ id: 'U0SLOW', email: 'bob@example.com' });
    s.slack.addUser({ id: 'U1SLOW', email: 'bob@example.com' });
    const slow = createLatch();
    const held = { hold: slow.hold };
    const click = await s.asked('colour');
    const form = await s.asked('name');
    const view = await s.opened(form.message, 'Answer…');
    s.slack.trouble('users.info', held, held);
    // Slack waits for three seconds: the reply is here while the slow part is still held.
    const told = await Promise.all([
      s.hands.click(click.message, 'Blue', { user: 'U0SLOW' }),
      s.hands.submit(view, { field_q1: 'Rose' }, { user: 'U1SLOW' }),
    ]);
    expect(told[0]).toEqual({ status: 200, body: '' });
    expect(told[1].action).toEqual({
      response_action: 'errors',
      errors: { comment: 'Parley is slow just now: send it again, it counts once.' },
    });
    slow.release();
    const again = await s.hands.submit(view, { field_q1: 'Rose' }, { user: 'U1SLOW' });
    expect(again.action).toEqual({ response_action: 'clear' });
    await s.p.until(click.id, 'completed');
    await s.p.until(form.id, 'completed');
    expect((await s.question(click.id)).outcome).toMatchObject({ answers: { q1: 'Blue' }, by: 'bob' });
    expect((await s.question(form.id)).outcome).toMatchObject({ answers: { q1: 'Rose' }, by: 'bob' });
    expect(s.slack.ephemerals).toEqual([]);
  });

  it('a form is closed in time once Temporal has it, and what came of it is told after that', async () => {
    s.slack.addUser({ id: 'U3SLOW', email: 'bob@example.com' });
    const { id, message } = await s.asked('name');
    const view = await s.opened(message, 'Answer…');
    await s.p.stopWorker();
    // A worker might act until after Slack has to be answered.
    s.p.patience.verdictMs = 5_000;
    const submitted = await s.hands.submit(view, { field_q1: 'Rose' }, { user: 'U3SLOW' });
    expect(submitted.action).toEqual({ response_action: 'clear' });
    expect(await s.told('U3SLOW')).toContain('Your answer is kept.');
    await s.p.startWorker();
    await s.p.until(id, 'completed');
    expect((await s.question(id)).outcome).toMatchObject({ answers: { q1: 'Rose' }, by: 'bob' });
  });
});

it('with Temporal out of reach nothing is taken, that is said, and what Slack sends again is', async () => {
  const way = await startTcpProxy(`http://${process.env.PARLEY_TEST_ADDRESS}`);
  const s = await createSlackFixture({ address: new URL(way.url).host, isCutOff: true });
  const click = await s.asked('colour');
  const reply = await s.asked('name');
  const form = await s.asked('name');
  const view = await s.opened(form.message, 'Answer…');
  way.cut();
  await s.hands.click(click.message, 'Blue');
  expect(await s.told('U0MARIA')).toMatch(/^Temporal .*so nothing was accepted\. Try again/);
  const { action } = await s.hands.submit(view, { field_q1: 'Vera' });
  expect(action).toMatchObject({
    response_action: 'errors',
    errors: { comment: expect.stringMatching(/again/) },
  });
  const again = { ts: '1800000009.000001', headers: { 'x-slack-retry-num': '1' } };
  const down = await s.hands.reply(reply.message, 'Rose', { ts: again.ts });
  expect(down.status).toBe(503);
  expect(await s.told('U0MARIA', 2)).toContain('It is tried again by itself');
  way.mend();
  while ((await s.hands.reply(reply.message, 'Rose', again)).status !== 200);
  await s.p.until(reply.id, 'completed');
  expect((await s.question(reply.id)).outcome).toMatchObject({ answers: { q1: 'Rose' }, by: 'maria' });
  expect((await s.question(click.id)).status).toBe('pending');
  await s.hands.click(click.message, 'Blue');
  await s.p.until(click.id, 'completed');
  expect((await s.hands.submit(view, { field_q1: 'Vera' })).action).toEqual({ response_action: 'clear' });
  await s.stop();
  await way.stop();
});
