import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDevServer } from '#infra/temporal/dev-server/dev-server';
import { findTemporalCli } from '#infra/temporal/toolchain';
import type { ModelScript } from '#models/demo/reply';
import {
  listControls,
  openAnswerPage,
  sendAnswerForm,
  startAnswerPageFixture,
  visibleTextOf,
} from '#test/support/api/answer-page';
import { collectLog } from '#test/support/collect-log';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { startSwitchableTcpProxy } from '#test/support/tcp-proxy';
import { readFirstMessage } from '#test/support/web/web-fixture';

const BRIEF = { timeout: '5s', questions: [{ question: 'Which?' }] };
const script: ModelScript = (request) => {
  if (lastToolResults(request).length > 0) return replyWithText('done');
  return readFirstMessage(request) === 'brief'
    ? replyWithToolCalls({ name: 'ask_user_question', input: BRIEF })
    : replyWithQuestion('Which?', 'A', 'B');
};

it('keeps an answer while no worker is up, and says so', async () => {
  const g = await startAnswerPageFixture({ script });
  const question = await g.asked('Hello');
  const other = await g.asked('Hello');
  await g.stopWorker();
  const url = g.link(question, 'maria');
  const form = { q1: 'A', comment: 'Soon' };
  const [kept, refusal] = await Promise.all([
    sendAnswerForm(url, form),
    sendAnswerForm(g.link(other, 'maria'), { comment: 'No', send: 'decline' }),
  ]);
  expect([kept.status, visibleTextOf(kept)]).toEqual([202, expect.stringContaining('Your answer is kept')]);
  expect(visibleTextOf(kept)).toMatch(/unless somebody else’s came first.*Open this link again to see what came of it/);
  expect(visibleTextOf(kept)).toContain('Which? A Comment Soon');
  expect([refusal.status, visibleTextOf(refusal)]).toEqual([202, expect.stringContaining('Your refusal is kept')]);
  expect(visibleTextOf(refusal)).toContain('Reason No');
  await g.startWorker();
  for (const { conversationId } of [question, other]) await g.until(conversationId, 'completed');
  expect(visibleTextOf(await openAnswerPage(url))).toContain('Answered by maria by a link');
  expect(visibleTextOf(await openAnswerPage(g.link(other, 'maria')))).toContain('Declined by maria by a link');
  expect((await sendAnswerForm(url, form)).status).toBe(200);
  await g.stop();
});

it('says that the time is over, though no worker is up to say what became of the question', async () => {
  const g = await startAnswerPageFixture({ script });
  const question = await g.asked('brief');
  await g.stopWorker();
  const url = g.link(question, 'maria');
  while ((await openAnswerPage(url)).text.includes('<form')) await new Promise((resolve) => setTimeout(resolve, 30));
  expect(visibleTextOf(await openAnswerPage(url))).toContain('The time for this question is over');
  const page = await sendAnswerForm(url, { q1: 'Late' });
  expect([page.status, visibleTextOf(page)]).toEqual([409, expect.stringContaining('this changed nothing')]);
  await g.startWorker();
  await g.until(question.conversationId, 'completed');
  expect(visibleTextOf(await openAnswerPage(url))).toContain('Nobody answered in time');
  await g.stop();
});

it('accepts nothing while Temporal is down, says so, and has all that was typed ready to send again', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-down-'));
  const way = await startSwitchableTcpProxy();
  const server = await startDevServer({ cli: findTemporalCli(), logFile: path.join(folder, 'temporal.log') });
  way.open(server.port);
  const g = await startAnswerPageFixture({ address: `127.0.0.1:${way.port}`, isCutOff: true, worker: false, script });
  while ((await g.call('GET', '/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  await g.startWorker();
  const question = await g.asked('Hello');
  const url = g.link(question, 'maria');

  way.shut();
  const form = { q1: '', 'q1.other': 'A "long"\nstory', send: 'answer' };
  const [opened, sent] = await Promise.all([openAnswerPage(url), sendAnswerForm(url, form)]);
  for (const page of [opened, sent]) {
    expect([page.status, visibleTextOf(page)]).toEqual([503, expect.stringContaining('nothing was accepted')]);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(listControls(sent, 'q1.other')).toEqual([
    '<input type="hidden" name="q1.other" value="A &quot;long&quot;\r\nstory">',
  ]);
  expect(visibleTextOf(sent)).toContain('Send again');
  expect(listControls(opened, 'q1.other')).toEqual([]);

  way.open(server.port);
  while ((await g.call('GET', '/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(visibleTextOf(await openAnswerPage(url))).toContain('Send answer');
  // The worker finds its way back a moment later than the API.
  let again = await sendAnswerForm(url, form);
  while (again.status === 202) again = await sendAnswerForm(url, form);
  expect(again.status).toBe(200);
  await g.stop();
  way.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('writes neither links nor what was answered into the log', async () => {
  const collected = collectLog();
  const worker = collectLog();
  const keys = { ann: ['admin' as const] };
  const g = await startAnswerPageFixture({
    script,
    log: collected.log,
    workerLog: worker.log,
    keys,
    policy: 'questions: { assignees: [maria] }',
  });
  const question = await g.asked('Hello');
  const url = g.link(question, 'maria');
  const { pathname } = new URL(url);
  const token = pathname.slice('/a/'.length);
  const links = `/v1/conversations/${question.conversationId}/questions/latest/links`;
  const made = await g.call<{ url: string }>('POST', links, { person: 'lee@example.com' });
  const granted = new URL(made.body.url).pathname.slice('/a/'.length);
  await openAnswerPage(`${url}?q1=QUERY`);
  await openAnswerPage(`${g.url}/A/${token}`);
  await openAnswerPage(`${g.url}//a/${token}`);
  await openAnswerPage(`${g.url}/%61/${token}`);
  await openAnswerPage(`${g.url}/parley/a/${token}`);
  await openAnswerPage(`${url}/further`);
  await openAnswerPage(`${url}%`);
  await openAnswerPage(url, { method: 'PUT' });
  await openAnswerPage(`${g.url}/a/${token.slice(0, -3)}`);
  await openAnswerPage(url, { headers: { referer: url } });
  await sendAnswerForm(url, { q1: 'x', comment: 'COMMENT' });
  await sendAnswerForm(url, { q1: 'x'.repeat(200_000) });
  await sendAnswerForm(made.body.url, { q1: '', 'q1.other': 'ANSWER', comment: 'COMMENT' }, { 'x-request-id': 'last' });
  await g.until(question.conversationId, 'completed');
  await g.call('GET', '/healthz');
  await collected.until(({ requestId, msg }) => requestId === 'last' && msg === 'request');
  await g.stop();
  for (const { text } of [collected, worker]) {
    for (const secret of [token.slice(0, 40), token.slice(-20), granted.slice(0, 40), granted.slice(-20)])
      expect(text()).not.toContain(secret);
    for (const said of ['QUERY', 'ANSWER', 'COMMENT']) expect(text()).not.toContain(said);
  }
  const line = collected.lines().find(({ requestId }) => requestId === 'last');
  expect(line).toMatchObject({ method: 'POST', path: '/a/…', status: 200 });
});

it('takes so many requests a second from an address where keys are set, and refuses more in words', async () => {
  const g = await startAnswerPageFixture({
    script,
    worker: false,
    keys: { ann: ['admin'] },
    env: { PARLEY_RATE_LIMIT: '5' },
  });
  const all = await Promise.all(Array.from({ length: 30 }, () => openAnswerPage(`${g.url}/a/x`)));
  const refused = all.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(10);
  expect(visibleTextOf(refused[0] ?? (all[0] as never))).toContain('Too many requests');
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect((await openAnswerPage(`${g.url}/a/style.css`)).status).toBe(200);
  await g.stop();
});
