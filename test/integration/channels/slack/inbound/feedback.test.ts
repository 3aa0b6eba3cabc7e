import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSlackClient } from '#channels/slack/client';
import { sendSlackFeedback } from '#channels/slack/inbound/feedback';
import { type FakeSlack, startFakeSlack } from '#test/support/slack/fake-slack';

describe('feedback for one person', () => {
  let slack: FakeSlack;
  beforeEach(async () => {
    slack = await startFakeSlack();
  });
  afterEach(() => slack.stop());

  const sendFeedback = (responseUrl?: string) => {
    const { token, signingSecret, env } = slack;
    const client = createSlackClient({ token, signingSecret, apiUrl: env.SLACK_API_URL }, 2_000);
    const location = { user: 'U0MARIA', channel: 'C0OPS0000', responseUrl };
    return sendSlackFeedback(client, env.SLACK_API_URL, location, 'Hello');
  };
  const methods = () => slack.calls.map(({ method }) => method);
  const expected = { channel: 'C0OPS0000', user: 'U0MARIA', text: 'Hello' };

  it('is sent to the response URL of their click', async () => {
    await sendFeedback(slack.responseUrl('C0OPS0000', 'U0MARIA'));
    expect([slack.ephemerals, methods()]).toEqual([[expected], []]);
  });

  it('is sent by the bot if there is no URL, or it is used up', async () => {
    await sendFeedback();
    await sendFeedback(`${slack.url}/response/used-up`);
    expect(slack.ephemerals).toEqual([expected, expected]);
    expect(methods()).toEqual(['chat.postEphemeral', 'chat.postEphemeral']);
  });

  it('is sent nowhere else, whatever a payload says', async () => {
    let visits = 0;
    const otherServer = createServer((_request, response) => {
      visits += 1;
      response.end();
    });
    await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
    const { port } = otherServer.address() as AddressInfo;
    const urls = [
      `http://127.0.0.1:${port}/`,
      `http://hooks.slack.com@127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}/slack.com`,
      'https://slack.com.example.test/',
      'https://evilslack.com/',
      'not an address',
    ];
    for (const url of urls) await sendFeedback(url);
    expect(visits).toBe(0);
    expect(methods()).toEqual(urls.map(() => 'chat.postEphemeral'));
    otherServer.close();
  });
});
