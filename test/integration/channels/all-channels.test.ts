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

let p: TestParley;
let slack: FakeSlack;
let mail: FakeSmtpServer;
let hook: WebhookReceiver;
let click: SlackUserActions;
beforeAll(async () => {
  [slack, mail, hook] = await Promise.all([startFakeSlack(), startFakeSmtpServer(), startWebhookReceiver(SECRET)]);
  slack.addUser({ id: 'U0MARIA', email: MARIA_EMAIL });
  slack.addUser({ id: 'U0JOE', email: 'joe@example.com' });
  p = await startParley({
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which colour?', 'Red', 'Blue'),
    keys: { owner: ['admin'], bot: ['questions:answer'] },
    policy: `questions: { notify: ["slack:#ops", "email:${MARIA_EMAIL}", inbox], assignees: [maria, joe, bot] }`,
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
  click = createSlackUserActions(slack, p.url);
});
afterAll(async () => {
  await p.stop();
  await Promise.all([slack.stop(), mail.down(), hook.stop()]);
});

interface Asked {
  id: string;
  message: FakeSlackMessage;
  letter: ReceivedEmail;
  /** Where the webhook says to answer. */
  answerUrl: string;
  /** The question in the inbox, as somebody who watches sees it settled. */
  leftInbox: Promise<Question>;
}

async function askEverywhere(): Promise<Asked> {
  const id = await p.start('Paint the shed', { callbackUrl: hook.url });
  const { id: questionId } = await p.question(id);
  const leaving = new AbortController();
  const watching = createParley({ url: p.url, key: p.key('owner') }).inboxEvents({
    conversation: id,
    signal: leaving.signal,
  });
  const leftInbox = (async () => {
    for await (const event of watching)
      if (event.event === 'question_answered' && event.data.id === questionId) return event.data;
    throw new Error('the inbox has ended');
  })().finally(() => leaving.abort());
  const message = await slack.posted(id);
  const letter = await mail.until((one) => isEmailAbout(one, id));
  const pending = await delivered(id, 'question.pending');
  for (;;) {
    const { notices } = await p.question(id);
    if (notices.length === 4) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { id, message, letter, answerUrl: pending.data.answerUrl, leftInbox };
}

async function delivered(id: string, type: string) {
  for (let count = 1; ; count += 1) {
    const found = (await hook.until(count)).find((one) => one.session === id && one.type === type);
    if (found) return found;
  }
}

const letters = (id: string) =>
  mail.mails.filter(({ references, inReplyTo, messageId }) => {
    const first = mail.mails.find((one) => isEmailAbout(one, id))?.messageId;
    return messageId === first || inReplyTo === first || [references].flat().includes(first);
  });
const bodyOf = ({ text }: ReceivedEmail) => String(text).replace(/\s+/g, ' ');
const post = (url: string, key: string, headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ answer: 'Blue' }),
  });
const hand = async (raw: Buffer): Promise<{ outcome: string }> => {
  const headers = { authorization: `Bearer ${INBOUND_EMAIL_SECRET}`, 'content-type': 'message/rfc822' };
  const response = await fetch(`${p.url}/email/inbound`, {
    method: 'POST',
    headers,
    body: new Uint8Array(raw),
  });
  return (await response.json()) as { outcome: string };
};
const pageOf = ({ text }: ReceivedEmail) => /https?:\S+\/a\/[\w.-]+/.exec(String(text))?.[0] ?? '';

type Way = 'webhook' | 'slack' | 'email' | 'inbox';

/** Each way to answer, who does it, and how the outcome names it. */
const WAYS: Record<Way, { by: string; via: string; words: string; answer(asked: Asked): Promise<unknown> }> = {
  webhook: {
    by: 'bot',
    via: 'http',
    words: 'by bot over HTTP',
    answer: ({ answerUrl }) => post(answerUrl, p.key('bot')),
  },
  slack: {
    by: 'joe',
    via: 'slack',
    words: 'by joe in Slack',
    answer: ({ message }) => click.click(message, 'Blue', { user: 'U0JOE' }),
  },
  email: {
    by: 'maria',
    via: 'email',
    words: 'by maria by e-mail',
    answer: ({ letter }) => hand(writeRawReply({ token: findEmailToken(letter) }, 'Blue')),
  },
  inbox: {
    by: 'owner',
    via: 'web',
    words: 'by owner in the web app',
    answer: ({ answerUrl }) => post(answerUrl, p.key('owner'), { 'x-parley-channel': 'web' }),
  },
};

describe.each(Object.keys(WAYS) as Way[])('a question that is out everywhere and answered by %s', (way) => {
  const { by, via, words, answer } = WAYS[way];
  let asked: Asked;
  beforeAll(async () => {
    asked = await askEverywhere();
    await answer(asked);
  });

  it('is settled by them, and by that way', async () => {
    const { body } = await p.call<Question>('GET', `/v1/conversations/${asked.id}/questions/question-1`);
    expect(body).toMatchObject({ status: 'answered', outcome: { answers: { q1: 'Blue' }, by, via } });
    await p.until(asked.id, 'completed');
  });

  it('leaves the inbox', async () => {
    expect((await asked.leftInbox).outcome).toMatchObject({ by, via });
  });

  it('is told so to the webhook', async () => {
    const { data } = await delivered(asked.id, 'question.answered');
    expect(data.question.outcome).toMatchObject({ answers: { q1: 'Blue' }, by, via });
    await delivered(asked.id, 'conversation.completed');
  });

  it('says so in Slack, with nothing left to click', async () => {
    const { message } = asked;
    await slack.until(() => message.text.includes(`Answered ${words}`));
    expect(message.blocks.some(({ type }) => type === 'actions')).toBe(false);
  });

  it('says so by mail, in the thread', async () => {
    const told = await mail.until((one) => letters(asked.id).includes(one) && one !== asked.letter);
    expect(bodyOf(told)).toContain(way === 'email' ? 'Blue' : words);
    expect(letters(asked.id)).toHaveLength(2);
  });

  it('tells whoever is late by whom, whatever way they come', async () => {
    const late = await post(asked.answerUrl, p.key('bot'));
    expect(late.status).toBe(409);
    expect(await late.json()).toMatchObject({
      code: 'question_answered',
      question: { outcome: { by, via } },
    });

    const tardy = writeRawReply({ token: findEmailToken(asked.letter) }, 'Red', {
      headers: [`Message-ID: <${asked.id}@late.example>`],
    });
    expect(await hand(tardy)).toMatchObject({ outcome: 'late' });
    const back = await mail.until(({ inReplyTo }) => inReplyTo === `<${asked.id}@late.example>`);
    expect(bodyOf(back)).toContain(words);

    const page = await fetch(pageOf(asked.letter));
    expect(await page.text()).toContain(`Answered ${words}`);
    const sent = await fetch(pageOf(asked.letter), {
      method: 'POST',
      body: new URLSearchParams({ q1: 'Red' }),
    });
    expect(sent.status).toBe(409);
    expect(await sent.text()).toContain(`Answered ${words}`);
  });
});

it('tells a late click in Slack by whom, before the message has changed', async () => {
  const asked = await askEverywhere();
  const shown = structuredClone(asked.message);
  await post(asked.answerUrl, p.key('bot'));
  slack.ephemerals.length = 0;
  await click.click(shown, 'Red', { user: 'U0MARIA' });
  const told = await slack.until(() => slack.ephemerals.find(({ user }) => user === 'U0MARIA'));
  expect(told.text).toContain('by bot');
  const { body } = await p.call<Question>('GET', `/v1/conversations/${asked.id}/questions/question-1`);
  expect(body.outcome).toMatchObject({ answers: { q1: 'Blue' }, by: 'bot' });
});
