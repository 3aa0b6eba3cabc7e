import { decodeOptionalSinglePayload } from '@temporalio/common/lib/internal-non-workflow';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ChannelSender, OutgoingNotification } from '#channels/channel';
import type { Question } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import { collectLog } from '#test/support/collect-log';
import { toIndexedName, WITHOUT_ENCRYPTION } from '#test/support/parley/encryption';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { startTimeSkippingServer } from '#test/support/temporal/time-skipping-server';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const POLICY = 'timeout: 3d, remind: [4h, 1d], escalate: [{ after: 2d, to: maria }]';

const script: TestParleySettings['script'] = (request) =>
  lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B');

/** Three days pass in a second here. Tests run one at a time, because they share the clock. */
describe('a plan of three days', () => {
  let env: TestWorkflowEnvironment;
  let p: TestParley;
  const sent: OutgoingNotification[] = [];
  let fails = false;
  const page = async (notice: OutgoingNotification) => {
    if (fails) throw new Error('nobody answers the phone');
    sent.push(notice);
    return {};
  };
  const pager: ChannelSender = { name: 'log', send: page, remind: page, updateCopy: async () => undefined };
  beforeAll(async () => {
    env = await startTimeSkippingServer();
    p = await startParley({
      ownWorker: true,
      script,
      address: env.address,
      senders: [pager],
      frontMatter: `questions: { ${POLICY} }`,
      keys: {
        owner: ['conversations:write', 'conversations:read', 'questions:answer'],
        maria: ['questions:answer'],
      },
    });
  });
  beforeEach(() => {
    sent.length = 0;
    fails = false;
  });
  afterAll(async () => {
    await p.stop();
    await env.teardown();
  });

  const questionOf = async (id: string): Promise<Question> =>
    (await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`)).body;
  const answerAs = (who: string, id: string) =>
    p.callAs(who)('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'A' });
  const waited = ({ askedAt }: Question, at = '') => Date.parse(at) - Date.parse(askedAt);
  const until = async (id: string, notices: number): Promise<Question> => {
    for (;;) {
      const question = await questionOf(id);
      if (question.notices.length === notices) return question;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  };

  it('reminds twice, escalates, and expires, each to the minute, and shows what was sent', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await env.client.workflow.getHandle(id).result();
    const question = await questionOf(id);
    expect(question.notices.map(({ channel, what }) => [channel, what])).toEqual([
      ['log', 'reminder 1 of 2'],
      ['log', 'reminder 2 of 2'],
      ['log', 'escalated to maria'],
    ]);
    [4 * HOUR, 24 * HOUR, 48 * HOUR].forEach((due, index) => {
      const at = waited(question, question.notices[index]?.at);
      expect(at).toBeGreaterThanOrEqual(due);
      expect(at).toBeLessThan(due + MINUTE);
    });
    expect(question.status).toBe('timed_out');
    expect(waited(question, question.outcome?.at)).toBeLessThan(72 * HOUR + MINUTE);
    const { body } = await p.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${id}/timeline`);
    expect(body.items.filter(({ kind }) => kind === 'notice')).toMatchObject([
      { channel: 'log', what: 'question-1: reminder 1 of 2' },
      { what: 'question-1: reminder 2 of 2' },
      { what: 'question-1: escalated to maria' },
    ]);
    expect(sent.map((notice) => notice.id)).toEqual([0, 1, 2].map((number) => `${id}/question-1/${number}`));
    expect(sent[2]).toMatchObject({ escalatedTo: ['maria'], question: { id: 'question-1' }, title: 'Hello' });
  });

  it('has one timer at a time, labeled with its purpose', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await env.client.workflow.getHandle(id).result();
    const { events } = await env.client.workflow.getHandle(id).fetchHistory();
    const timers = (events ?? []).filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
    expect(timers).toHaveLength(4);
    const open = (events ?? []).reduce(
      ({ now, most }, event) => {
        const next =
          now +
          (event.timerStartedEventAttributes ? 1 : 0) -
          (event.timerFiredEventAttributes || event.timerCanceledEventAttributes ? 1 : 0);
        return { now: next, most: Math.max(most, next) };
      },
      { now: 0, most: 0 },
    );
    expect(open).toEqual({ now: 0, most: 1 });
    const names = await Promise.all(
      timers.map(({ userMetadata }) =>
        decodeOptionalSinglePayload<string>(env.client.options.loadedDataConverter, userMetadata?.summary),
      ),
    );
    expect(names[0]).toContain('Reminder 1 of 2 of question-1: Which?');
    expect(names[3]).toContain('Deadline of question-1');
  });

  it('sends nothing after the question is closed', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await env.sleep('5 hours');
    await until(id, 1);
    expect((await answerAs('owner', id)).status).toBe(200);
    await p.waitForStatus(id, 'completed');
    await env.sleep('4 days');
    expect(sent.map(({ reason }) => reason)).toEqual(['reminder 1 of 2']);
    expect((await questionOf(id)).notices).toHaveLength(1);
  });

  it('lets the people it is escalated to see and answer from then on, and not before', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await env.sleep('25 hours');
    await until(id, 2);
    expect((await answerAs('maria', id)).status).toBe(404);
    await env.sleep('1 day');
    await until(id, 3);
    const { searchAttributes } = await env.client.workflow.getHandle(id).describe();
    expect(searchAttributes.ParleyAudience).toContain(toIndexedName(p, 'maria'));
    expect((await answerAs('maria', id)).status).toBe(200);
    expect((await questionOf(id)).outcome).toMatchObject({ by: 'maria' });
    await p.waitForStatus(id, 'completed');
  });

  it("follows the start request's plan before the agent's", async () => {
    const id = await p.startConversation('Hello', { question: { timeout: '1d', remind: ['2h'], escalate: [] } });
    await p.waitForQuestion(id);
    await env.client.workflow.getHandle(id).result();
    expect(sent.map(({ reason }) => reason)).toEqual(['reminder 1 of 1']);
  });

  it('delays neither the answer nor the deadline while a channel is down', async () => {
    fails = true;
    const id = await p.startConversation('Hello', { question: { timeout: '2d', remind: ['1h'], escalate: [] } });
    await p.waitForQuestion(id);
    await env.client.workflow.getHandle(id).result();
    const question = await questionOf(id);
    expect(question).toMatchObject({ status: 'timed_out', notices: [] });
    expect(waited(question, question.outcome?.at)).toBeLessThan(48 * HOUR + MINUTE);
  });

  it('retries a channel that is down, and says so if that failed', async () => {
    fails = true;
    const late = await p.startConversation('Hello', { question: { timeout: 'never', remind: ['1h'], escalate: [] } });
    await p.waitForQuestion(late);
    await env.sleep('2 hours');
    fails = false;
    await env.sleep('1 hour');
    expect((await until(late, 1)).notices[0]?.what).toBe('reminder 1 of 1');
    fails = true;
    const never = await p.startConversation('Hello', { question: { timeout: 'never', remind: ['1h'], escalate: [] } });
    await p.waitForQuestion(never);
    await env.sleep('4 days');
    expect((await until(never, 1)).notices[0]?.what).toBe(
      'reminder 1 of 1: could not be sent: nobody answers the phone',
    );
    for (const id of [late, never]) expect((await answerAs('owner', id)).status).toBe(200);
  });
});

it('sends one reminder, not two, if no worker was running for both', async () => {
  const { log, lines } = collectLog();
  const p = await startParley({
    ownWorker: true,
    script,
    workerLog: log,
    frontMatter: 'questions: { remind: [5s, 6s] }',
  });
  const id = await p.startConversation();
  const { askedAt } = await p.waitForQuestion(id);
  await p.stopWorker();
  while (Date.now() < Date.parse(askedAt) + 6_000) await new Promise((resolve) => setTimeout(resolve, 15));
  await p.startWorker();
  while ((await p.waitForQuestion(id)).notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 15));
  expect((await p.waitForQuestion(id)).notices.map(({ what }) => what)).toEqual(['reminder 2 of 2']);
  expect(lines().filter(({ notice }) => notice)).toHaveLength(1);
  await p.stop();
});

describe('the log channel', () => {
  it('logs an open question once, immediately if the agent asks for it', async () => {
    const { log, waitForLine, lines } = collectLog();
    const p = await startParley({
      ownWorker: true,
      script,
      workerLog: log,
      frontMatter: 'questions: { notify: [log] }',
      env: WITHOUT_ENCRYPTION,
    });
    const id = await p.startConversation('Paint the shed');
    const line = await waitForLine(({ notice }) => notice === `${id}/question-1/0`);
    expect(line).toMatchObject({
      conversation: id,
      questionId: 'question-1',
      title: 'Paint the shed',
      answerAt: `${p.url}/v1/conversations/${id}/questions/question-1/answer`,
      msg: 'Question waiting for an answer (asked)',
    });
    await p.answer(id, { answer: 'A' });
    await p.waitForStatus(id, 'completed');
    const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    expect(body.notices).toMatchObject([{ channel: 'log', what: 'asked' }]);
    expect(lines().filter(({ notice }) => notice)).toHaveLength(1);
    expect(JSON.stringify(lines())).not.toContain('"A"');
    await p.stop();
  });
});
