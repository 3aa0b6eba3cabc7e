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

const SHORT_QUESTION = { timeout: '5s', questions: [{ question: 'Which?' }] };
const script: ModelScript = (request) => {
  if (lastToolResults(request).length > 0) return replyWithText('done');
  return readFirstMessage(request) === 'brief'
    ? replyWithToolCalls({ name: 'ask_user_question', input: SHORT_QUESTION })
    : replyWithQuestion('Which?', 'A', 'B');
};

it('saves an answer while no worker is running, and says so', async () => {
  const fixture = await startAnswerPageFixture({ script });
  const question = await fixture.askQuestion('Hello');
  const other = await fixture.askQuestion('Hello');
  await fixture.stopWorker();
  const url = fixture.link(question, 'maria');
  const form = { q1: 'A', comment: 'Soon' };
  const [answerPage, declinePage] = await Promise.all([
    sendAnswerForm(url, form),
    sendAnswerForm(fixture.link(other, 'maria'), { comment: 'No', send: 'decline' }),
  ]);
  expect([answerPage.status, visibleTextOf(answerPage)]).toEqual([202, expect.stringContaining('Saved')]);
  expect(visibleTextOf(answerPage)).toMatch(/unless someone else answers first.*Check this link again later/);
  expect(visibleTextOf(answerPage)).toContain('Which? A Comment Soon');
  expect([declinePage.status, visibleTextOf(declinePage)]).toEqual([202, expect.stringContaining('Saved')]);
  expect(visibleTextOf(declinePage)).toContain('Reason No');
  await fixture.startWorker();
  for (const { conversationId } of [question, other]) await fixture.waitForStatus(conversationId, 'completed');
  expect(visibleTextOf(await openAnswerPage(url))).toContain('Answered by maria via link');
  expect(visibleTextOf(await openAnswerPage(fixture.link(other, 'maria')))).toContain('Skipped by maria via link');
  expect((await sendAnswerForm(url, form)).status).toBe(200);
  await fixture.stop();
});

it('says that the question has expired even if no worker can report the outcome', async () => {
  const fixture = await startAnswerPageFixture({ script });
  const question = await fixture.askQuestion('brief');
  await fixture.stopWorker();
  const url = fixture.link(question, 'maria');
  while ((await openAnswerPage(url)).text.includes('<form')) await new Promise((resolve) => setTimeout(resolve, 30));
  expect(visibleTextOf(await openAnswerPage(url))).toContain('This question has expired');
  const page = await sendAnswerForm(url, { q1: 'Late' });
  expect([page.status, visibleTextOf(page)]).toEqual([409, expect.stringContaining("your answer wasn't used")]);
  await fixture.startWorker();
  await fixture.waitForStatus(question.conversationId, 'completed');
  expect(visibleTextOf(await openAnswerPage(url))).toContain('No answer in time');
  await fixture.stop();
});

it('accepts nothing while Temporal is down, says so, and offers to send the input again', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-down-'));
  const proxy = await startSwitchableTcpProxy();
  const server = await startDevServer({ cli: findTemporalCli(), logFile: path.join(folder, 'temporal.log') });
  proxy.open(server.port);
  const fixture = await startAnswerPageFixture({
    address: `127.0.0.1:${proxy.port}`,
    cutsOffServer: true,
    startsWorker: false,
    script,
  });
  while ((await fixture.call('GET', '/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  await fixture.startWorker();
  const question = await fixture.askQuestion('Hello');
  const url = fixture.link(question, 'maria');

  proxy.shut();
  const form = { q1: '', 'q1.other': 'A "long"\nstory', send: 'answer' };
  const [openedPage, sentPage] = await Promise.all([openAnswerPage(url), sendAnswerForm(url, form)]);
  for (const page of [openedPage, sentPage]) {
    expect([page.status, visibleTextOf(page)]).toEqual([503, expect.stringContaining('Nothing was accepted')]);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(listControls(sentPage, 'q1.other')).toEqual([
    '<input type="hidden" name="q1.other" value="A &quot;long&quot;\r\nstory">',
  ]);
  expect(visibleTextOf(sentPage)).toContain('Send again');
  expect(listControls(openedPage, 'q1.other')).toEqual([]);

  proxy.open(server.port);
  while ((await fixture.call('GET', '/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(visibleTextOf(await openAnswerPage(url))).toContain('Send answer');
  // The worker reconnects a moment after the API.
  let again = await sendAnswerForm(url, form);
  while (again.status === 202) again = await sendAnswerForm(url, form);
  expect(again.status).toBe(200);
  await fixture.stop();
  proxy.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('logs neither links nor answers', async () => {
  const apiLog = collectLog();
  const workerLog = collectLog();
  const keys = { ann: ['admin' as const] };
  const fixture = await startAnswerPageFixture({
    script,
    log: apiLog.log,
    workerLog: workerLog.log,
    keys,
    frontMatter: 'questions: { assignees: [maria] }',
  });
  const question = await fixture.askQuestion('Hello');
  const url = fixture.link(question, 'maria');
  const { pathname } = new URL(url);
  const token = pathname.slice('/a/'.length);
  const linksRoute = `/v1/conversations/${question.conversationId}/questions/latest/links`;
  const createdLink = await fixture.call<{ url: string }>('POST', linksRoute, { person: 'lee@example.com' });
  const grantedToken = new URL(createdLink.body.url).pathname.slice('/a/'.length);
  await openAnswerPage(`${url}?q1=QUERY`);
  await openAnswerPage(`${fixture.url}/A/${token}`);
  await openAnswerPage(`${fixture.url}//a/${token}`);
  await openAnswerPage(`${fixture.url}/%61/${token}`);
  await openAnswerPage(`${fixture.url}/parley/a/${token}`);
  await openAnswerPage(`${url}/further`);
  await openAnswerPage(`${url}%`);
  await openAnswerPage(url, { method: 'PUT' });
  await openAnswerPage(`${fixture.url}/a/${token.slice(0, -3)}`);
  await openAnswerPage(url, { headers: { referer: url } });
  await sendAnswerForm(url, { q1: 'x', comment: 'COMMENT' });
  await sendAnswerForm(url, { q1: 'x'.repeat(200_000) });
  await sendAnswerForm(
    createdLink.body.url,
    { q1: '', 'q1.other': 'ANSWER', comment: 'COMMENT' },
    { 'x-request-id': 'last' },
  );
  await fixture.waitForStatus(question.conversationId, 'completed');
  await fixture.call('GET', '/healthz');
  await apiLog.waitForLine(({ requestId, msg }) => requestId === 'last' && msg === 'request');
  await fixture.stop();
  for (const { text } of [apiLog, workerLog]) {
    for (const secret of [token.slice(0, 40), token.slice(-20), grantedToken.slice(0, 40), grantedToken.slice(-20)])
      expect(text()).not.toContain(secret);
    for (const submitted of ['QUERY', 'ANSWER', 'COMMENT']) expect(text()).not.toContain(submitted);
  }
  const line = apiLog.lines().find(({ requestId }) => requestId === 'last');
  expect(line).toMatchObject({ method: 'POST', path: '/a/…', status: 200 });
});

it('limits the requests of an address if keys are set, and explains the rejection', async () => {
  const fixture = await startAnswerPageFixture({
    script,
    startsWorker: false,
    keys: { ann: ['admin'] },
    env: { PARLEY_RATE_LIMIT: '5' },
  });
  const pages = await Promise.all(Array.from({ length: 30 }, () => openAnswerPage(`${fixture.url}/a/x`)));
  const refused = pages.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(10);
  expect(visibleTextOf(refused[0] ?? (pages[0] as never))).toContain('Too many requests');
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect((await openAnswerPage(`${fixture.url}/a/style.css`)).status).toBe(200);
  await fixture.stop();
});
