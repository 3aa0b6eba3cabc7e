import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deriveWebhookSecret } from '#channels/webhook/signing-secrets';
import { CLI_MAIN_FILE } from '#test/support/cli/run-cli';
import { type FakeSmtpServer, SMTP_LOGIN, startFakeSmtpServer } from '#test/support/email/smtp-server';
import { type FakeSlack, startFakeSlack } from '#test/support/slack/fake-slack';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';

const SECRET = 'a-secret-that-is-as-long-as-32-random-bytes-in-base64';

let folder: string;
let slack: FakeSlack;
let smtpServer: FakeSmtpServer;
let webhook: WebhookReceiver;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-channels-'));
  [slack, smtpServer] = await Promise.all([startFakeSlack(), startFakeSmtpServer()]);
  webhook = await startWebhookReceiver(deriveWebhookSecret('http://127.0.0.1:1', SECRET));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([slack.stop(), smtpServer.stop(), webhook.stop()]);
});

function writeAgent(...lines: string[]): void {
  const frontMatter = ['name: clerk', 'description: Asks.', ...lines];
  writeFileSync(path.join(folder, 'clerk.md'), `---\n${frontMatter.join('\n')}\n---\nAsk.\n`);
}

async function run(env: Record<string, string>, ...args: string[]) {
  const baseEnv = { PATH: process.env.PATH, PARLEY_AGENTS: folder, PARLEY_DATA: folder, PARLEY_SECRET: SECRET };
  const child = spawn(process.execPath, [CLI_MAIN_FILE, 'admin', 'channels', ...args], {
    env: { ...baseEnv, ...env } as NodeJS.ProcessEnv,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

const smtpEnv = () => ({ PARLEY_SMTP_URL: smtpServer.url, PARLEY_EMAIL_FROM: 'Parley <parley@example.com>' });

describe('parley admin channels', () => {
  it('sends a test to every destination in the agent files, and reports it', async () => {
    const { origin } = new URL(webhook.url);
    const secrets = `${origin}=${deriveWebhookSecret('http://127.0.0.1:1', SECRET)}`;
    writeAgent('questions: { notify: ["slack:#ops", "email:ops@example.com", inbox] }', `callbackUrl: ${webhook.url}`);
    const env = { ...slack.env, ...smtpEnv(), PARLEY_WEBHOOK_SECRETS: secrets };
    const { code, stdout, stderr } = await run(env);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/✓ slack:#ops: Sent a test message to #ops in .* as @/);
    expect(stdout).toMatch(/✓ email:ops@example\.com: Test email to ops@example\.com accepted by/);
    expect(stdout).toMatch(/✓ webhook:http.*which responded 204/);
    expect(slack.messages).toHaveLength(1);
    expect(smtpServer.emails).toHaveLength(1);
    expect(webhook.deliveries.map(({ type, session }) => [type, session])).toEqual([
      ['question.pending', 'parley-test'],
    ]);
  });

  it('says what is wrong, and exits with 1', async () => {
    writeAgent('questions: { notify: ["slack:#secret"] }');
    const wrongUrl = new URL(smtpServer.url);
    wrongUrl.password = 'guess';
    const env = { ...slack.env, ...smtpEnv(), PARLEY_SMTP_URL: wrongUrl.href };
    const { code, stdout } = await run(env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ slack:#secret: .*invite/);
    expect(stdout).toMatch(/✗ email: The mail server .* rejected the login of parley.*Check PARLEY_SMTP_URL/);
    expect(stdout).not.toContain('guess');
    expect(stdout).not.toContain(SMTP_LOGIN.password);
  });

  it('exits with 1 if the bot lacks a scope, even if the test was sent', async () => {
    writeAgent('questions: { notify: ["slack:#ops"] }');
    const { scopes } = slack;
    slack.scopes = scopes.replace('channels:history,', '');
    const { code, stdout } = await run(slack.env);
    slack.scopes = scopes;
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/✗ slack:#ops: Sent a test message .*channels:history \(/),
    ]);
  });

  it('tests what is set up as far as possible if no agent has a destination', async () => {
    writeAgent();
    const { code, stdout } = await run({ ...slack.env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ slack: Slack accepted the token of @.*add a destination such as slack:#ops/);
    expect(stdout).toMatch(/· email: not set up: set PARLEY_SMTP_URL/);
    expect(stdout).toMatch(/· inbox: always on/);
  });

  it('tests only the destinations it is given', async () => {
    const sentBefore = smtpServer.emails.length;
    const env = { ...smtpEnv(), PARLEY_PUBLIC_URL: 'https://parley.example.com' };
    const { code, stdout } = await run(env, 'email:me@example.com');
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 1]);
    expect(smtpServer.emails).toHaveLength(sentBefore + 1);
  });

  it.each([
    [['slack:#ops'], 1, /✗ slack:#ops: not set up: set SLACK_BOT_TOKEN/],
    [['pager:1'], 1, /unknown destination "pager:1"/],
    [['webhook'], 1, /Add the receiver URL/],
    [['--secret', 'nowhere'], 1, /--secret must be the URL of a webhook receiver/],
    [['--what'], 2, /See parley admin channels --help\./],
  ])('says what to do about %j', async (args, exitCode, pattern) => {
    writeAgent();
    const { code, stdout, stderr } = await run({}, ...args);
    expect(code).toBe(exitCode);
    expect(stdout + stderr).toMatch(pattern);
  });

  it('says where clicks and replies must arrive, or that they cannot', async () => {
    const env = {
      ...slack.env,
      ...smtpEnv(),
      PARLEY_EMAIL_REPLY_TO: 'reply@in.example.com',
      PARLEY_EMAIL_SECRET: '0123456789abcdef',
    };
    const destination = 'email:me@example.com';
    expect((await run(env, destination)).stdout).toContain('! PARLEY_PUBLIC_URL is not set');
    const { stdout } = await run({ ...env, PARLEY_PUBLIC_URL: 'https://parley.example.com' }, destination);
    for (const endpointPath of ['/slack/interactions', '/slack/events', '/email/inbound'])
      expect(stdout).toContain(`https://parley.example.com${endpointPath}`);
  });

  it('shows no secret if none exists yet', async () => {
    const { code, stderr } = await run({ PARLEY_SECRET: '' }, '--secret', 'https://hooks.example.com');
    expect([code, stderr]).toEqual([1, expect.stringContaining('No secret found')]);
  });

  it('shows the secret of a receiver', async () => {
    const url = 'https://hooks.example.com/parley';
    expect((await run({}, '--secret', url)).stdout).toContain(deriveWebhookSecret(url, SECRET));
  });
});
