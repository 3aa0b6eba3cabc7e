import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { startApi } from '#api/main';
import type { StreamHub } from '#api/streaming/hub';
import { DEFAULT_WAIT_LIMITS, type WaitLimits } from '#api/temporal/gateway';
import type { Conversation } from '#contract/conversation';
import { type Scope, serializeApiKey } from '#contract/permissions';
import type { Question } from '#contract/question';
import { isConversationFinished } from '#core/conversation/state';
import { type Config, readConfig } from '#infra/config';
import { generateApiKey } from '#infra/crypto/api-keys';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createLog, type Log } from '#infra/log';
import { createTemporalClient } from '#infra/temporal/client';
import type { ModelScript, ScriptedReply } from '#models/demo/reply';
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
  live: StreamHub;
  model: ScriptedModel;
  client: Client;
  taskQueue: string;
  /** How long its API waits for Temporal and for workers. */
  patience: WaitLimits;
  /** The one agent besides `assistant`: unique, so that lists can be told apart from other tests'. */
  agent: string;
  call: CallApi;
  /** The same with the key of that name. */
  as(name: string): CallApi;
  /** The key of that name, as it is sent. */
  key(name: string): string;
  /** Another API on the same Temporal server, as another process would be. */
  anotherApi(): Promise<{ url: string; call: CallApi; stop(): Promise<void> }>;
  /** Start a conversation and give its id. */
  start(message?: string, more?: object): Promise<string>;
  conversation(id: string): Promise<Conversation>;
  /** Wait until the conversation is as wanted. */
  until(id: string, wanted: Conversation['status']): Promise<Conversation>;
  question(id: string, wanted?: string): Promise<Question>;
  answer<T = { question: Question; conversation: { id: string; status: string } }>(
    id: string,
    body: unknown,
    qid?: string,
  ): Promise<ApiResponse<T>>;
  startWorker(settings?: WorkerSettings): Promise<RunningWorker>;
  /** One more beside it, of that build. It is stopped with the rest. */
  anotherWorker(build: Config['build'], settings?: WorkerSettings): Promise<RunningWorker>;
  stopWorker(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestParleySettings extends WorkerSettings {
  replies?: (ScriptedReply | ModelScript)[];
  /** Answers every request the same way, however many conversations there are. */
  script?: ModelScript;
  /** How many tokens the model reads at most. */
  window?: number;
  /** Off where there are thousands of requests: each has all that was said before. */
  record?: boolean;
  worker?: boolean;
  /** For a test that stops the worker, or that its other conversations would disturb. */
  ownWorker?: boolean;
  /** Front matter of the agent, as YAML lines. */
  policy?: string;
  /** Further agents by name, with their front matter as YAML lines. */
  agents?: Record<string, string>;
  /** Keys by name. The first is used where none is said. */
  keys?: Record<string, Scope[]>;
  env?: Record<string, string>;
  /** Where the lines of the API's log go. */
  log?: Log;
  /** Where the lines of the worker's log go. */
  workerLog?: Log;
  address?: string;
  /** The test cuts the server at `address` off: it is waited for as in production, and no longer. */
  isCutOff?: true;
  /** The folder that the web app is served from. */
  webFolder?: string;
}

/** Calls that address, with that key. */
export function createApiCaller(url: string, key?: string): CallApi {
  return async (method, route, body, headers = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' };
    const authorization: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
    const response = await fetch(`${url}${route}`, {
      method,
      body: text,
      headers: { ...type, ...authorization, ...headers },
    });
    const said = await response.text();
    const isText = response.headers.get('content-type')?.startsWith('text/plain');
    const read = isText ? said : said ? JSON.parse(said) : null;
    return { status: response.status, headers: response.headers, body: read };
  };
}

const testLog = createLog(process.env.PARLEY_TEST_LOG ?? 'silent');
/** The agent may use the tools there are, unless it says otherwise. */
function createFrontMatter({ tools = [], policy = '' }: TestParleySettings): string {
  const more = tools.filter((tool) => !builtInTools.includes(tool)).map(({ name }) => name);
  const isSaid = /^tools:/m.test(policy);
  return isSaid || more.length === 0 ? policy : `${policy}\ntools: [${['write_todos', ...more].join(', ')}]`;
}

/** No worker is up that could come: a request that waits for one may as well give up at once. */
export const PATIENCE_WITHOUT_WORKER: WaitLimits = { ...DEFAULT_WAIT_LIMITS, queryMs: 300, verdictMs: 300 };
/** A worker is up, however slow the machine is. Less for a query: one that Temporal lost is best asked again. */
export const PATIENCE_WITH_WORKER: WaitLimits = { queryMs: 10_000, verdictMs: 60_000, rpcMs: 60_000 };

/** What only an API reads: a test that sets nothing else shares the worker. */
const API_ONLY_VARIABLES = ['PARLEY_RATE_LIMIT', 'PARLEY_CORS_ORIGINS', 'PARLEY_TRUST_PROXY', 'PARLEY_REDIS_URL'];
const SHAREABLE_SETTINGS: (keyof TestParleySettings)[] = [
  'replies',
  'script',
  'policy',
  'agents',
  'keys',
  'log',
  'webFolder',
];

function canShareWorker({ env = {}, ...settings }: TestParleySettings): boolean {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return (
    given.every(([key]) => (SHAREABLE_SETTINGS as string[]).includes(key)) &&
    Object.keys(env).every((name) => API_ONLY_VARIABLES.includes(name))
  );
}

/**
 * A Parley on the run's Temporal server, with an API, agents, keys and a model of its own, and the worker that all tests of
 * the process share. With settings that a worker reads it has a worker and a task queue of its own.
 */
export async function startParley(settings: TestParleySettings = {}): Promise<TestParley> {
  const name = `t-${randomBytes(5).toString('hex')}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-test-'));
  const agents = path.join(folder, 'agents');
  mkdirSync(agents);
  const own = createFrontMatter(settings);
  for (const [agent, matter] of Object.entries({ assistant: own, [name]: own, ...settings.agents })) {
    writeFileSync(
      path.join(agents, `${agent}.md`),
      `---\nname: ${agent}\ndescription: For a test.\n${matter}\n---\nYou are ${agent}.\n`,
    );
  }
  const shared = canShareWorker(settings) ? await getSharedWorker() : undefined;
  const taskQueue = shared?.taskQueue ?? name;
  const replies = settings.replies ?? Array(100_000).fill(settings.script ?? { text: 'done' });
  const { window, record } = settings;
  const model = shared
    ? shared.modelFor(['assistant', name, ...Object.keys(settings.agents ?? {})], replies)
    : await startScriptedModel(replies, { window, record });
  const keys = new Map(Object.keys(settings.keys ?? {}).map((owner) => [owner, generateApiKey()]));
  const entries = [...keys].map(([owner, { hash }]) =>
    serializeApiKey({ name: owner, scopes: settings.keys?.[owner] ?? [], hash }),
  );
  const config = readConfig({
    PORT: '0',
    PARLEY_API_KEYS: entries.join(' '),
    PARLEY_AGENTS: agents,
    PARLEY_DATA: folder,
    PARLEY_SECRET: shared?.secret,
    TEMPORAL_ADDRESS: settings.address ?? process.env.PARLEY_TEST_ADDRESS,
    PARLEY_ENCRYPTION_KEYS: process.env.PARLEY_TEST_ENCRYPTION,
    TEMPORAL_NAMESPACE: settings.env?.PARLEY_ENCRYPTION_KEYS && !settings.address ? ENCRYPTED_NAMESPACE : undefined,
    ANTHROPIC_API_KEY: 'test',
    ANTHROPIC_BASE_URL: model.url,
    ...settings.env,
  });
  const log = settings.log ?? testLog;
  const { metrics, tracing } = settings;
  // How long requests wait goes by whether a worker is up, and not by how fast the machine is. A worker of a test's own
  // process, and a Temporal server that a test can cut off, are waited for as usual.
  const patience: WaitLimits = { ...DEFAULT_WAIT_LIMITS };
  const expectWorker = (somebody: boolean) => {
    Object.assign(patience, somebody ? PATIENCE_WITH_WORKER : PATIENCE_WITHOUT_WORKER);
    if (settings.isCutOff) patience.rpcMs = DEFAULT_WAIT_LIMITS.rpcMs;
  };
  const served = {
    taskQueue,
    tools: settings.tools,
    webFolder: settings.webFolder,
    metrics,
    tracing,
    patience,
  };
  if (shared) expectWorker(true);
  const api = await startApi(config, log, served);
  const [first] = keys.values();
  const client = createTemporalClient(config.temporal);
  let worker: RunningWorker | undefined;
  const others: RunningWorker[] = [];
  const expectOwnWorker = () => {
    if (shared) throw new Error('Other tests share this worker: ask for one with parley({ ownWorker: true }).');
  };
  const begin = (given: Config, more: WorkerSettings) => {
    expectOwnWorker();
    installTestRuntime();
    const { tools, channels, maxCachedWorkflows } = settings;
    const own = { taskQueue, tools, channels, maxCachedWorkflows, metrics, tracing, ...more };
    return startWorker(given, settings.workerLog ?? testLog, own);
  };

  // With no cache each look replays the run: many of them keep its tasks waiting until they time out.
  const firstPause = settings.maxCachedWorkflows === 0 ? 300 : 15;

  const self: TestParley = {
    url: api.url,
    live: api.live,
    config,
    model,
    client,
    taskQueue,
    patience,
    agent: name,
    call: createApiCaller(api.url, first?.key),
    as: (owner) => createApiCaller(api.url, self.key(owner)),
    key: (owner) => keys.get(owner)?.key ?? '',
    async anotherApi() {
      const other = await startApi(
        { ...config, port: 0, secret: loadOrCreateSecret(config.secret, folder) },
        log,
        served,
      );
      return { url: other.url, call: createApiCaller(other.url, first?.key), stop: other.stop };
    },
    async start(message = 'Hello', more = {}) {
      const started = await self.call<Conversation>('POST', '/v1/conversations', {
        message,
        agent: name,
        ...more,
      });
      if (started.status !== 201) throw new Error(`not started: ${JSON.stringify(started.body)}`);
      return started.body.id;
    },
    async conversation(id) {
      return (await self.call<Conversation>('GET', `/v1/conversations/${id}`)).body;
    },
    async until(id, wanted) {
      // A look costs the server, the API and the worker something: who waits long looks less often.
      for (let pause = firstPause; ; pause = Math.max(firstPause, Math.min(1.5 * pause, 150))) {
        const conversation = await self.conversation(id);
        if (conversation.status === wanted) return conversation;
        if (isConversationFinished(conversation))
          throw new Error(`wanted ${wanted}, but it is ${JSON.stringify(conversation)}`);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    },
    async question(id, wanted) {
      for (;;) {
        const { question } = await self.until(id, 'waiting_for_input');
        if (!question) throw new Error('no question is open');
        if (question.id === (wanted ?? question.id)) return question;
        await new Promise((resolve) => setTimeout(resolve, firstPause));
      }
    },
    answer: (id, body, qid = 'latest') => self.call('POST', `/v1/conversations/${id}/questions/${qid}/answer`, body),
    async startWorker(more = {}) {
      if (worker) throw new Error('a worker is running already');
      worker = await begin(config, more);
      expectWorker(true);
      return worker;
    },
    async anotherWorker(build, more = {}) {
      const other = await begin({ ...config, build }, more);
      others.push(other);
      return other;
    },
    async stopWorker() {
      expectOwnWorker();
      expectWorker(false);
      await worker?.stop();
      worker = undefined;
    },
    async stop() {
      await Promise.all([worker, ...others].map((one) => one?.stop()));
      worker = undefined;
      await Promise.all([api.stop(), client.connection.close()]);
      rmSync(folder, { recursive: true, force: true });
      await model.stop();
    },
  };
  if (!shared && settings.worker !== false) await self.startWorker();
  return self;
}

/** Makes the pauses between attempts of an activity short: they are for models and storages, not for tests. */
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
