import { readConfig } from '#channels/read-config';
import { collectReplayReport, loadCurrentWorkflowCode, replayHistories } from '#cli/admin/replay/replay-histories';
import { createTracing, type Tracing } from '#infra/telemetry/tracing';
import { collectLog } from '#test/support/collect-log';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from '#test/support/telemetry/otlp-collector';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const logLines = collectLog();
let collector: OtlpCollector;
let receiver: WebhookReceiver;
let tracing: Tracing;
let p: TestParley;

beforeAll(async () => {
  [collector, receiver] = await Promise.all([startOtlpCollector(), startWebhookReceiver(SECRET)]);
  const { tracing: settings } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  tracing = createTracing(settings, '0', logLines.log) as Tracing;
  p = await startParley({
    ownWorker: true,
    tracing,
    log: logLines.log,
    env: { PARLEY_WEBHOOK_SECRETS: `*=${SECRET}`, PARLEY_INTERNAL_HOSTS: '127.0.0.1' },
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('The REPLY.') : replyWithQuestion('A QUESTION?'),
  });
});
afterAll(async () => {
  await p.stop();
  await tracing.close();
  await Promise.all([collector.stop(), receiver.stop()]);
});

const TRACE_ID = 'a'.repeat(32);
const CALLER_SPAN_ID = 'b'.repeat(16);

const answer = (id: string, headers: Record<string, string> = {}) =>
  p.call('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'An ANSWER' }, headers);

/** The ancestors of that span, up to one that was not created here. */
function spanAncestry(span: CollectedSpan | undefined, allSpans: CollectedSpan[]): string[] {
  if (!span) return [];
  return [
    span.name,
    ...spanAncestry(
      allSpans.find(({ spanId }) => spanId === span.parentSpanId),
      allSpans,
    ),
  ];
}

const isModelCall = (traceId: string) => (span: CollectedSpan) =>
  span.traceId === traceId && span.name.startsWith('chat ');

describe('a trace', () => {
  it('spans the request with the answer, signal, workflow, activity and model', async () => {
    const id = await p.startConversation('A MESSAGE', { callbackUrl: receiver.url });
    await p.waitForQuestion(id);
    await answer(id, { traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-01` });
    await p.waitForStatus(id, 'completed');
    const spans = await collector.waitForSpan(isModelCall(TRACE_ID));
    await collector.waitForSpan(({ name, traceId }) => traceId === TRACE_ID && name.startsWith('POST /v1'));
    const allSpans = collector.spans();
    const [model] = spans.filter(isModelCall(TRACE_ID));
    expect(spanAncestry(model, allSpans)).toEqual([
      expect.stringMatching(/^chat claude-/),
      'activity callModel',
      'conversation answerQuestion',
      'signal answerQuestion',
      'POST /v1/conversations/{id}/questions/{qid}/answer',
    ]);
    expect(allSpans.find(({ parentSpanId }) => parentSpanId === CALLER_SPAN_ID)?.traceId).toBe(TRACE_ID);
    expect(model?.attributes).toMatchObject({ 'gen_ai.response.finish_reasons': 'end_turn' });
    expect(Number(model?.attributes['gen_ai.usage.output_tokens'])).toBeGreaterThan(0);
    expect(allSpans.find(({ name }) => name === 'activity callModel')?.attributes).toMatchObject({
      'parley.conversation': id,
    });
  });

  it('begins with the start, and has no span that lasts while a question is open', async () => {
    const id = await p.startConversation('A MESSAGE');
    await p.waitForQuestion(id);
    const isStart = ({ name, attributes }: CollectedSpan) =>
      name === 'start conversation' && attributes['parley.conversation'] === id;
    const [start] = (await collector.waitForSpan(isStart)).filter(isStart);
    const trace = start?.traceId ?? '';
    const [model] = (await collector.waitForSpan(isModelCall(trace))).filter(isModelCall(trace));
    const parkedAt = Date.now();
    await p.waitForStatus(id, 'waiting_for_input');
    expect(spanAncestry(model, collector.spans())).toContain('conversation conversation');
    for (const { traceId, endMs } of collector.spans())
      if (traceId === trace) expect(endMs).toBeLessThanOrEqual(parkedAt);
  });

  it('is passed to receivers of webhooks, and logged', async () => {
    const [delivery] = await receiver.waitForDeliveries(1);
    expect(delivery?.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const line = await logLines.waitForLine(({ traceId }) => traceId === TRACE_ID);
    expect(line).toMatchObject({ msg: 'request', conversation: expect.stringMatching(/^c-/) });
  });

  it('ignores an invalid trace context', async () => {
    const id = await p.startConversation('A MESSAGE');
    await p.waitForQuestion(id);
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
    await p.waitForStatus(id, 'completed');
    const otherId = await p.startConversation('A MESSAGE');
    await p.waitForQuestion(otherId);
    expect((await answer(otherId, { traceparent: '00-nonsense' })).status).toBe(200);
  });

  it('is not part of the conversation, which can move between workers with and without tracing', async () => {
    const tracedId = await p.startConversation('A MESSAGE');
    await p.waitForQuestion(tracedId);
    await p.stopWorker();
    await p.startWorker({ tracing: undefined });
    const untracedId = await p.startConversation('A MESSAGE');
    await p.waitForQuestion(untracedId);
    await answer(tracedId, { traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-01` });
    await p.waitForStatus(tracedId, 'completed');
    await p.stopWorker();
    await p.startWorker();
    await answer(untracedId);
    await p.waitForStatus(untracedId, 'completed');
    const cases = [tracedId, untracedId].map(async (id) => ({
      id,
      history: await p.client.workflow.getHandle(id).fetchHistory(),
    }));
    const code = await loadCurrentWorkflowCode(p.config.temporal.encryption);
    const report = await collectReplayReport(replayHistories(await Promise.all(cases), code));
    expect(report).toMatchObject({ replayed: 2, broken: [] });
  });

  it('contains no content', () => {
    expect(collector.spans().length).toBeGreaterThan(10);
    expect(collector.text()).not.toMatch(/MESSAGE|QUESTION\?|ANSWER|REPLY|whsec|webhook\/secret/);
  });
});

it('is only recorded if a collector is configured', () => {
  expect(createTracing(readConfig({}).tracing, '0', logLines.log)).toBeUndefined();
});

it('that cannot be sent is reported as lost, and stops nothing', async () => {
  const { log, waitForLine } = collectLog();
  const unreachableEnv = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_HEADERS: 'key=SECRET',
  };
  const unreachableTracing = createTracing(readConfig(unreachableEnv).tracing, '0', log) as Tracing;
  await expect(unreachableTracing.run({ name: 'a', kind: 'internal' }, async () => 'done')).resolves.toBe('done');
  const line = await waitForLine(() => true);
  expect(line.msg).toMatch(/^Can't send traces to http:\/\/127\.0\.0\.1:9; they are lost/);
  expect(JSON.stringify(line)).not.toContain('SECRET');
  await unreachableTracing.close();
});
