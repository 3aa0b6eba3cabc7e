import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Channel, ChannelError } from '#channels/channel';
import { createTemporalSdkMetrics } from '#infra/telemetry/temporal-sdk-metrics';
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
const core = createTemporalSdkMetrics();

const weigh = defineActivityTool({
  name: 'weigh',
  description: 'For a test.',
  input: z.object({}),
  once: false,
  use: async () => 'Heavy.',
});
/** Told twice before it works. */
const flaky: Channel & { tries: number } = {
  name: 'log',
  tries: 0,
  async send() {
    this.tries += 1;
    if (this.tries === 1) throw new ChannelError('The pigeon flew off.', { retryAfterMs: 1 });
    return {};
  },
  remind: async () => ({}),
  settle: async () => undefined,
};

let p: TestParley;
let worker: RunningWorker;
let text: string;
let samples: PrometheusSample[];
const ids: string[] = [];

const metricsOf = async (url: string, key = p.key('annabel')) => {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

async function begin(more: object = {}): Promise<string> {
  const id = await p.start('Which?', more);
  ids.push(id);
  return id;
}

beforeAll(async () => {
  const metrics = createMetrics({ version: '0', core });
  p = await startParley({
    ownWorker: true,
    metrics,
    worker: false,
    tools: [...builtInTools, weigh],
    channels: [flaky],
    keys: { annabel: ['admin'], bob: ['conversations:read'] },
    policy: 'questions: { notify: [log] }',
    env: { PARLEY_WORKER_PORT: '0' },
    script: (request) => {
      const last = lastToolResults(request).at(-1);
      if (!last) return replyWithToolCalls({ name: 'weigh', input: {} });
      return last.text === 'Heavy.' ? replyWithQuestion('Which colour?', 'Red', 'Blue') : replyWithText('done');
    },
  });
  worker = await withSeparateRuntime({ buffer: core.buffer }, () => p.startWorker());

  const answered = await begin();
  await p.question(answered);
  await p.answer(answered, { answer: 'Green' });
  await p.call(
    'POST',
    `/v1/conversations/${answered}/questions/latest/answer`,
    { answer: 'Red' },
    { 'X-Parley-Channel': 'web' },
  );
  await p.answer(answered, { answer: 'Blue' });
  await p.until(answered, 'completed');
  const declined = await begin();
  await p.question(declined);
  await p.call('POST', `/v1/conversations/${declined}/questions/latest/decline`, {
    reason: 'REASON-of-mine',
  });
  const late = await begin({ question: { timeout: '1s' } });
  await p.until(late, 'completed');
  const cancelled = await begin();
  await p.question(cancelled);
  await p.call('POST', `/v1/conversations/${cancelled}/cancel`, {});
  await p.until(cancelled, 'cancelled');
  const bySignal = await begin();
  await p.question(bySignal);
  await p.client.workflow.getHandle(bySignal).signal('answerQuestion', { answers: { q1: 'Red' }, via: 'made-up' });
  await p.until(bySignal, 'completed');
  const waiting = await begin();
  await p.question(waiting);
  await p.until(declined, 'completed');
  // A task that fails again and again: nobody has code for it.
  const stuck = await p.client.workflow.start('unknown', {
    workflowId: `${p.agent}-stuck`,
    taskQueue: p.taskQueue,
  });
  await untilSaid('temporal_workflow_task_execution_failed');
  await stuck.terminate();
  ({ text } = await metricsOf(p.url));
  samples = parsePrometheusSamples(text);
});
afterAll(async () => {
  await p.stop();
  core.stop();
});

async function untilSaid(name: string): Promise<void> {
  while (!core.text().includes(name)) await new Promise((resolve) => setTimeout(resolve, 100));
}

describe('the metrics of Parley', () => {
  it('are for admins', async () => {
    expect((await metricsOf(p.url)).status).toBe(200);
    expect((await metricsOf(p.url)).type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await metricsOf(p.url, p.key('bob'))).status).toBe(403);
    expect((await fetch(`${p.url}/metrics`)).status).toBe(401);
  });

  it('tell how long people took, and what came of their questions, by agent and channel', () => {
    const { agent } = p;
    const settled = (labels: object) => sumSamples(samples, 'parley_questions_settled_total', { agent, ...labels });
    expect(settled({ outcome: 'answered', channel: 'web' })).toBe(1);
    expect(settled({ outcome: 'declined', channel: 'http' })).toBe(1);
    expect(settled({ outcome: 'timed_out', channel: 'none', policy: 'continue' })).toBe(1);
    expect(settled({ outcome: 'cancelled', channel: 'http' })).toBe(1);
    expect(settled({ outcome: 'answered', channel: 'other' })).toBe(1);
    expect(sumSamples(samples, 'parley_questions_asked_total', { agent })).toBe(6);
    expect(sumSamples(samples, 'parley_question_wait_seconds_count', { agent })).toBe(5);
    const late = { agent, outcome: 'timed_out' };
    const waited = sumSamples(samples, 'parley_question_wait_seconds_sum', late);
    expect(waited).toBeGreaterThanOrEqual(1);
    // It may have been late by any time: what matters is that it is counted where it belongs.
    const within = (le: string) => sumSamples(samples, 'parley_question_wait_seconds_bucket', { ...late, le });
    expect([within('5'), within('+Inf')]).toEqual([waited <= 5 ? 1 : 0, 1]);
    // Cancelled, it did not go on.
    expect(sumSamples(samples, 'parley_resume_seconds_count', { agent })).toBe(4);
    expect(sumSamples(samples, 'parley_resume_seconds_bucket', { agent, channel: 'web', le: '+Inf' })).toBe(1);
  });

  it('count conversations, notices, tools and the model', () => {
    const { agent } = p;
    expect(sumSamples(samples, 'parley_conversations_begun_total', { agent, how: 'new' })).toBe(6);
    expect(sumSamples(samples, 'parley_conversations_ended_total', { agent, status: 'completed' })).toBe(4);
    expect(sumSamples(samples, 'parley_conversations_ended_total', { agent, status: 'cancelled' })).toBe(1);
    expect(sumSamples(samples, 'parley_tool_runs_total', { tool: 'weigh', outcome: 'ok' })).toBe(6);
    expect(sumSamples(samples, 'parley_deliveries_total', { channel: 'log', outcome: 'failed' })).toBe(1);
    expect(
      sumSamples(samples, 'parley_notices_total', { agent, channel: 'log', outcome: 'sent' }),
    ).toBeGreaterThanOrEqual(4);
    expect(sumSamples(samples, 'parley_model_calls_total', { outcome: 'ok' })).toBe(16);
    expect(sumSamples(samples, 'parley_model_tokens_total', { direction: 'output' })).toBeGreaterThan(0);
  });

  it('tell what the API did, by route and never by path', () => {
    const route = '/v1/conversations/{id}/questions/{qid}/answer';
    expect(sumSamples(samples, 'parley_http_requests_total', { route, method: 'POST', status: '2xx' })).toBe(1);
    expect(sumSamples(samples, 'parley_http_requests_total', { route, status: '4xx' })).toBe(2);
    const answers = (labels: object) => sumSamples(samples, 'parley_answers_total', { ...labels });
    expect(answers({ kind: 'answer', channel: 'web', reply: '200' })).toBe(1);
    expect(answers({ kind: 'answer', channel: 'http', reply: 'invalid_answer' })).toBe(1);
    expect(answers({ kind: 'answer', channel: 'http', reply: 'question_answered' })).toBe(1);
    expect(answers({ kind: 'decline', reply: '200' })).toBe(1);
    expect(sumSamples(samples, 'parley_answer_seconds_count')).toBe(2);
    expect(
      sumSamples(samples, 'parley_temporal_requests_total', {
        method: 'SignalWorkflowExecution',
        code: 'OK',
      }),
    ).toBeGreaterThanOrEqual(3);
    expect(sumSamples(samples, 'parley_http_requests_total', { route: '/metrics', status: '4xx' })).toBe(0);
  });

  it('tell what waits, and for whom', () => {
    expect(sumSamples(samples, 'parley_questions_pending_by_age', { agent: p.agent, age: 'under 1h' })).toBe(1);
    expect(sumSamples(samples, 'parley_questions_pending')).toBeGreaterThanOrEqual(1);
    expect(sumSamples(samples, 'parley_temporal_up')).toBe(1);
    expect(sumSamples(samples, 'parley_task_queue_pollers', { type: 'workflow' })).toBe(1);
    expect(sumSamples(samples, 'parley_task_queue_pollers', { type: 'activity' })).toBe(1);
  });

  it("have those of Temporal's SDK among them", () => {
    const here = { task_queue: p.taskQueue };
    expect(sumSamples(samples, 'temporal_workflow_completed', here)).toBe(5);
    const latency = 'temporal_workflow_task_schedule_to_start_latency_seconds';
    expect(sumSamples(samples, `${latency}_bucket`, { ...here, le: '+Inf' })).toBe(
      sumSamples(samples, `${latency}_count`, here),
    );
    expect(sumSamples(samples, `${latency}_count`, here)).toBeGreaterThan(10);
    expect(sumSamples(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  it('hold no conversation, no person and nothing that was said', () => {
    for (const said of [...ids, 'annabel', 'Which', 'Red', 'REASON', 'made-up'])
      expect(text).not.toMatch(new RegExp(`"[^"]*${said}[^"]*"`));
  });

  it('are served by a worker, too, with whether it is alive', async () => {
    const url = worker.url ?? '';
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await metricsOf(url, p.key('bob'))).status).toBe(403);
    expect((await metricsOf(url)).text).toContain('parley_resume_seconds_bucket');
    expect((await fetch(`${url}/v1/conversations`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
    expect((await createApiCaller(url)('GET', '/healthz')).body).toEqual({ status: 'ok' });
  });
});

const NAMES = /\b((?:parley|temporal|nodejs|process)_[a-z0-9_]+)\b/g;
const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

describe('what is written about metrics', () => {
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
  const unknownIn = (named: string) => {
    const there = new Set(listMetricNames(text));
    const names = [...named.matchAll(NAMES)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(5);
    return names.filter((name) => !there.has(name) && !there.has(base(name)));
  };

  it('names only what there is in the alerts, and says what to do', () => {
    const { groups } = parse(read('deploy/prometheus/alerts.yml'));
    const rules = groups.flatMap((group: { rules: object[] }) => group.rules);
    expect(unknownIn(rules.map(({ expr }: { expr: string }) => expr).join('\n'))).toEqual([]);
    const page = read('docs/monitoring.md');
    for (const { alert, annotations } of rules) {
      expect(annotations.summary).toBeTruthy();
      expect(annotations.description.length).toBeGreaterThan(60);
      expect(annotations.runbook_url).toBe(`docs/monitoring.md#${alert.toLowerCase()}`);
      expect(page).toContain(`### ${alert}\n`);
    }
  });

  it('names only what there is in the dashboard', () => {
    const { panels } = JSON.parse(read('deploy/grafana/parley.json'));
    const queries = panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets);
    expect(unknownIn(queries.map(({ expr }: { expr: string }) => expr).join('\n'))).toEqual([]);
  });

  it('has every metric of Parley in docs/monitoring.md, and no other', () => {
    const page = read('docs/monitoring.md');
    const rows = [...page.matchAll(/^\| `((?:parley|temporal)_[a-z_]+)/gm)].map(([, name = '']) => name);
    const own = listMetricNames(text).filter((name) => name.startsWith('parley_'));
    expect(rows.filter((name) => name.startsWith('parley_')).sort()).toEqual(own.sort());
    expect(unknownIn(rows.join('\n'))).toEqual([]);
  });
});
