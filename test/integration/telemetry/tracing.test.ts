import { collectReplayReport, loadCurrentWorkflowCode, replayHistories } from '#cli/admin/replay/replay-histories';
import { readConfig } from '#infra/config';
import { createTracing, type Tracing } from '#infra/telemetry/tracing';
import { collectLog } from '#test/support/collect-log';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from '#test/support/telemetry/otlp-collector';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const lines = collectLog();
let there: OtlpCollector;
let hook: WebhookReceiver;
let tracing: Tracing;
let p: TestParley;

beforeAll(async () => {
  [there, hook] = await Promise.all([startOtlpCollector(), startWebhookReceiver(SECRET)]);
  const { tracing: settings } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: there.url });
  tracing = createTracing(settings, '0', lines.log) as Tracing;
  p = await startParley({
    ownWorker: true,
    tracing,
    log: lines.log,
    env: { PARLEY_WEBHOOK_SECRETS: `*=${SECRET}`, PARLEY_INTERNAL_HOSTS: '127.0.0.1' },
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('The REPLY.') : replyWithQuestion('A QUESTION?'),
  });
});
afterAll(async () => {
  await p.stop();
  await tracing.close();
  await Promise.all([there.stop(), hook.stop()]);
});

const TRACE = 'a'.repeat(32);
const CALLER = 'b'.repeat(16);

const answer = (id: string, headers: Record<string, string> = {}) =>
  p.call('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'An ANSWER' }, headers);

/** From that span up to the one nobody here caused. */
function upFrom(span: CollectedSpan | undefined, all: CollectedSpan[]): string[] {
  if (!span) return [];
  return [
    span.name,
    ...upFrom(
      all.find(({ spanId }) => spanId === span.parentSpanId),
      all,
    ),
  ];
}

const isModelCall = (trace: string) => (span: CollectedSpan) => span.traceId === trace && span.name.startsWith('chat ');

describe('a trace', () => {
  it('goes from the request with the answer through signal, workflow and activity to the model', async () => {
    const id = await p.start('A MESSAGE', { callbackUrl: hook.url });
    await p.question(id);
    await answer(id, { traceparent: `00-${TRACE}-${CALLER}-01` });
    await p.until(id, 'completed');
    const spans = await there.until(isModelCall(TRACE));
    await there.until(({ name, traceId }) => traceId === TRACE && name.startsWith('POST /v1'));
    const all = there.spans();
    const [model] = spans.filter(isModelCall(TRACE));
    expect(upFrom(model, all)).toEqual([
      expect.stringMatching(/^chat claude-/),
      'activity think',
      'conversation answerQuestion',
      'signal answerQuestion',
      'POST /v1/conversations/{id}/questions/{qid}/answer',
    ]);
    expect(all.find(({ parentSpanId }) => parentSpanId === CALLER)?.traceId).toBe(TRACE);
    expect(model?.attributes).toMatchObject({ 'gen_ai.response.finish_reasons': 'end_turn' });
    expect(Number(model?.attributes['gen_ai.usage.output_tokens'])).toBeGreaterThan(0);
    expect(all.find(({ name }) => name === 'activity think')?.attributes).toMatchObject({
      'parley.conversation': id,
    });
  });

  it('begins with the start, and has no span that lasts while a question waits', async () => {
    const id = await p.start('A MESSAGE');
    await p.question(id);
    const isStart = ({ name, attributes }: CollectedSpan) =>
      name === 'start conversation' && attributes['parley.conversation'] === id;
    const [start] = (await there.until(isStart)).filter(isStart);
    const trace = start?.traceId ?? '';
    const [model] = (await there.until(isModelCall(trace))).filter(isModelCall(trace));
    const parked = Date.now();
    await p.until(id, 'waiting_for_input');
    expect(upFrom(model, there.spans())).toContain('conversation conversation');
    for (const { traceId, endMs } of there.spans()) if (traceId === trace) expect(endMs).toBeLessThanOrEqual(parked);
  });

  it('is named to receivers of webhooks, and in the log', async () => {
    const [delivery] = await hook.until(1);
    expect(delivery?.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const line = await lines.until(({ traceId }) => traceId === TRACE);
    expect(line).toMatchObject({ msg: 'request', conversation: expect.stringMatching(/^c-/) });
  });

  it('takes no harm from what is no trace', async () => {
    const id = await p.start('A MESSAGE');
    await p.question(id);
    const headers = {
      '_tracer-data': { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{nonsense') },
    };
    const { namespace } = p.client.options;
    const input = {
      payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{"answers":{"q1":"x"}}') }],
    };
    await p.client.workflowService.signalWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: id },
      signalName: 'answerQuestion',
      input,
      header: { fields: headers },
    });
    await p.until(id, 'completed');
    const other = await p.start('A MESSAGE');
    await p.question(other);
    expect((await answer(other, { traceparent: '00-nonsense' })).status).toBe(200);
  });

  it('is no part of the conversation: it goes from workers that trace to those that do not, and back', async () => {
    const first = await p.start('A MESSAGE');
    await p.question(first);
    await p.stopWorker();
    await p.startWorker({ tracing: undefined });
    const other = await p.start('A MESSAGE');
    await p.question(other);
    await answer(first, { traceparent: `00-${TRACE}-${CALLER}-01` });
    await p.until(first, 'completed');
    await p.stopWorker();
    await p.startWorker();
    await answer(other);
    await p.until(other, 'completed');
    const cases = [first, other].map(async (id) => ({
      id,
      history: await p.client.workflow.getHandle(id).fetchHistory(),
    }));
    const code = await loadCurrentWorkflowCode(p.config.temporal.encryption);
    const report = await collectReplayReport(replayHistories(await Promise.all(cases), code));
    expect(report).toMatchObject({ replayed: 2, broken: [] });
  });

  it('tells nothing that was said', () => {
    expect(there.spans().length).toBeGreaterThan(10);
    expect(there.text()).not.toMatch(/MESSAGE|QUESTION\?|ANSWER|REPLY|whsec|webhook\/secret/);
  });
});

it('is made only where somebody says where to', () => {
  expect(createTracing(readConfig({}).tracing, '0', lines.log)).toBeUndefined();
});

it('that cannot be sent is said to be lost, and stops nothing', async () => {
  const { log, until } = collectLog();
  const nowhere = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_HEADERS: 'key=SECRET',
  };
  const lost = createTracing(readConfig(nowhere).tracing, '0', log) as Tracing;
  await expect(lost.run({ name: 'a', kind: 'internal' }, async () => 'done')).resolves.toBe('done');
  const line = await until(() => true);
  expect(line.msg).toMatch(/^traces cannot be sent to http:\/\/127\.0\.0\.1:9 and are lost/);
  expect(JSON.stringify(line)).not.toContain('SECRET');
  await lost.close();
});
