import { request } from 'node:http';
import type { Problem } from '#contract/problem';
import { collectLog } from '#test/support/collect-log';
import { startParley } from '#test/support/parley/start-parley';
import { createSlackFixture, type SlackFixture } from '#test/support/slack/slack-fixture';
import { signSlackRequest } from '#test/support/slack/user-actions';

const FORM = 'application/x-www-form-urlencoded';

interface SignedRequest {
  body: string;
  timestamp: string | string[] | undefined;
  signature: string | string[] | undefined;
  headers?: Record<string, string>;
}

const seconds = (shift = 0) => String(Math.floor(Date.now() / 1_000) + shift);
const changeLastDigit = (text: string) => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;

/** A change to a correctly signed click. `sign` signs with the right secret. */
type Forgery = (right: { body: string; now: string; sign(timestamp: string, body: string): string }) => SignedRequest;
const FORGERIES: [string, Forgery][] = [
  ['no headers', ({ body }) => ({ body, timestamp: undefined, signature: undefined })],
  ['no signature', ({ body, now }) => ({ body, timestamp: now, signature: undefined })],
  ['no timestamp', ({ body, now, sign }) => ({ body, timestamp: undefined, signature: sign(now, body) })],
  ['an empty signature', ({ body, now }) => ({ body, timestamp: now, signature: '' })],
  ['an empty timestamp', ({ body, sign }) => ({ body, timestamp: '', signature: sign('', body) })],
  [
    'another secret',
    ({ body, now }) => ({ body, timestamp: now, signature: signSlackRequest('f'.repeat(32), now, body) }),
  ],
  ['no secret', ({ body, now }) => ({ body, timestamp: now, signature: signSlackRequest('', now, body) })],
  [
    'one digit changed',
    ({ body, now, sign }) => ({ body, timestamp: now, signature: changeLastDigit(sign(now, body)) }),
  ],
  ['a changed body', ({ body, now, sign }) => ({ body: `${body}+`, timestamp: now, signature: sign(now, body) })],
  [
    'the body encoded differently',
    ({ body, now, sign }) => ({
      body: body.replaceAll('%7B', '%7b'),
      timestamp: now,
      signature: sign(now, body),
    }),
  ],
  [
    'the body decoded',
    ({ body, now, sign }) => ({ body, timestamp: now, signature: sign(now, decodeURIComponent(body)) }),
  ],
  [
    'another field added',
    ({ body, now, sign }) => ({ body: `${body}&payload=x`, timestamp: now, signature: sign(now, body) }),
  ],
  [
    'a timestamp that was not signed',
    ({ body, now, sign }) => ({ body, timestamp: seconds(-1), signature: sign(now, body) }),
  ],
  [
    'a timestamp six minutes old',
    ({ body, sign }) => ({ body, timestamp: seconds(-360), signature: sign(seconds(-360), body) }),
  ],
  [
    'a timestamp six minutes ahead',
    ({ body, sign }) => ({ body, timestamp: seconds(360), signature: sign(seconds(360), body) }),
  ],
  ['a timestamp at the epoch', ({ body, sign }) => ({ body, timestamp: '0', signature: sign('0', body) })],
  ['a negative timestamp', ({ body, sign }) => ({ body, timestamp: '-1', signature: sign('-1', body) })],
  ['a timestamp in words', ({ body, sign }) => ({ body, timestamp: 'now', signature: sign('now', body) })],
  [
    'a timestamp with a suffix',
    ({ body, now, sign }) => ({ body, timestamp: `${now}.0`, signature: sign(`${now}.0`, body) }),
  ],
  [
    'a timestamp in milliseconds',
    ({ body, now, sign }) => ({ body, timestamp: `${now}000`, signature: sign(`${now}000`, body) }),
  ],
  [
    'another version',
    ({ body, now, sign }) => ({ body, timestamp: now, signature: sign(now, body).replace('v0', 'v1') }),
  ],
  ['no version', ({ body, now, sign }) => ({ body, timestamp: now, signature: sign(now, body).slice(3) })],
  [
    'an upper-case signature',
    ({ body, now, sign }) => ({ body, timestamp: now, signature: sign(now, body).toUpperCase() }),
  ],
  ['half a signature', ({ body, now, sign }) => ({ body, timestamp: now, signature: sign(now, body).slice(0, 35) })],
  ['a signature with a suffix', ({ body, now, sign }) => ({ body, timestamp: now, signature: `${sign(now, body)}0` })],
  [
    'two signatures',
    ({ body, now, sign }) => ({
      body,
      timestamp: now,
      signature: [signSlackRequest('x', now, body), sign(now, body)],
    }),
  ],
  ['two timestamps', ({ body, now, sign }) => ({ body, timestamp: [now, now], signature: sign(now, body) })],
  ['no body', ({ now, body, sign }) => ({ body: '', timestamp: now, signature: sign(now, body) })],
];

describe('a request that Slack did not sign', () => {
  let fixture: SlackFixture;
  const { log, text } = collectLog();
  beforeAll(async () => {
    fixture = await createSlackFixture({ log });
  });
  afterAll(() => fixture.stop());

  const sign = (timestamp: string, body: string) => signSlackRequest(fixture.slack.signingSecret, timestamp, body);

  function send({ body, timestamp, signature, headers = {} }: SignedRequest, route = '/slack/interactions') {
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const signed = {
        ...(timestamp === undefined ? {} : { 'x-slack-request-timestamp': timestamp }),
        ...(signature === undefined ? {} : { 'x-slack-signature': signature }),
      };
      const options = { method: 'POST', headers: { 'content-type': FORM, ...signed, ...headers } };
      const clientRequest = request(`${fixture.p.url}${route}`, options, async (response) => {
        let responseText = '';
        for await (const chunk of response.setEncoding('utf8')) responseText += chunk;
        resolve({ status: response.statusCode ?? 0, text: responseText });
      });
      clientRequest.on('error', reject).end(body);
    });
  }

  /** A click that would answer that question. */
  async function clickOn(id: string): Promise<string> {
    const { askedAt } = await fixture.getQuestion(id);
    const payload = {
      type: 'block_actions',
      user: { id: 'U0MARIA', username: 'maria', team_id: 'T0HOME' },
      team: { id: 'T0HOME' },
      actions: [{ action_id: 'parley_choose_1', value: JSON.stringify([id, 'question-1', askedAt, 1]) }],
    };
    return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  }

  it(`is rejected for ${FORGERIES.length} reasons, each with the same text, and changes nothing`, async () => {
    const { id } = await fixture.askQuestion('colour');
    const body = await clickOn(id);
    const outcomes: [string, number, string][] = [];
    for (const [what, change] of FORGERIES) {
      const { status, text: responseText } = await send(change({ body, now: seconds(), sign }));
      const { code, detail } = JSON.parse(responseText) as Problem;
      outcomes.push([what, status, `${code}: ${detail}`]);
    }
    const same = 'unauthenticated: Only requests signed by Slack are accepted.';
    expect(outcomes).toEqual(FORGERIES.map(([what]) => [what, 401, same]));
    expect((await fixture.getQuestion(id)).status).toBe('pending');
    const [what, wrong] = ['events', { body: '{}', timestamp: seconds(), signature: 'v0=0' }];
    expect([what, (await send(wrong, '/slack/events')).status]).toEqual(['events', 401]);
  });

  it.each([-290, 290])('is accepted once signed, even %i seconds off', async (shift) => {
    const { id } = await fixture.askQuestion('colour');
    const [body, timestamp] = [await clickOn(id), seconds(shift)];
    expect((await send({ body, timestamp, signature: sign(timestamp, body) })).status).toBe(200);
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({ answers: { q1: 'Blue' }, by: 'maria' });
  });

  it('has no second effect if it is sent again within five minutes', async () => {
    const first = await fixture.askQuestion('colour');
    const [body, timestamp] = [await clickOn(first.id), seconds()];
    const sent = { body, timestamp, signature: sign(timestamp, body) };
    expect((await send(sent)).status).toBe(200);
    const before = await fixture.getQuestion(first.id);
    expect((await send(sent)).status).toBe(200);
    expect(await fixture.getQuestion(first.id)).toEqual(before);
  });

  it('is not read if it is large or compressed', async () => {
    const body = 'x'.repeat(1_100_000);
    const timestamp = seconds();
    expect((await send({ body, timestamp, signature: sign(timestamp, body) })).status).toBe(413);
    const compressed = { body: 'x', timestamp, signature: sign(timestamp, 'x') };
    expect((await send({ ...compressed, headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
  });

  it('is accepted by POST only', async () => {
    const { status, headers } = await fetch(`${fixture.p.url}/slack/interactions`);
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it("leaves neither a secret nor people's text in the log", async () => {
    const { id, message } = await fixture.askQuestion('name');
    const before = { ...message };
    await fixture.userActions.reply(message, 'a-secret-reply');
    fixture.slack.failNext('users.info', { error: 'invalid_auth' });
    fixture.slack.addUser({ id: 'U0ODD' });
    await fixture.userActions.click(before, 'Answer…', { user: 'U0ODD' });
    await fixture.waitForEphemeral('U0ODD');
    expect((await fixture.getQuestion(id)).status).toBe('answered');
    expect(text()).toContain('/slack/interactions');
    expect(text()).toContain('request to Slack failed');
    for (const secret of [fixture.slack.token, fixture.slack.signingSecret, 'a-secret-reply', 'response/'])
      expect(text()).not.toContain(secret);
  });
});

it('has no route if Slack is not set up', async () => {
  const p = await startParley({ startsWorker: false });
  for (const route of ['/slack/interactions', '/slack/events'])
    expect((await p.call<Problem>('POST', route, {})).body).toMatchObject({ status: 404, code: 'not_found' });
  await p.stop();
});
