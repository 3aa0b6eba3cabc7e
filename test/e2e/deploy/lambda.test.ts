import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { readConfig } from '#channels/read-config';
import { createParley } from '#client/parley';
import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/events';
import { serializeApiKey } from '#contract/permissions';
import { isConversationFinished } from '#core/conversation/state';
import { generateApiKey } from '#infra/crypto/api-keys';
import { createTemporalClient } from '#infra/temporal/client';
import { startNodeProcess } from '#test/support/child-process';
import { eventually } from '#test/support/eventually';
import { createLambda, type LambdaFunction, type LambdaReply, serveFunctionUrl } from '#test/support/lambda';
import { replyWithQuestion, replyWithText, type ScriptedModel, startScriptedModel } from '#test/support/scripted-model';
import { type OtlpCollector, startOtlpCollector } from '#test/support/telemetry/otlp-collector';

const PROJECT = path.join(__dirname, '../../..');
const bundlePathOf = (name: 'api' | 'worker') => path.join(PROJECT, 'dist/lambda', name, 'index.js');
const { key, hash } = generateApiKey();

/** A fake of AWS's API that invokes functions. */
async function startFakeLambdaApi() {
  const invocations: string[] = [];
  const listeners = new Set<() => void>();
  const server = createServer((request, response) => {
    const [, name = ''] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(request.url ?? '') ?? [];
    invocations.push(`${name} ${request.headers['x-amz-invocation-type']}`);
    for (const listener of listeners) listener();
    request.resume();
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    invoked: invocations,
    listeners,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

// Every invocation loads all modules, which takes time on a busy machine.

describe('Parley on Lambda', () => {
  let folder: string;
  let model: ScriptedModel;
  let lambdaApi: Awaited<ReturnType<typeof startFakeLambdaApi>>;
  let traces: OtlpCollector;
  let env: Record<string, string>;
  let worker: LambdaFunction;
  let api: LambdaFunction;
  let client: Client;
  let replies: Parameters<typeof startScriptedModel>[0][number][];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-lambda-'));
    writeFileSync(
      path.join(folder, 'assistant.md'),
      '---\nname: assistant\ndescription: For a test.\n---\nYou help.\n',
    );
    replies = [];
    model = await startScriptedModel(replies);
    [lambdaApi, traces] = await Promise.all([startFakeLambdaApi(), startOtlpCollector()]);
    env = {
      TEMPORAL_ADDRESS: process.env.PARLEY_TEST_ADDRESS ?? '',
      TEMPORAL_NAMESPACE: `lambda-${randomBytes(4).toString('hex')}`,
      PARLEY_ENCRYPTION_KEYS: process.env.PARLEY_TEST_ENCRYPTION ?? '',
      PARLEY_SECRET: 'a secret that both functions have which is as long as 32 random bytes in base64',
      PARLEY_API_KEYS: serializeApiKey({ name: 'me', scopes: ['admin'], hash }),
      PARLEY_AGENTS: folder,
      PARLEY_BUILD_ID: 'b1',
      PARLEY_IDLE: '1s',
      PARLEY_WAKE: 'parley-worker',
      ANTHROPIC_API_KEY: 'test',
      ANTHROPIC_BASE_URL: model.url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_LAMBDA: lambdaApi.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
      LOG_LEVEL: process.env.PARLEY_TEST_LOG ?? 'silent',
    };
    worker = createLambda(bundlePathOf('worker'), env);
    api = createLambda(bundlePathOf('api'), env);
    client = createTemporalClient(readConfig(env).temporal);
    const build = startNodeProcess('scripts/lambda.mjs', {}, ['--no-measure']);
    if ((await build.exited) !== 0) throw new Error(build.output());
    // Temporal knows a build once it has polled, and gives it work once it is current.
    await worker.invoke();
    const promoted = startNodeProcess('dist/src/cli/main.js', env, ['admin', 'promote', 'b1', '--no-replay']);
    if ((await promoted.exited) !== 0) throw new Error(promoted.output());
  });
  afterEach(async () => {
    await Promise.all([worker.freeze(), api.freeze()]);
    lambdaApi.invoked.length = 0;
    model.expectAllRepliesUsed();
  });
  afterAll(async () => {
    await Promise.all([worker?.freeze(), api?.freeze()]);
    await Promise.all([model?.stop(), lambdaApi?.stop(), traces?.stop(), client?.connection.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** The event of a Function URL. */
  function requestFor(method: string, rawPath: string, headers: Record<string, string>, body?: unknown) {
    return {
      version: '2.0',
      rawPath,
      rawQueryString: '',
      headers,
      requestContext: { domainName: 'parley.example.on.aws', http: { method, sourceIp: '203.0.113.7' } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      isBase64Encoded: false,
    };
  }
  const authorization = `Bearer ${key}`;

  /** An invocation of the API. */
  async function call<T = Conversation>(method: string, route: string, body?: unknown) {
    const headers = { authorization, 'content-type': 'application/json' };
    const reply = await api.invoke<LambdaReply>(requestFor(method, route, headers, body));
    return { status: reply.statusCode, body: JSON.parse(reply.body || 'null') as T, reply };
  }

  async function start(message: string, ...modelReplies: typeof replies): Promise<string> {
    replies.push(...modelReplies);
    const { status, body } = await call('POST', '/v1/conversations', { message });
    expect(status).toBe(201);
    return body.id;
  }

  const conversation = async (id: string) => (await call('GET', `/v1/conversations/${id}`)).body;
  /** Like the schedule: one invocation after the other. A slow machine may need several. */
  async function workUntil(id: string, status: Conversation['status']): Promise<Conversation> {
    for (;;) {
      await worker.invoke();
      const current = await conversation(id);
      if (current.status === status) return current;
      if (isConversationFinished(current)) throw new Error(`${id} is ${current.status}, not ${status}`);
    }
  }
  const answer = (id: string, value: unknown) =>
    call<unknown>('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: value });

  it('runs a conversation within invocations only, and nothing while its question is open', async () => {
    const id = await start('Plan it', replyWithQuestion('Which day?'), replyWithText('On Friday then.'));
    expect(lambdaApi.invoked).toEqual(['parley-worker Event']);
    // Not started: it waits for the function that was invoked.
    expect((await conversation(id)).status).toBe('running');

    const waiting = await workUntil(id, 'waiting_for_input');
    expect(waiting.question?.fields[0]?.question).toBe('Which day?');
    expect(waiting.links.web).toBe(`https://parley.example.on.aws/conversations/${id}`);

    await Promise.all([worker.freeze(), api.freeze()]);
    expect([worker.count(), api.count()]).toEqual([0, 0]);
    const { raw } = await client.workflow.getHandle(id).describe();
    expect([raw.pendingActivities, raw.pendingWorkflowTask]).toEqual([[], null]);

    expect((await answer(id, 'Friday')).status).toBe(202);
    expect(lambdaApi.invoked).toHaveLength(2);
    expect(await workUntil(id, 'completed')).toMatchObject({ result: 'On Friday then.' });

    const { events } = await client.workflow.getHandle(id).fetchHistory();
    const taskIdentities = (events ?? []).flatMap(
      ({ workflowTaskStartedEventAttributes: task, activityTaskStartedEventAttributes: activity }) =>
        (task ?? activity)?.identity ?? [],
    );
    expect(taskIdentities.length).toBeGreaterThan(4);
    expect(taskIdentities.filter((identity) => !/@arn:aws:lambda:/.test(identity))).toEqual([]);

    // Each process ended before its exporter's own interval.
    const spansOf = (trace: string) => traces.spans().filter(({ traceId }) => traceId === trace);
    const chats = traces.spans().filter(({ name }) => name.startsWith('chat '));
    expect(chats).toHaveLength(2);
    for (const { traceId } of chats)
      expect(spansOf(traceId).map(({ name }) => name)).toContainEqual(expect.stringMatching(/^(start|signal) /));
  });

  it('handles a deadline that passed while nothing was running', async () => {
    const questionCall = { name: 'ask_user_question', input: { questions: [{ question: 'Now?' }], timeout: '10s' } };
    const id = await start('Hurry', { text: '', calls: [questionCall] }, replyWithText('Nobody was there.'));
    await workUntil(id, 'waiting_for_input');
    await worker.freeze();
    await eventually(async () => {
      const { events } = await client.workflow.getHandle(id).fetchHistory();
      expect(events).toContainEqual(expect.objectContaining({ timerFiredEventAttributes: expect.anything() }));
    });
    expect(await workUntil(id, 'completed')).toMatchObject({ result: 'Nobody was there.' });
  });

  it('repeats a model call that was cut off by the end of an invocation', async () => {
    const hangingReply = { text: 'never heard', hold: new Promise<void>(() => undefined) };
    const id = await start('Think long', hangingReply, replyWithText('Thought.'));
    const requestCount = model.requests.length;
    // Seven seconds of it are for the shutdown. A busy machine may need more to get to the call.
    while (model.requests.length === requestCount) await worker.invoke({}, { timeoutMs: 8_500 });
    expect((await conversation(id)).status).toBe('running');
    await worker.freeze();
    expect(await workUntil(id, 'completed')).toMatchObject({ result: 'Thought.' });
  });

  it('serves the typed client, which follows by polling', async () => {
    replies.push(replyWithQuestion('Which day?'), replyWithText('On Friday then.'));
    // As AWS would: on invocation, and then repeatedly by the schedule.
    let isOver = false;
    let onFirstInvocation: () => void = () => undefined;
    const firstInvocation = new Promise<void>((resolve) => {
      onFirstInvocation = resolve;
    });
    lambdaApi.listeners.add(onFirstInvocation);
    const workerLoop = firstInvocation.then(async () => {
      while (!isOver) await worker.invoke();
    });
    const streams: string[] = [];
    const functionUrl = await serveFunctionUrl(api, ({ body }, { url }) => {
      if (url?.endsWith('/events')) streams.push(body);
    });
    try {
      const parley = createParley({ url: functionUrl.url, key });
      const { id } = await parley.start({ message: 'Plan it' });
      const receivedEvents: ConversationEvent[] = [];
      for await (const event of parley.events(id)) {
        receivedEvents.push(event);
        if (event.event === 'question_pending') await parley.answer(id, { answer: 'Friday' });
      }
      expect(receivedEvents.at(-1)).toMatchObject({ event: 'done', data: { result: 'On Friday then.' } });
      const eventIds = receivedEvents.flatMap((event) => ('id' in event ? event.id : []));
      expect(eventIds).toEqual([...new Set(eventIds)].sort((a, b) => a - b));
      expect(receivedEvents.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['snapshot', 'question_pending', 'question_answered', 'message']),
      );
      // More than one, and each has a retry delay.
      expect(streams.length).toBeGreaterThan(2);
      for (const stream of streams.filter(Boolean)) expect(stream).toMatch(/^retry: 1000\n/);

      const inbox = await fetch(`${functionUrl.url}/v1/questions/events`, { headers: { authorization } });
      expect(await inbox.text()).toMatch(/^retry: 5000\n\nevent: snapshot\ndata: \{"items":\[\]\}\n\n$/);
    } finally {
      isOver = true;
      lambdaApi.listeners.delete(onFirstInvocation);
      await functionUrl.stop();
      if (lambdaApi.invoked.length > 0) await workerLoop;
    }
  });

  it('streams if Lambda supports it', async () => {
    const id = await start('Plan it', replyWithQuestion('Which day?'), replyWithText('On Friday then.'));
    await workUntil(id, 'waiting_for_input');
    const streaming = createLambda(bundlePathOf('api'), env, 'streaming');
    let receivedText = '';
    let onSnapshot: () => void = () => undefined;
    const snapshotReceived = new Promise<void>((resolve) => {
      onSnapshot = resolve;
    });
    const streamEnded = streaming.invoke(requestFor('GET', `/v1/conversations/${id}/events`, { authorization }), {
      onChunk: ({ head, part }) => {
        expect([head.statusCode, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
        receivedText += part;
        if (receivedText.includes('event: snapshot')) onSnapshot();
      },
    });
    await snapshotReceived;
    expect(receivedText).not.toMatch('event: done');
    await answer(id, 'Friday');
    await workUntil(id, 'completed');
    await streamEnded;
    expect(receivedText).toMatch(/event: question_answered[\s\S]*event: done/);
    await streaming.freeze();
  });

  it('serves the web app with its binary files, and sets several cookies', async () => {
    const page = await api.invoke<LambdaReply>(requestFor('GET', '/', {}));
    expect([page.statusCode, page.isBase64Encoded]).toEqual([200, false]);
    const [, asset = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page.body) ?? [];
    const gzipped = await api.invoke<LambdaReply>(requestFor('GET', asset, { 'accept-encoding': 'gzip' }));
    expect([gzipped.statusCode, gzipped.isBase64Encoded, gzipped.headers['content-encoding']]).toEqual([
      200,
      true,
      'gzip',
    ]);
    const { reply: session } = await call('POST', '/v1/session');
    expect(session.cookies).toEqual([expect.stringMatching(/^__Host-parley_session=.*; Secure;/)]);
    expect(lambdaApi.invoked).toEqual([]);
  });
});
