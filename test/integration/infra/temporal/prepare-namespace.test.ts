import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { readConfig } from '#infra/config';
import { createTemporalClient } from '#infra/temporal/client';
import { prepareNamespace, SEARCH_ATTRIBUTE_NAMES } from '#infra/temporal/prepare-namespace';
import { collectLog } from '#test/support/collect-log';
import { startParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const DAY = 86_400_000;
const fresh = () => `n-${randomBytes(5).toString('hex')}`;
const open: Client[] = [];

function client(namespace: string, env: Record<string, string> = {}) {
  const config = readConfig({
    TEMPORAL_ADDRESS: process.env.PARLEY_TEST_ADDRESS,
    TEMPORAL_NAMESPACE: namespace,
    ...env,
  });
  const made = createTemporalClient(config.temporal);
  open.push(made);
  return { client: made, config };
}

async function retention(of: Client): Promise<number> {
  const { namespace } = of.options;
  const { config } = await of.workflowService.describeNamespace({ namespace });
  return tsToMs(config?.workflowExecutionRetentionTtl);
}

afterAll(async () => {
  await Promise.all(open.map(({ connection }) => connection.close()));
});

it('makes the namespace that is not there, keeps what ended in it, and says so', async () => {
  const namespace = fresh();
  const { log, text } = collectLog();
  const env = { TEMPORAL_NAMESPACE: namespace, PARLEY_RETENTION: '45d' };
  const p = await startParley({
    env,
    log,
    workerLog: log,
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
  });
  // The API is ready a moment after the worker: it answers all the time, and says no until then.
  while ((await p.call('GET', '/readyz')).status !== 200) await new Promise((r) => setTimeout(r, 100));
  const id = await p.start();
  await p.question(id);
  await p.answer(id, { answer: 'A' });
  await p.until(id, 'completed');
  expect(await retention(p.client)).toBe(45 * DAY);
  expect(text()).toContain(`made the namespace ${namespace}: what ended is kept 45 days`);
  await p.stop();
});

it('finds no fault in two that make it at once, and keeps 30 days where nobody says otherwise', async () => {
  const namespace = fresh();
  const both = [client(namespace), client(namespace)];
  const { log, lines } = collectLog();
  await Promise.all(both.map(({ client, config }) => prepareNamespace(client, config, log)));
  const [{ client: one }] = both as [(typeof both)[0]];
  expect(await retention(one)).toBe(30 * DAY);
  const { customAttributes } = await one.connection.operatorService.listSearchAttributes({ namespace });
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(SEARCH_ATTRIBUTE_NAMES));
  expect(lines().filter(({ msg }) => /made the namespace/.test(String(msg)))).toHaveLength(1);
});

it('leaves one that there is as it is, and tells who wants more, or the usual, what becomes of it', async () => {
  const namespace = fresh();
  const { client: operator, config } = client(namespace);
  await operator.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(3 * DAY),
  });
  const quiet = collectLog();
  const usual = collectLog();
  const heard = collectLog();
  const wanting = client(namespace, { PARLEY_RETENTION: '10d' });
  // Made a moment ago, and not known everywhere yet: that is waited for.
  await prepareNamespace(operator, config, usual.log);
  await prepareNamespace(wanting.client, wanting.config, heard.log);
  const content = client(namespace, { PARLEY_RETENTION: '2d' });
  await prepareNamespace(content.client, content.config, quiet.log);
  expect(await retention(operator)).toBe(3 * DAY);
  expect(quiet.text()).toBe('');
  expect(usual.lines().map(({ level, msg }) => [level, msg])).toEqual([
    [
      40,
      expect.stringMatching(/keeps what ended for 3 days, less than the 30.*are deleted after that.*--retention 30d/),
    ],
  ]);
  expect(heard.text()).toContain('keeps what ended for 3 days, less than the 10 of PARLEY_RETENTION');
});

it('says what to do where it may not make one', async () => {
  const namespace = fresh();
  const { client: cloud, config } = client(namespace);
  // As Temporal Cloud answers.
  cloud.workflowService.registerNamespace = (() =>
    Promise.reject(Object.assign(new Error('7 PERMISSION_DENIED'), { code: 7, details: 'no', metadata: {} }))) as never;
  await expect(prepareNamespace(cloud, config, collectLog().log)).rejects.toMatchObject({
    code: 5,
    message: expect.stringMatching(
      `no namespace ${namespace}, and Parley may not make it.*temporal operator namespace create --namespace ${namespace} --retention 720h`,
    ),
  });
});
