import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { startApi } from '#api/main';
import type { StreamHub } from '#api/streaming/hub';
import { DEFAULT_WAIT_LIMITS, type WaitLimits } from '#api/temporal/gateway';
import type { ChannelSender } from '#channels/channel';
import { readConfig } from '#channels/read-config';
import { CHANNELS } from '#channels/registry';
import type { Conversation } from '#contract/conversation';
import { type Scope, serializeApiKey } from '#contract/permissions';
import type { Question } from '#contract/question';
import { isConversationFinished } from '#core/conversation/state';
import type { Config } from '#infra/config';
import { generateApiKey } from '#infra/crypto/api-keys';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createLog, type Log } from '#infra/log';
import { createTemporalClient } from '#infra/temporal/client';
import type { ModelScript, ScriptedReply } from '#models/demo/reply';
import { channelsWithSenders } from '#test/support/channels';
import { type ScriptedModel, startScriptedModel } from '#test/support/scripted-model';
import { installTestRuntime } from '#test/support/temporal/runtime';
import { builtInTools } from '#tools/registry';
import { type RunningWorker, startWorker, type WorkerSettings } from '#worker/start-worker';
import { ENCRYPTED_NAMESPACE } from './encryption';
import { getSharedWorker } from './shared-worker';

export interface ApiResponse<T> {
  status: number;
  body: T;
  headers: Headers;
}

export type CallApi = <T = Record<string, unknown>>(
  method: string,
  route: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiResponse<T>>;

export interface TestParley {
  url: string;
  config: Config;
  streamHub: StreamHub;
  model: ScriptedModel;
  client: Client;
  taskQueue: string;
  /** How long its API waits for Temporal and for workers. */
  waitLimits: WaitLimits;
  /** The agent besides `assistant`. Its name is unique, so that lists can be filtered by it. */
  agent: string;
  call: CallApi;
  /** Like `call`, with the API key of that name. */
  callAs(name: string): CallApi;
  /** The API key of that name, as it is sent. */
  apiKey(name: string): string;
  /** Starts another API on the same Temporal server, as another process would. */
  startAnotherApi(): Promise<{ url: string; call: CallApi; stop(): Promise<void> }>;
  /** Starts a conversation and returns its id. */
  startConversation(message?: string, more?: object): Promise<string>;
  getConversation(id: string): Promise<Conversation>;
  /** Waits until the conversation has that status. */
  waitForStatus(id: string, wanted: Conversation['status']): Promise<Conversation>;
  waitForQuestion(id: string, wanted?: string): Promise<Question>;
  answer<T = { question: Question; conversation: { id: string; status: string } }>(
    id: string,
    body: unknown,
    qid?: string,
  ): Promise<ApiResponse<T>>;
  startWorker(settings?: WorkerSettings): Promise<RunningWorker>;
  /** Starts another worker of that build; `stop` stops it too. */
  startAnotherWorker(build: Config['build'], settings?: WorkerSettings): Promise<RunningWorker>;
  stopWorker(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestParleySettings extends WorkerSettings {
  /** Fakes in place of the channels of these names; no other channel is configured then. */
  senders?: ChannelSender[];
  replies?: (ScriptedReply | ModelScript)[];
  /** Answers every request with the same script, however many conversations there are. */
  script?: ModelScript;
  /** Maximum number of input tokens of the model. */
  contextWindow?: number;
  /** Off for tests with thousands of requests: each holds the whole transcript. */
  recordRequests?: boolean;
  startsWorker?: boolean;
  /** For tests that stop their worker, or that would be disturbed by conversations of other tests. */
  ownWorker?: boolean;
  /** The agent's front matter, as YAML lines. */
  frontMatter?: string;
  /** More agents by name, with their front matter as YAML lines. */
  agents?: Record<string, string>;
  /** Scopes of API keys, by name. `call` uses the first key. */
  keys?: Record<string, Scope[]>;
  /** The agents to which keys are limited, by the key's name. */
  keyAgents?: Record<string, string[]>;
  env?: Record<string, string>;
  /** The API's log. */
  log?: Log;
  /** The worker's log. */
  workerLog?: Log;
  address?: string;
  /** Set by tests that cut off the server at `address`: the API waits for it as long as in production. */
  cutsOffServer?: true;
  /** The folder that the web app is served from. */
  webFolder?: string;
}

/** Returns a function that calls the API at that URL, with that key. */
export function createApiCaller(url: string, key?: string): CallApi {
  return async (method, route, body, headers = {}) => {
    const requestText = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const contentType: Record<string, string> = requestText === undefined ? {} : { 'content-type': 'application/json' };
    const authorization: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
    const response = await fetch(`${url}${route}`, {
      method,
      body: requestText,
      headers: { ...contentType, ...authorization, ...headers },
    });
    const responseText = await response.text();
    const isText = response.headers.get('content-type')?.startsWith('text/plain');
    const responseBody = isText ? responseText : responseText ? JSON.parse(responseText) : null;
    return { status: response.status, headers: response.headers, body: responseBody };
  };
}

const testLog = createLog(process.env.PARLEY_TEST_LOG ?? 'silent');
/** Gives the agent every extra tool of the test, unless its front matter names tools. */
function createFrontMatter({ tools = [], frontMatter = '' }: TestParleySettings): string {
  const extraTools = tools.filter((tool) => !builtInTools.includes(tool)).map(({ name }) => name);
  const namesTools = /^tools:/m.test(frontMatter);
  return namesTools || extraTools.length === 0
    ? frontMatter
    : `${frontMatter}\ntools: [${['write_todos', ...extraTools].join(', ')}]`;
}

/** Short: without a worker, waiting is pointless. */
export const WAIT_LIMITS_WITHOUT_WORKER: WaitLimits = { ...DEFAULT_WAIT_LIMITS, queryMs: 300, resultMs: 300 };
/** Long, as the machine may be slow. Shorter for a query, which is better retried if Temporal lost it. */
export const WAIT_LIMITS_WITH_WORKER: WaitLimits = { queryMs: 10_000, resultMs: 60_000, rpcMs: 60_000 };

/** Variables that only an API reads: a test that sets no others can share the worker. */
const API_ONLY_VARIABLES = ['PARLEY_RATE_LIMIT', 'PARLEY_CORS_ORIGINS', 'PARLEY_TRUST_PROXY', 'PARLEY_REDIS_URL'];
const SHAREABLE_SETTINGS: (keyof TestParleySettings)[] = [
  'replies',
  'script',
  'frontMatter',
  'agents',
  'keys',
  'keyAgents',
  'log',
  'webFolder',
];

function canShareWorker({ env = {}, ...settings }: TestParleySettings): boolean {
  const setSettings = Object.entries(settings).filter(([, value]) => value !== undefined);
  return (
    setSettings.every(([key]) => (SHAREABLE_SETTINGS as string[]).includes(key)) &&
    Object.keys(env).every((name) => API_ONLY_VARIABLES.includes(name))
  );
}

/**
 * Starts a Parley on the run's Temporal server, with its own API, agents, keys and model. It uses the shared worker of
 * the process, unless settings concern the worker: then it has its own worker and task queue.
 */
export async function startParley(settings: TestParleySettings = {}): Promise<TestParley> {
  const name = `t-${randomBytes(5).toString('hex')}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-test-'));
  const agents = path.join(folder, 'agents');
  mkdirSync(agents);
  const own = createFrontMatter(settings);
  for (const [agent, frontMatter] of Object.entries({ assistant: own, [name]: own, ...settings.agents })) {
    writeFileSync(
      path.join(agents, `${agent}.md`),
      `---\nname: ${agent}\ndescription: For a test.\n${frontMatter}\n---\nYou are ${agent}.\n`,
    );
  }
  const shared = canShareWorker(settings) ? await getSharedWorker() : undefined;
  const taskQueue = shared?.taskQueue ?? name;
  const replies = settings.replies ?? Array(100_000).fill(settings.script ?? { text: 'done' });
  const { contextWindow, recordRequests } = settings;
  const model = shared
    ? shared.modelFor(['assistant', name, ...Object.keys(settings.agents ?? {})], replies)
    : await startScriptedModel(replies, { contextWindow, recordRequests });
  const keys = new Map(Object.keys(settings.keys ?? {}).map((owner) => [owner, generateApiKey()]));
  const entries = [...keys].map(([owner, { hash }]) =>
    serializeApiKey({ name: owner, scopes: settings.keys?.[owner] ?? [], hash, agents: settings.keyAgents?.[owner] }),
  );
  const channels = settings.channels ?? (settings.senders ? channelsWithSenders(settings.senders) : CHANNELS);
  const config = readConfig(
    {
      PORT: '0',
      PARLEY_API_KEYS: entries.join(' '),
      PARLEY_AGENTS: agents,
      PARLEY_DATA: folder,
      // Tests poll: on a fast machine more often than a person's key may.
      PARLEY_RATE_LIMIT: '10000',
      PARLEY_SECRET: shared?.secret,
      TEMPORAL_ADDRESS: settings.address ?? process.env.PARLEY_TEST_ADDRESS,
      PARLEY_ENCRYPTION_KEYS: process.env.PARLEY_TEST_ENCRYPTION,
      TEMPORAL_NAMESPACE: settings.env?.PARLEY_ENCRYPTION_KEYS && !settings.address ? ENCRYPTED_NAMESPACE : undefined,
      ANTHROPIC_API_KEY: 'test',
      ANTHROPIC_BASE_URL: model.url,
      ...settings.env,
    },
    channels,
  );
  const log = settings.log ?? testLog;
  const { metrics, tracing } = settings;
  // How long requests wait depends on whether a worker is running, not on the speed of the machine. For a worker in
  // another process, and a Temporal server that a test can cut off, the defaults apply.
  const waitLimits: WaitLimits = { ...DEFAULT_WAIT_LIMITS };
  const expectWorker = (isUp: boolean) => {
    Object.assign(waitLimits, isUp ? WAIT_LIMITS_WITH_WORKER : WAIT_LIMITS_WITHOUT_WORKER);
    if (settings.cutsOffServer) waitLimits.rpcMs = DEFAULT_WAIT_LIMITS.rpcMs;
  };
  const apiOptions = {
    taskQueue,
    tools: settings.tools,
    webFolder: settings.webFolder,
    metrics,
    tracing,
    waitLimits,
    channels,
  };
  if (shared) expectWorker(true);
  const api = await startApi(config, log, apiOptions);
  const [firstKey] = keys.values();
  const client = createTemporalClient(config.temporal);
  let worker: RunningWorker | undefined;
  const otherWorkers: RunningWorker[] = [];
  const assertOwnWorker = () => {
    if (shared) throw new Error('Other tests share this worker: ask for one with parley({ ownWorker: true }).');
  };
  const startOneWorker = (workerConfig: Config, more: WorkerSettings) => {
    assertOwnWorker();
    installTestRuntime();
    const { tools, maxCachedWorkflows, activitySlots } = settings;
    const own = { taskQueue, tools, channels, maxCachedWorkflows, activitySlots, metrics, tracing, ...more };
    return startWorker(workerConfig, settings.workerLog ?? testLog, own);
  };

  // Without a workflow cache each poll replays the run: too many make its workflow tasks time out.
  const firstPollMs = settings.maxCachedWorkflows === 0 ? 300 : 15;

  const self: TestParley = {
    url: api.url,
    streamHub: api.streamHub,
    config,
    model,
    client,
    taskQueue,
    waitLimits,
    agent: name,
    call: createApiCaller(api.url, firstKey?.key),
    callAs: (owner) => createApiCaller(api.url, self.apiKey(owner)),
    apiKey: (owner) => keys.get(owner)?.key ?? '',
    async startAnotherApi() {
      const other = await startApi(
        { ...config, port: 0, secret: loadOrCreateSecret(config.secret, folder) },
        log,
        apiOptions,
      );
      return { url: other.url, call: createApiCaller(other.url, firstKey?.key), stop: other.stop };
    },
    async startConversation(message = 'Hello', more = {}) {
      const started = await self.call<Conversation>('POST', '/v1/conversations', {
        message,
        agent: name,
        ...more,
      });
      if (started.status !== 201) throw new Error(`not started: ${JSON.stringify(started.body)}`);
      return started.body.id;
    },
    async getConversation(id) {
      return (await self.call<Conversation>('GET', `/v1/conversations/${id}`)).body;
    },
    async waitForStatus(id, wanted) {
      // Each poll loads the server, the API and the worker: poll less often the longer it takes.
      for (let pollMs = firstPollMs; ; pollMs = Math.max(firstPollMs, Math.min(1.5 * pollMs, 150))) {
        const conversation = await self.getConversation(id);
        if (conversation.status === wanted) return conversation;
        if (isConversationFinished(conversation))
          throw new Error(`wanted ${wanted}, but it is ${JSON.stringify(conversation)}`);
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    },
    async waitForQuestion(id, wanted) {
      for (;;) {
        const { question } = await self.waitForStatus(id, 'waiting_for_input');
        if (!question) throw new Error('no question is open');
        if (question.id === (wanted ?? question.id)) return question;
        await new Promise((resolve) => setTimeout(resolve, firstPollMs));
      }
    },
    answer: (id, body, qid = 'latest') => self.call('POST', `/v1/conversations/${id}/questions/${qid}/answer`, body),
    async startWorker(more = {}) {
      if (worker) throw new Error('a worker is running already');
      worker = await startOneWorker(config, more);
      expectWorker(true);
      return worker;
    },
    async startAnotherWorker(build, more = {}) {
      const other = await startOneWorker({ ...config, build }, more);
      otherWorkers.push(other);
      return other;
    },
    async stopWorker() {
      assertOwnWorker();
      expectWorker(false);
      await worker?.stop();
      worker = undefined;
    },
    async stop() {
      await Promise.all([worker, ...otherWorkers].map((one) => one?.stop()));
      worker = undefined;
      await Promise.all([api.stop(), client.connection.close()]);
      rmSync(folder, { recursive: true, force: true });
      await model.stop();
    },
  };
  if (!shared && settings.startsWorker !== false) await self.startWorker();
  return self;
}

/** Shortens the retry interval of an activity: the real one suits models and storages, but not tests. */
export async function shortenActivityRetries(p: TestParley, id: string, type: string): Promise<void> {
  const shortly = { nanos: 1_000_000 };
  await p.client.workflowService.updateActivityOptions({
    namespace: p.client.options.namespace,
    execution: { workflowId: id },
    type,
    activityOptions: { retryPolicy: { initialInterval: shortly, maximumInterval: shortly } },
    updateMask: { paths: ['retryPolicy.initialInterval', 'retryPolicy.maximumInterval'] },
  });
}
