import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Problem } from '#contract/problem';
import { startDevServer } from '#infra/temporal/dev-server/dev-server';
import { findTemporalCli } from '#infra/temporal/toolchain';
import type { ModelScript } from '#models/demo/reply';
import { startParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { startSwitchableTcpProxy } from '#test/support/tcp-proxy';

const askOnce: ModelScript = (request) =>
  lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B');

it('answers 503 while Temporal is down, accepts nothing, and recovers without a restart', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-down-'));
  const proxy = await startSwitchableTcpProxy();
  const p = await startParley({
    ownWorker: true,
    address: `127.0.0.1:${proxy.port}`,
    cutsOffServer: true,
    startsWorker: false,
    script: askOnce,
  });
  const expectDown = async (id = 'down', wasConnected = false) => {
    const route = `/v1/conversations/${id}`;
    const calls = [
      p.call<Problem>('POST', '/v1/conversations', { message: 'Hello', id: 'down' }),
      p.call<Problem>('GET', '/v1/questions'),
      p.call<Problem>('GET', route),
      p.call<Problem>('POST', `${route}/questions/question-1/answer`, { answer: 'A' }),
      p.call<Problem>('POST', `${route}/questions/latest/decline`),
      p.call<Problem>('POST', `${route}/messages`, { text: 'Hello?' }),
      p.call<Problem>('POST', `${route}/cancel`),
      p.call<Problem>('GET', '/readyz'),
    ];
    for (const { status, body, headers } of await Promise.all(calls)) {
      // A write on a connection that is then lost may have arrived.
      const code = wasConnected
        ? expect.stringMatching(/^(temporal_unavailable|outcome_unknown)$/)
        : 'temporal_unavailable';
      expect([status, body.code]).toEqual([503, code]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await p.call('GET', '/healthz')).status).toBe(200);
  };
  const expectReady = async () => {
    while ((await p.call('GET', '/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  await expectDown();
  const server = await startDevServer({ cli: findTemporalCli(), logFile: path.join(folder, 'temporal.log') });
  proxy.open(server.port);
  await expectReady();
  await p.startWorker();
  expect((await p.call('GET', '/v1/conversations/down')).status).toBe(404);
  const parkedId = await p.startConversation('Hello');
  const question = await p.waitForQuestion(parkedId);

  proxy.shut();
  await expectDown(parkedId, true);
  proxy.open(server.port);
  await expectReady();
  expect(await p.waitForQuestion(parkedId)).toEqual(question);
  // Only a worker can reply, so it has reconnected, too.
  let status = 0;
  while (status !== 200) status = (await p.call('GET', `/v1/conversations/${parkedId}/timeline`)).status;
  expect((await p.answer(parkedId, { answer: 'A' })).status).toBe(200);
  await p.waitForStatus(parkedId, 'completed');

  await p.stop();
  proxy.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
