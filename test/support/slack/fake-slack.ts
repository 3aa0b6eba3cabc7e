import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type FakeSlackMessage,
  type FakeSlackUser,
  type FakeSlackWorkspace,
  SLACK_API_METHODS,
  type SlackApiArguments,
  SlackApiError,
} from './web-api-methods';

/** How a call fails. `cutAfter` executes it and loses the reply. */
export type FakeSlackFailure =
  | { status: number }
  | { retryAfter: number }
  | { error: string; needed?: string }
  | { hold: Promise<unknown> }
  | 'cut'
  | 'cutAfter';

export interface FakeSlack extends FakeSlackWorkspace {
  url: string;
  token: string;
  signingSecret: string;
  /** Parley's environment variables for it. */
  env: { SLACK_BOT_TOKEN: string; SLACK_SIGNING_SECRET: string; SLACK_API_URL: string };
  calls: { method: string; args: SlackApiArguments }[];
  /** Makes the next calls of that method fail in these ways, one after the other. */
  failNext(method: string, ...failures: FakeSlackFailure[]): void;
  addUser(user: Partial<FakeSlackUser> & { id: string; email?: string }): FakeSlackUser;
  /** Returns a response URL for the user, as sent with a click. */
  responseUrl(channel: string, user: string): string;
  /** Waits until `look` returns something. */
  waitFor<T>(look: () => T | undefined | false): Promise<T>;
  /** Resolves with the message about that conversation, as soon as it is posted. */
  waitForMessage(conversation: string): Promise<FakeSlackMessage>;
  stop(): Promise<void>;
}

export const SLACK_TEAM_ID = 'T0HOME';

/** Starts a fake of the part of Slack's Web API that Parley uses, over HTTP, with its limits and errors. */
export async function startFakeSlack(): Promise<FakeSlack> {
  const token = `xoxb-${randomBytes(12).toString('hex')}`;
  const signingSecret = randomBytes(16).toString('hex');
  const failuresByMethod = new Map<string, FakeSlackFailure[]>();
  const responseUrls = new Map<string, { channel: string; user: string; left: number }>();
  const waiters = new Set<() => void>();
  const notifyWaiters = () => {
    for (const one of [...waiters]) one();
  };
  const server = createServer((request, response) => {
    void handleRequest(request, response).finally(notifyWaiters);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const self: FakeSlack = {
    url,
    token,
    signingSecret,
    env: { SLACK_BOT_TOKEN: token, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: `${url}/api/` },
    team: SLACK_TEAM_ID,
    bot: { user: 'U0PARLEY', bot: 'B0PARLEY' },
    scopes:
      'chat:write,channels:read,groups:read,channels:history,groups:history,im:history,im:write,users:read,users:read.email',
    users: [],
    channels: [
      { id: 'C0OPS0000', name: 'ops', isMember: true },
      { id: 'C0SECRET0', name: 'secret', isMember: false },
      { id: 'C0OLD0000', name: 'old', isMember: true, isArchived: true },
    ],
    messages: [],
    ephemerals: [],
    views: [],
    triggers: new Set(),
    calls: [],
    failNext: (method, ...more) =>
      void failuresByMethod.set(method, [...(failuresByMethod.get(method) ?? []), ...more]),
    addUser({ id, email, ...more }) {
      const user: FakeSlackUser = {
        id,
        name: id.toLowerCase(),
        team_id: SLACK_TEAM_ID,
        is_email_confirmed: true,
        ...more,
        profile: { email },
      };
      self.users.push(user);
      return user;
    },
    responseUrl(channel, user) {
      const id = randomBytes(8).toString('hex');
      responseUrls.set(id, { channel, user, left: 5 });
      return `${url}/response/${id}`;
    },
    async waitFor(look) {
      for (;;) {
        const found = look();
        if (found) return found;
        await new Promise<void>((resolve) => {
          const done = () => {
            waiters.delete(done);
            resolve();
          };
          waiters.add(done);
        });
      }
    },
    waitForMessage: (conversation) =>
      self.waitFor(() =>
        self.messages.find(
          ({ metadata, thread_ts }) => !thread_ts && metadata?.event_payload.conversation === conversation,
        ),
      ),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const [, kind = '', name = ''] = (request.url ?? '').split('/');
    if (kind === 'response') return postToResponseUrl(name, body, response);
    const args = Object.fromEntries(new URLSearchParams(body));
    const sentToken = request.headers.authorization?.replace('Bearer ', '') ?? args.token;
    delete args.token;
    self.calls.push({ method: name, args });
    const failure = failuresByMethod.get(name)?.shift();
    if (failure === 'cut') return void request.socket.destroy();
    if (typeof failure === 'object' && 'hold' in failure) await failure.hold;
    const reply = createReply(name, args, sentToken, failure);
    if (failure === 'cutAfter') return void request.socket.destroy();
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'x-oauth-scopes': self.scopes,
      ...reply.headers,
    });
    response.end(JSON.stringify(reply.body));
  }

  function createReply(
    name: string,
    args: SlackApiArguments,
    sentToken: string | undefined,
    failure?: FakeSlackFailure,
  ) {
    const ok = (body: object) => ({ status: 200, headers: {} as Record<string, string>, body });
    if (typeof failure === 'object') {
      if ('status' in failure) return { ...ok({}), status: failure.status };
      if ('retryAfter' in failure) {
        const headers = { 'retry-after': String(failure.retryAfter) };
        return { status: 429, headers, body: { ok: false, error: 'ratelimited' } };
      }
      if ('error' in failure) return ok({ ok: false, ...failure });
    }
    if (sentToken !== token) return ok({ ok: false, error: 'invalid_auth' });
    const method = SLACK_API_METHODS[name];
    if (!method) return ok({ ok: false, error: 'unknown_method' });
    try {
      return ok({ ok: true, ...method(self, args) });
    } catch (error) {
      if (error instanceof SlackApiError) return ok({ ok: false, error: error.code, ...error.more });
      throw error;
    }
  }

  function postToResponseUrl(id: string, body: string, response: ServerResponse): void {
    const known = responseUrls.get(id);
    const { text, response_type, replace_original, ...rest } = JSON.parse(body);
    const isRight = response_type === 'ephemeral' && replace_original === false;
    if (!known || known.left === 0 || !text || !isRight || Object.keys(rest).length > 0)
      return void response.writeHead(404).end('used_url');
    known.left -= 1;
    self.ephemerals.push({ channel: known.channel, user: known.user, text });
    response.end('ok');
  }

  return self;
}
