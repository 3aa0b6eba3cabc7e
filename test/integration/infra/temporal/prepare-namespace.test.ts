import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { readConfig } from '#channels/read-config';
import { createTemporalClient } from '#infra/temporal/client';
import { prepareNamespace, SEARCH_ATTRIBUTE_NAMES } from '#infra/temporal/prepare-namespace';
import { collectLog } from '#test/support/collect-log';
import { startParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const DAY = 86_400_000;
const createNamespaceName = () => `n-${randomBytes(5).toString('hex')}`;
const openClients: Client[] = [];

function createNamespaceClient(namespace: string, env: Record<string, string> = {}) {
  const config = readConfig({
    TEMPORAL_ADDRESS: process.env.PARLEY_TEST_ADDRESS,
    TEMPORAL_NAMESPACE: namespace,
    ...env,
  });
  const temporalClient = createTemporalClient(config.temporal);
  openClients.push(temporalClient);
  return { client: temporalClient, config };
}

async function retention(temporalClient: Client): Promise<number> {
  const { namespace } = temporalClient.options;
  const { config } = await temporalClient.workflowService.describeNamespace({ namespace });
  return tsToMs(config?.workflowExecutionRetentionTtl);
}

afterAll(async () => {
  await Promise.all(openClients.map(({ connection }) => connection.close()));
});

it('creates a missing namespace, retains closed workflows, and logs it', async () => {
  const namespace = createNamespaceName();
  const { log, text } = collectLog();
  const env = { TEMPORAL_NAMESPACE: namespace, PARLEY_RETENTION: '45d' };
  const p = await startParley({
    env,
    log,
    workerLog: log,
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
  });
  // The API is ready a moment after the worker: until then it responds that it is not.
  while ((await p.call('GET', '/readyz')).status !== 200) await new Promise((r) => setTimeout(r, 100));
  const id = await p.startConversation();
  await p.waitForQuestion(id);
  await p.answer(id, { answer: 'A' });
  await p.waitForStatus(id, 'completed');
  expect(await retention(p.client)).toBe(45 * DAY);
  expect(text()).toContain(`Created namespace ${namespace}; closed workflows are retained for 45 days`);
  await p.stop();
});

it('accepts that two create it at once, and retains 30 days by default', async () => {
  const namespace = createNamespaceName();
  const clients = [createNamespaceClient(namespace), createNamespaceClient(namespace)];
  const { log, lines } = collectLog();
  await Promise.all(clients.map(({ client, config }) => prepareNamespace(client, config, log)));
  const [{ client: firstClient }] = clients as [(typeof clients)[0]];
  expect(await retention(firstClient)).toBe(30 * DAY);
  const { customAttributes } = await firstClient.connection.operatorService.listSearchAttributes({ namespace });
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(SEARCH_ATTRIBUTE_NAMES));
  expect(lines().filter(({ msg }) => /Created namespace/.test(String(msg)))).toHaveLength(1);
});

it('leaves an existing namespace unchanged, and warns if it retains less than configured', async () => {
  const namespace = createNamespaceName();
  const { client: operator, config } = createNamespaceClient(namespace);
  await operator.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(3 * DAY),
  });
  const satisfiedLog = collectLog();
  const defaultLog = collectLog();
  const longerLog = collectLog();
  const longerRetention = createNamespaceClient(namespace, { PARLEY_RETENTION: '10d' });
  // Just created, and not known everywhere yet, which is waited for.
  await prepareNamespace(operator, config, defaultLog.log);
  await prepareNamespace(longerRetention.client, longerRetention.config, longerLog.log);
  const shorterRetention = createNamespaceClient(namespace, { PARLEY_RETENTION: '2d' });
  await prepareNamespace(shorterRetention.client, shorterRetention.config, satisfiedLog.log);
  expect(await retention(operator)).toBe(3 * DAY);
  expect(satisfiedLog.text()).toBe('');
  expect(defaultLog.lines().map(({ level, msg }) => [level, msg])).toEqual([
    [40, expect.stringMatching(/deletes finished conversations after 3 days, before the 30 .*--retention 30d/)],
  ]);
  expect(longerLog.text()).toContain('deletes finished conversations after 3 days, before the 10 of PARLEY_RETENTION');
});

it('says what to do if it may not create one', async () => {
  const namespace = createNamespaceName();
  const { client: cloud, config } = createNamespaceClient(namespace);
  // The reply of Temporal Cloud.
  cloud.workflowService.registerNamespace = (() =>
    Promise.reject(Object.assign(new Error('7 PERMISSION_DENIED'), { code: 7, details: 'no', metadata: {} }))) as never;
  await expect(prepareNamespace(cloud, config, collectLog().log)).rejects.toMatchObject({
    code: 5,
    message: expect.stringMatching(
      `namespace ${namespace} not found, and Parley is not allowed to create it.*temporal operator namespace create --namespace ${namespace} --retention 720h`,
    ),
  });
});
