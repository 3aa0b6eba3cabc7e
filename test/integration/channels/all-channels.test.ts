import { createParley } from '#client/parley';
import type { Question } from '#contract/question';
import {
  findEmailToken,
  INBOUND_EMAIL_SECRET,
  isEmailAbout,
  MARIA_EMAIL,
  writeRawReply,
} from '#test/support/email/email-fixture';
import { type FakeSmtpServer, type ReceivedEmail, startFakeSmtpServer } from '#test/support/email/smtp-server';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { type FakeSlack, startFakeSlack } from '#test/support/slack/fake-slack';
import { createSlackUserActions, type SlackUserActions } from '#test/support/slack/user-actions';
import type { FakeSlackMessage } from '#test/support/slack/web-api-methods';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let parley: TestParley;
let slack: FakeSlack;
let mail: FakeSmtpServer;
let webhookReceiver: WebhookReceiver;
let slackUser: SlackUserActions;
beforeAll(async () => {
  [slack, mail, webhookReceiver] = await Promise.all([
    startFakeSlack(),
    startFakeSmtpServer(),
    startWebhookReceiver(SECRET),
  ]);
  slack.addUser({ id: 'U0MARIA', email: MARIA_EMAIL });
  slack.addUser({ id: 'U0JOE', email: 'joe@example.com' });
  parley = await startParley({
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which colour?', 'Red', 'Blue'),
    keys: { owner: ['admin'], bot: ['questions:answer'] },
    frontMatter: `questions: { notify: ["slack:#ops", "email:${MARIA_EMAIL}", inbox], assignees: [maria, joe, bot] }`,
    env: {
      ...slack.env,
      PARLEY_PEOPLE: `maria=${MARIA_EMAIL} joe=joe@example.com`,
      PARLEY_SMTP_URL: mail.url,
      PARLEY_EMAIL_FROM: 'Parley <parley@example.com>',
      PARLEY_EMAIL_REPLY_TO: 'reply@in.example.com',
      PARLEY_EMAIL_SECRET: INBOUND_EMAIL_SECRET,
      PARLEY_WEBHOOK_SECRETS: `*=${SECRET}`,
      PARLEY_INTERNAL_HOSTS: '127.0.0.1',
    },
  });
  slackUser = createSlackUserActions(slack, parley.url);
});
afterAll(async () => {
  for (const watch of inboxWatches) watch.abort();
  await parley.stop();
  await Promise.all([slack.stop(), mail.stop(), webhookReceiver.stop()]);
});

interface AskedQuestion {
  id: string;
  message: FakeSlackMessage;
  email: ReceivedEmail;
  /** The URL for answers in the webhook. */
  answerUrl: string;
  /** The question in the inbox, as a viewer sees it close. */
  leftInbox: Promise<Question>;
}

/** Aborted with the tests: a stream with no reader would reconnect forever. */
const inboxWatches: AbortController[] = [];

async function askEverywhere(): Promise<AskedQuestion> {
  const id = await parley.startConversation('Paint the shed', { callbackUrl: webhookReceiver.url });
  const { id: questionId } = await parley.waitForQuestion(id);
  const watchAbort = new AbortController();
  inboxWatches.push(watchAbort);
  const inboxEvents = createParley({ url: parley.url, key: parley.apiKey('owner') }).inboxEvents({
    conversation: id,
    signal: watchAbort.signal,
  });
  const leftInbox = (async () => {
    for await (const event of inboxEvents)
      if (event.event === 'question_answered' && event.data.id === questionId) return event.data;
    throw new Error('the inbox has ended');
  })().finally(() => watchAbort.abort());
  leftInbox.catch(() => undefined);
  const message = await slack.waitForMessage(id);
  const email = await mail.waitForEmail((one) => isEmailAbout(one, id));
  const pending = await waitForDelivery(id, 'question.pending');
  for (;;) {
    const { notices } = await parley.waitForQuestion(id);
    if (notices.length === 4) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { id, message, email, answerUrl: pending.data.answerUrl, leftInbox };
}

async function waitForDelivery(id: string, type: string) {
  for (let count = 1; ; count += 1) {
    const found = (await webhookReceiver.waitForDeliveries(count)).find(
      (one) => one.session === id && one.type === type,
    );
    if (found) return found;
  }
}

const emailsAbout = (id: string) =>
  mail.emails.filter(({ references, inReplyTo, messageId }) => {
    const first = mail.emails.find((one) => isEmailAbout(one, id))?.messageId;
    return messageId === first || inReplyTo === first || [references].flat().includes(first);
  });
const textOf = ({ text }: ReceivedEmail) => String(text).replace(/\s+/g, ' ');
const postAnswer = (url: string, key: string, headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ answer: 'Blue' }),
  });
const deliverReply = async (raw: Buffer): Promise<{ outcome: string }> => {
  const headers = { authorization: `Bearer ${INBOUND_EMAIL_SECRET}`, 'content-type': 'message/rfc822' };
  const response = await fetch(`${parley.url}/email/inbound`, {
    method: 'POST',
    headers,
    body: new Uint8Array(raw),
  });
  return (await response.json()) as { outcome: string };
};
const answerPageUrl = ({ text }: ReceivedEmail) => /https?:\S+\/a\/[\w.-]+/.exec(String(text))?.[0] ?? '';

type ChannelName = 'webhook' | 'slack' | 'email' | 'inbox';

/** Each way to answer: who answers, and how the outcome names it. */
const CHANNELS: Record<
  ChannelName,
  { by: string; via: string; description: string; answer(asked: AskedQuestion): Promise<unknown> }
> = {
  webhook: {
    by: 'bot',
    via: 'http',
    description: 'by bot over HTTP',
    answer: ({ answerUrl }) => postAnswer(answerUrl, parley.apiKey('bot')),
  },
  slack: {
    by: 'joe',
    via: 'slack',
    description: 'by joe via Slack',
    answer: ({ message }) => slackUser.click(message, 'Blue', { user: 'U0JOE' }),
  },
  email: {
    by: 'maria',
    via: 'email',
    description: 'by maria via Email',
    answer: ({ email }) => deliverReply(writeRawReply({ token: findEmailToken(email) }, 'Blue')),
  },
  inbox: {
    by: 'owner',
    via: 'web',
    description: 'by owner on the web',
    answer: ({ answerUrl }) => postAnswer(answerUrl, parley.apiKey('owner'), { 'x-parley-channel': 'web' }),
  },
};

describe.each(Object.keys(CHANNELS) as ChannelName[])('a question sent to every channel and answered by %s', (way) => {
  const { by, via, description, answer } = CHANNELS[way];
  let asked: AskedQuestion;
  beforeAll(async () => {
    asked = await askEverywhere();
    await answer(asked);
  });

  it('records that person and channel', async () => {
    const { body } = await parley.call<Question>('GET', `/v1/conversations/${asked.id}/questions/question-1`);
    expect(body).toMatchObject({ status: 'answered', outcome: { answers: { q1: 'Blue' }, by, via } });
    await parley.waitForStatus(asked.id, 'completed');
  });

  it('leaves the inbox', async () => {
    expect((await asked.leftInbox).outcome).toMatchObject({ by, via });
  });

  it('is reported to the webhook', async () => {
    const { data } = await waitForDelivery(asked.id, 'question.answered');
    expect(data.question.outcome).toMatchObject({ answers: { q1: 'Blue' }, by, via });
    await waitForDelivery(asked.id, 'conversation.completed');
  });

  it('is updated in Slack, with no buttons left', async () => {
    const { message } = asked;
    await slack.waitFor(() => message.text.includes(`Answered ${description}`));
    expect(message.blocks.some(({ type }) => type === 'actions')).toBe(false);
  });

  it('is updated by email, in the thread', async () => {
    const notice = await mail.waitForEmail((one) => emailsAbout(asked.id).includes(one) && one !== asked.email);
    expect(textOf(notice)).toContain(way === 'email' ? 'Blue' : description);
    expect(emailsAbout(asked.id)).toHaveLength(2);
  });

  it('shows late answers who was first, on every channel', async () => {
    const lateAnswer = await postAnswer(asked.answerUrl, parley.apiKey('bot'));
    expect(lateAnswer.status).toBe(409);
    expect(await lateAnswer.json()).toMatchObject({
      code: 'question_answered',
      question: { outcome: { by, via } },
    });

    const lateReply = writeRawReply({ token: findEmailToken(asked.email) }, 'Red', {
      headers: [`Message-ID: <${asked.id}@late.example>`],
    });
    expect(await deliverReply(lateReply)).toMatchObject({ outcome: 'late' });
    const feedback = await mail.waitForEmail(({ inReplyTo }) => inReplyTo === `<${asked.id}@late.example>`);
    expect(textOf(feedback)).toContain(description);

    const page = await fetch(answerPageUrl(asked.email));
    expect(await page.text()).toContain(`Answered ${description}`);
    const lateForm = await fetch(answerPageUrl(asked.email), {
      method: 'POST',
      body: new URLSearchParams({ q1: 'Red' }),
    });
    expect(lateForm.status).toBe(409);
    expect(await lateForm.text()).toContain(`Answered ${description}`);
  });
});

it('shows a late click in Slack who was first, before the message is updated', async () => {
  const asked = await askEverywhere();
  const staleMessage = structuredClone(asked.message);
  await postAnswer(asked.answerUrl, parley.apiKey('bot'));
  slack.ephemerals.length = 0;
  await slackUser.click(staleMessage, 'Red', { user: 'U0MARIA' });
  const notice = await slack.waitFor(() => slack.ephemerals.find(({ user }) => user === 'U0MARIA'));
  expect(notice.text).toContain('by bot');
  const { body } = await parley.call<Question>('GET', `/v1/conversations/${asked.id}/questions/question-1`);
  expect(body.outcome).toMatchObject({ answers: { q1: 'Blue' }, by: 'bot' });
});
