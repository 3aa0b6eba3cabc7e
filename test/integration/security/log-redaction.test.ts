import { collectLog } from '#test/support/collect-log';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { installTestRuntime } from '#test/support/temporal/runtime';

/** Secrets and content. None may be in a log line, at any level. */
const PLANTED = {
  modelKey: 'sk-ant-PLANTED-model-key',
  secret: 'PLANTED-parley-secret-which-is-as-long-as-32-random-bytes',
  encryption: Buffer.alloc(32, 0x5a).toString('base64'),
  webhook: `whsec_${Buffer.alloc(32, 0x5b).toString('base64')}`,
  slack: 'xoxb-PLANTED-slack',
  slackSigning: 'PLANTED-slack-signing-secret',
  smtp: 'PLANTED-smtp-password',
  inbound: 'PLANTED-inbound-secret',
  tool: 'PLANTED-tool-token',
  callback: 'PLANTED-in-callback',
  message: 'PLANTED-message',
  question: 'PLANTED-question',
  answer: 'PLANTED-answer',
  comment: 'PLANTED-comment',
  reply: 'PLANTED-reply',
  trace: 'PLANTED-otlp-key',
};

const log = collectLog();
installTestRuntime(log.log);
let p: TestParley;
let link: string;
let id: string;

beforeAll(async () => {
  p = await startParley({
    log: log.log,
    workerLog: log.log,
    keys: { ann: ['admin'] },
    frontMatter: 'questions: { notify: ["slack:#ops", "email:ops@example.com"] }',
    env: {
      LOG_LEVEL: 'debug',
      ANTHROPIC_API_KEY: PLANTED.modelKey,
      PARLEY_SECRET: PLANTED.secret,
      PARLEY_ENCRYPTION_KEYS: `k1:${PLANTED.encryption}`,
      PARLEY_WEBHOOK_SECRETS: `*=${PLANTED.webhook}`,
      PARLEY_INTERNAL_HOSTS: '127.0.0.1',
      // Nothing listens there: the failures are logged, and must not reveal too much.
      SLACK_API_URL: 'http://127.0.0.1:9/api/',
      SLACK_BOT_TOKEN: PLANTED.slack,
      SLACK_SIGNING_SECRET: PLANTED.slackSigning,
      PARLEY_SMTP_URL: `smtp://parley:${PLANTED.smtp}@127.0.0.1:9`,
      PARLEY_EMAIL_FROM: 'Parley <parley@example.com>',
      PARLEY_EMAIL_REPLY_TO: 'reply@in.example.com',
      PARLEY_EMAIL_SECRET: PLANTED.inbound,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${PLANTED.trace}`,
      TOOL_TOKEN: PLANTED.tool,
    },
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText(PLANTED.reply) : replyWithQuestion(`${PLANTED.question}?`),
  });
  id = await p.startConversation(PLANTED.message, {
    callbackUrl: `http://127.0.0.1:9/hooks?token=${PLANTED.callback}`,
  });
  await p.waitForQuestion(id);
  const made = await p.call<{ url: string }>('POST', `/v1/conversations/${id}/questions/latest/links`, {
    person: 'maria',
  });
  link = made.body.url;
  await fetch(link);
  await fetch(`${p.url}/wrong/${link.split('/').at(-1)}?key=${PLANTED.comment}`);
  // Each of the three channels has logged its failure.
  for (const why of [/slack/i, /mail/i, /127\.0\.0\.1/])
    await log.waitForLine(
      ({ msg, temporal }) => /Failed to send a notification/.test(String(msg)) && why.test(JSON.stringify(temporal)),
    );
  await p.answer(id, { answer: PLANTED.answer, comment: PLANTED.comment });
  await p.waitForStatus(id, 'completed');
});
afterAll(() => p.stop());

describe('the logs of API and worker', () => {
  it('contain no secret, no link, and no content of conversations', () => {
    const text = log.text();
    const token = link.split('/').at(-1) ?? '';
    expect(token.length).toBeGreaterThan(40);
    for (const [name, planted] of Object.entries({ ...PLANTED, key: p.apiKey('ann'), token }))
      expect([name, text.includes(planted)]).toEqual([name, false]);
  });

  it('name the conversation of a line', () => {
    const lines = log.lines();
    const failed = lines.filter(({ msg }) => /Failed to send a notification/.test(String(msg)));
    expect(failed.length).toBeGreaterThanOrEqual(3);
    for (const line of failed) expect(line.conversation).toBe(id);
    const answered = lines.find(({ path }) => String(path).endsWith('/answer'));
    expect(answered).toMatchObject({ conversation: id, requestId: expect.any(String), status: 200 });
  });
});
