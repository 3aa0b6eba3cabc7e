import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deriveWebhookSecret } from '#channels/webhook/signing-secrets';
import { type FakeSmtpServer, SMTP_LOGIN, startFakeSmtpServer } from '#test/support/email/smtp-server';
import { type FakeSlack, startFakeSlack } from '#test/support/slack/fake-slack';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';

const FILE = path.join(__dirname, '../../../../dist/src/cli/admin/channels.js');
const SECRET = 'a-secret-of-some-length';

let folder: string;
let slack: FakeSlack;
let mail: FakeSmtpServer;
let hook: WebhookReceiver;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-channels-'));
  [slack, mail] = await Promise.all([startFakeSlack(), startFakeSmtpServer()]);
  hook = await startWebhookReceiver(deriveWebhookSecret('http://127.0.0.1:1', SECRET));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([slack.stop(), mail.down(), hook.stop()]);
});

function agent(...lines: string[]): void {
  const matter = ['name: clerk', 'description: Asks.', ...lines];
  writeFileSync(path.join(folder, 'clerk.md'), `---\n${matter.join('\n')}\n---\nAsk.\n`);
}

async function run(env: Record<string, string>, ...given: string[]) {
  const own = { PATH: process.env.PATH, PARLEY_AGENTS: folder, PARLEY_DATA: folder, PARLEY_SECRET: SECRET };
  const child = spawn(process.execPath, [FILE, ...given], { env: { ...own, ...env } as NodeJS.ProcessEnv });
  let said = '';
  let complained = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complained += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, said, complained };
}

const smtp = () => ({ PARLEY_SMTP_URL: mail.url, PARLEY_EMAIL_FROM: 'Parley <parley@example.com>' });

describe('npm run channels', () => {
  it('sends a test to every place that an agent names, and says so', async () => {
    const { origin } = new URL(hook.url);
    const secrets = `${origin}=${deriveWebhookSecret('http://127.0.0.1:1', SECRET)}`;
    agent('questions: { notify: ["slack:#ops", "email:ops@example.com", inbox] }', `callbackUrl: ${hook.url}`);
    const env = { ...slack.env, ...smtp(), PARLEY_WEBHOOK_SECRETS: secrets };
    const { code, said, complained } = await run(env);
    expect([code, complained]).toEqual([0, '']);
    expect(said).toMatch(/✓ slack:#ops: A test message was sent to #ops in .* as @/);
    expect(said).toMatch(/✓ email:ops@example\.com: A trial mail to ops@example\.com was taken by/);
    expect(said).toMatch(/✓ webhook:http.*which answered 204/);
    expect(slack.messages).toHaveLength(1);
    expect(mail.mails).toHaveLength(1);
    expect(hook.deliveries.map(({ type, session }) => [type, session])).toEqual([['question.pending', 'parley-test']]);
  });

  it('says plainly what is wrong, and ends with 1', async () => {
    agent('questions: { notify: ["slack:#secret"] }');
    const wrong = new URL(mail.url);
    wrong.password = 'guess';
    const env = { ...slack.env, ...smtp(), PARLEY_SMTP_URL: wrong.href };
    const { code, said } = await run(env);
    expect(code).toBe(1);
    expect(said).toMatch(/✗ slack:#secret: .*invite/);
    expect(said).toMatch(/✗ email: The mail server .* refused to let parley in.*Check PARLEY_SMTP_URL/);
    expect(said).not.toContain('guess');
    expect(said).not.toContain(SMTP_LOGIN.password);
  });

  it('ends with 1 where the bot lacks a scope, though the test was sent', async () => {
    agent('questions: { notify: ["slack:#ops"] }');
    const { scopes } = slack;
    slack.scopes = scopes.replace('channels:history,', '');
    const { code, said } = await run(slack.env);
    slack.scopes = scopes;
    expect([code, said]).toEqual([1, expect.stringMatching(/✗ slack:#ops: .*was sent.*channels:history \(/)]);
  });

  it('tries what is set up as far as it can where no agent names a place', async () => {
    agent();
    const { code, said } = await run({ ...slack.env });
    expect(code).toBe(0);
    expect(said).toMatch(/✓ slack: Slack takes the token of @.*Try a place, as in slack:#ops/);
    expect(said).toMatch(/· email: not set up: set PARLEY_SMTP_URL/);
    expect(said).toMatch(/· inbox: always there/);
  });

  it('tries the places it is given, and no others', async () => {
    const before = mail.mails.length;
    const env = { ...smtp(), PARLEY_PUBLIC_URL: 'https://parley.example.com' };
    const { code, said } = await run(env, 'email:me@example.com');
    expect([code, said.trim().split('\n').length]).toEqual([0, 1]);
    expect(mail.mails).toHaveLength(before + 1);
  });

  it.each([
    [['slack:#ops'], 1, /✗ slack:#ops: not set up: set SLACK_BOT_TOKEN/],
    [['pager:1'], 1, /is no place to tell anybody/],
    [['webhook'], 1, /Say which receiver/],
    [['--secret', 'nowhere'], 1, /--secret takes the address of a receiver/],
    [['--what'], 2, /npm run channels -- slack:#ops/],
  ])('says what to do about %j', async (given, expected, words) => {
    agent();
    const { code, said, complained } = await run({}, ...given);
    expect(code).toBe(expected);
    expect(said + complained).toMatch(words);
  });

  it('says where clicks and replies have to come in, or that they cannot', async () => {
    const env = {
      ...slack.env,
      ...smtp(),
      PARLEY_EMAIL_REPLY_TO: 'reply@in.example.com',
      PARLEY_EMAIL_SECRET: '0123456789abcdef',
    };
    const given = 'email:me@example.com';
    expect((await run(env, given)).said).toContain('! PARLEY_PUBLIC_URL is not set');
    const { said } = await run({ ...env, PARLEY_PUBLIC_URL: 'https://parley.example.com' }, given);
    for (const place of ['/slack/interactions', '/slack/events', '/email/inbound'])
      expect(said).toContain(`https://parley.example.com${place}`);
  });

  it('shows no secret where there is none yet', async () => {
    const { code, complained } = await run({ PARLEY_SECRET: '' }, '--secret', 'https://hooks.example.com');
    expect([code, complained]).toEqual([1, expect.stringContaining('There is no secret here yet')]);
  });

  it('shows the secret of a receiver', async () => {
    const url = 'https://hooks.example.com/parley';
    expect((await run({}, '--secret', url)).said).toContain(deriveWebhookSecret(url, SECRET));
  });
});
