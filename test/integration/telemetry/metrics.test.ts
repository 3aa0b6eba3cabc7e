import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ChannelError, type ChannelSender } from '#channels/channel';
import { readConfig } from '#channels/read-config';
import { createTemporalSdkMetrics, type TemporalSdkMetrics } from '#infra/telemetry/temporal-sdk-metrics';
import { createMetrics } from '#telemetry/telemetry';
import { createApiCaller, startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import {
  listMetricNames,
  type PrometheusSample,
  parsePrometheusSamples,
  sumSamples,
} from '#test/support/telemetry/prometheus';
import { withSeparateRuntime } from '#test/support/temporal/runtime';
import { builtInTools } from '#tools/registry';
import { defineActivityTool } from '#tools/tool';
import type { RunningWorker } from '#worker/start-worker';

const root = path.join(__dirname, '../../..');
let sdkMetrics: TemporalSdkMetrics;

const weighTool = defineActivityTool({
  name: 'weigh',
  description: 'For a test.',
  input: z.object({}),
  runOnce: false,
  execute: async () => 'Heavy.',
});
/** Fails twice before it succeeds. */
const flakyChannel: ChannelSender & { tries: number } = {
  name: 'log',
  tries: 0,
  async send() {
    this.tries += 1;
    if (this.tries === 1) throw new ChannelError('The pigeon flew off.', { retryAfterMs: 1 });
    return {};
  },
  remind: async () => ({}),
  updateCopy: async () => undefined,
};

let p: TestParley;
let worker: RunningWorker;
let text: string;
let samples: PrometheusSample[];
const ids: string[] = [];

const metricsOf = async (url: string, key = p.apiKey('annabel')) => {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

async function startConversation(extraFields: object = {}): Promise<string> {
  const id = await p.startConversation('Which?', extraFields);
  ids.push(id);
  return id;
}

beforeAll(async () => {
  sdkMetrics = await createTemporalSdkMetrics();
  const metrics = createMetrics(readConfig({}), sdkMetrics);
  p = await startParley({
    ownWorker: true,
    metrics,
    startsWorker: false,
    tools: [...builtInTools, weighTool],
    senders: [flakyChannel],
    keys: { annabel: ['admin'], bob: ['conversations:read'] },
    frontMatter: 'questions: { notify: [log] }',
    env: { PARLEY_WORKER_PORT: '0' },
    script: (request) => {
      const lastResult = lastToolResults(request).at(-1);
      if (!lastResult) return replyWithToolCalls({ name: 'weigh', input: {} });
      return lastResult.text === 'Heavy.' ? replyWithQuestion('Which colour?', 'Red', 'Blue') : replyWithText('done');
    },
  });
  worker = await withSeparateRuntime({ exporter: sdkMetrics.exporter }, () => p.startWorker());

  const answeredId = await startConversation();
  await p.waitForQuestion(answeredId);
  await p.answer(answeredId, { answer: 'Green' });
  await p.call(
    'POST',
    `/v1/conversations/${answeredId}/questions/latest/answer`,
    { answer: 'Red' },
    { 'X-Parley-Channel': 'web' },
  );
  await p.answer(answeredId, { answer: 'Blue' });
  await p.waitForStatus(answeredId, 'completed');
  const declinedId = await startConversation();
  await p.waitForQuestion(declinedId);
  await p.call('POST', `/v1/conversations/${declinedId}/questions/latest/decline`, {
    reason: 'REASON-of-mine',
  });
  const timedOutId = await startConversation({ question: { timeout: '1s' } });
  await p.waitForStatus(timedOutId, 'completed');
  const cancelledId = await startConversation();
  await p.waitForQuestion(cancelledId);
  await p.call('POST', `/v1/conversations/${cancelledId}/cancel`, {});
  await p.waitForStatus(cancelledId, 'cancelled');
  const signalledId = await startConversation();
  await p.waitForQuestion(signalledId);
  await p.client.workflow.getHandle(signalledId).signal('answerQuestion', { answers: { q1: 'Red' }, via: 'made-up' });
  await p.waitForStatus(signalledId, 'completed');
  const waitingId = await startConversation();
  await p.waitForQuestion(waitingId);
  await p.waitForStatus(declinedId, 'completed');
  // A task that fails repeatedly: no worker has code for it.
  const stuckHandle = await p.client.workflow.start('unknown', {
    workflowId: `${p.agent}-stuck`,
    taskQueue: p.taskQueue,
  });
  await waitForSdkMetric('temporal_workflow_task_execution_failed');
  await stuckHandle.terminate();
  ({ text } = await metricsOf(p.url));
  samples = parsePrometheusSamples(text);
});
afterAll(() => p.stop());

async function waitForSdkMetric(name: string): Promise<void> {
  while (!(await sdkMetrics.text()).includes(name)) await new Promise((resolve) => setTimeout(resolve, 100));
}

describe('the metrics of Parley', () => {
  it('require the admin scope', async () => {
    expect((await metricsOf(p.url)).status).toBe(200);
    expect((await metricsOf(p.url)).type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await metricsOf(p.url, p.apiKey('bob'))).status).toBe(403);
    expect((await fetch(`${p.url}/metrics`)).status).toBe(401);
  });

  it('measure response times and outcomes of questions, by agent and channel', () => {
    const { agent } = p;
    const resolvedCount = (labels: object) =>
      sumSamples(samples, 'parley_questions_settled_total', { agent, ...labels });
    expect(resolvedCount({ outcome: 'answered', channel: 'web' })).toBe(1);
    expect(resolvedCount({ outcome: 'declined', channel: 'http' })).toBe(1);
    expect(resolvedCount({ outcome: 'timed_out', channel: 'none', policy: 'continue' })).toBe(1);
    expect(resolvedCount({ outcome: 'cancelled', channel: 'http' })).toBe(1);
    expect(resolvedCount({ outcome: 'answered', channel: 'other' })).toBe(1);
    expect(sumSamples(samples, 'parley_questions_asked_total', { agent })).toBe(6);
    expect(sumSamples(samples, 'parley_question_wait_seconds_count', { agent })).toBe(5);
    const timedOutLabels = { agent, outcome: 'timed_out' };
    const waitedSeconds = sumSamples(samples, 'parley_question_wait_seconds_sum', timedOutLabels);
    expect(waitedSeconds).toBeGreaterThanOrEqual(1);
    // It may be late by any time; only the right bucket matters.
    const bucketCount = (le: string) =>
      sumSamples(samples, 'parley_question_wait_seconds_bucket', { ...timedOutLabels, le });
    expect([bucketCount('5'), bucketCount('+Inf')]).toEqual([waitedSeconds <= 5 ? 1 : 0, 1]);
    // It was cancelled and did not continue.
    expect(sumSamples(samples, 'parley_resume_seconds_count', { agent })).toBe(4);
    expect(sumSamples(samples, 'parley_resume_seconds_bucket', { agent, channel: 'web', le: '+Inf' })).toBe(1);
  });

  it('count conversations, notifications, tools and the model', () => {
    const { agent } = p;
    expect(sumSamples(samples, 'parley_conversations_started_total', { agent, how: 'new' })).toBe(6);
    expect(sumSamples(samples, 'parley_conversations_ended_total', { agent, status: 'completed' })).toBe(4);
    expect(sumSamples(samples, 'parley_conversations_ended_total', { agent, status: 'cancelled' })).toBe(1);
    expect(sumSamples(samples, 'parley_tool_runs_total', { tool: 'weigh', outcome: 'ok' })).toBe(6);
    expect(sumSamples(samples, 'parley_deliveries_total', { channel: 'log', outcome: 'failed' })).toBe(1);
    expect(
      sumSamples(samples, 'parley_notices_total', { agent, channel: 'log', outcome: 'sent' }),
    ).toBeGreaterThanOrEqual(4);
    expect(sumSamples(samples, 'parley_model_calls_total', { outcome: 'ok' })).toBe(16);
    expect(sumSamples(samples, 'parley_model_tokens_total', { direction: 'output' })).toBeGreaterThan(0);
    expect(sumSamples(samples, 'parley_model_cost_usd_total', { agent, model: 'claude-sonnet-5-5' })).toBeGreaterThan(
      0,
    );
  });

  it('count API requests by route, never by path', () => {
    const route = '/v1/conversations/{id}/questions/{qid}/answer';
    expect(sumSamples(samples, 'parley_http_requests_total', { route, method: 'POST', status: '2xx' })).toBe(1);
    expect(sumSamples(samples, 'parley_http_requests_total', { route, status: '4xx' })).toBe(2);
    const answerCount = (labels: object) => sumSamples(samples, 'parley_answers_total', { ...labels });
    expect(answerCount({ kind: 'answer', channel: 'web', reply: '200' })).toBe(1);
    expect(answerCount({ kind: 'answer', channel: 'http', reply: 'invalid_answer' })).toBe(1);
    expect(answerCount({ kind: 'answer', channel: 'http', reply: 'question_answered' })).toBe(1);
    expect(answerCount({ kind: 'decline', reply: '200' })).toBe(1);
    expect(sumSamples(samples, 'parley_answer_seconds_count')).toBe(2);
    expect(
      sumSamples(samples, 'parley_temporal_requests_total', {
        method: 'SignalWorkflowExecution',
        code: 'OK',
      }),
    ).toBeGreaterThanOrEqual(3);
    expect(sumSamples(samples, 'parley_http_requests_total', { route: '/metrics', status: '4xx' })).toBe(0);
  });

  it('show the backlog, by agent', () => {
    expect(sumSamples(samples, 'parley_questions_pending_by_age', { agent: p.agent, age: 'under 1h' })).toBe(1);
    expect(sumSamples(samples, 'parley_questions_pending')).toBeGreaterThanOrEqual(1);
    expect(sumSamples(samples, 'parley_temporal_up')).toBe(1);
    expect(sumSamples(samples, 'parley_task_queue_pollers', { type: 'workflow' })).toBe(1);
    expect(sumSamples(samples, 'parley_task_queue_pollers', { type: 'activity' })).toBe(1);
    expect(sumSamples(samples, 'parley_task_queue_pollers', { type: 'delivery' })).toBe(1);
  });

  it("include those of Temporal's SDK", () => {
    const queueLabels = { task_queue: p.taskQueue };
    expect(sumSamples(samples, 'temporal_workflow_completed', queueLabels)).toBe(5);
    const latency = 'temporal_workflow_task_schedule_to_start_latency_seconds';
    expect(sumSamples(samples, `${latency}_bucket`, { ...queueLabels, le: '+Inf' })).toBe(
      sumSamples(samples, `${latency}_count`, queueLabels),
    );
    expect(sumSamples(samples, `${latency}_count`, queueLabels)).toBeGreaterThan(10);
    expect(sumSamples(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  it('contain no conversation, no person and no content', () => {
    for (const forbiddenText of [...ids, 'annabel', 'Which', 'Red', 'REASON', 'made-up'])
      expect(text).not.toMatch(new RegExp(`"[^"]*${forbiddenText}[^"]*"`));
  });

  it('are served by a worker, too, with its health', async () => {
    const url = worker.url ?? '';
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await metricsOf(url, p.apiKey('bob'))).status).toBe(403);
    expect((await metricsOf(url)).text).toContain('parley_resume_seconds_bucket');
    expect((await fetch(`${url}/v1/conversations`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
    expect((await createApiCaller(url)('GET', '/healthz')).body).toEqual({ status: 'ok' });
  });
});

const METRIC_NAME = /\b((?:parley|temporal|nodejs|process)_[a-z0-9_]+)\b/g;
const baseName = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

describe('the documentation of metrics', () => {
  const readProjectFile = (file: string) => readFileSync(path.join(root, file), 'utf8');
  const unknownMetrics = (document: string) => {
    const known = new Set(listMetricNames(text));
    const names = [...document.matchAll(METRIC_NAME)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(5);
    return names.filter((name) => !known.has(name) && !known.has(baseName(name)));
  };

  it('uses only existing metrics in the alerts, and says what to do for each', () => {
    const { groups } = parse(readProjectFile('deploy/prometheus/alerts.yml'));
    const rules = groups.flatMap((group: { rules: object[] }) => group.rules);
    expect(unknownMetrics(rules.map(({ expr }: { expr: string }) => expr).join('\n'))).toEqual([]);
    const page = readProjectFile('docs/operations/monitoring.md');
    for (const { alert, annotations } of rules) {
      expect(annotations.summary).toBeTruthy();
      expect(annotations.description.length).toBeGreaterThan(60);
      expect(annotations.runbook_url).toBe(`docs/operations/monitoring.md#${alert.toLowerCase()}`);
      expect(page).toContain(`### ${alert}\n`);
    }
  });

  it('uses only existing metrics in the dashboard', () => {
    const { panels } = JSON.parse(readProjectFile('deploy/grafana/parley.json'));
    const queries = panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets);
    expect(unknownMetrics(queries.map(({ expr }: { expr: string }) => expr).join('\n'))).toEqual([]);
  });

  it('lists every metric of Parley in docs/operations/monitoring.md, and no other', () => {
    const page = readProjectFile('docs/operations/monitoring.md');
    const rows = [...page.matchAll(/^\| `((?:parley|temporal)_[a-z_]+)/gm)].map(([, name = '']) => name);
    const parleyNames = listMetricNames(text).filter((name) => name.startsWith('parley_'));
    expect(rows.filter((name) => name.startsWith('parley_')).sort()).toEqual(parleyNames.sort());
    expect(unknownMetrics(rows.join('\n'))).toEqual([]);
  });
});
