import {
  ChannelError,
  type ChannelSender,
  type ConversationEndEvent,
  type OutgoingNotification,
  type ResolvedCopy,
} from '#channels/channel';
import type { Question } from '#contract/question';
import {
  startParley,
  type TestParley,
  type TestParleySettings,
  WAIT_LIMITS_WITH_WORKER,
  WAIT_LIMITS_WITHOUT_WORKER,
} from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { isSummaryModelRequest, lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';
import { DELIVERY_WORKFLOW_TYPE } from '#workflows/messages';

const script: TestParleySettings['script'] = (request) =>
  lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B');

const CALLBACK = 'http://127.0.0.1:9/hook';

/** A channel that records what it gets, and can be held or made to fail. */
function recorder(name: string) {
  const told: {
    how: string;
    id: string;
    about: OutgoingNotification | ResolvedCopy | ConversationEndEvent;
  }[] = [];
  let fault: Error | undefined;
  let gate: Promise<void> | undefined;
  const hear = async (how: string, about: OutgoingNotification | ResolvedCopy | ConversationEndEvent) => {
    if (fault) throw fault;
    told.push({ how, id: about.id, about });
    await gate;
    return { ts: String(told.length) };
  };
  const channel: ChannelSender = {
    name,
    send: (notice) => hear('send', notice),
    remind: async (notice, copy) => {
      await hear('remind', notice);
      return copy;
    },
    updateCopy: async (copy) => void (await hear('settle', copy)),
    sendConversationEnd: async (ending) => void (await hear('end', ending)),
  };
  return {
    channel,
    told,
    fail: (error?: Error) => {
      fault = error;
    },
    /** Holds what is sent from now on until released. */
    hold(): () => void {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        gate = undefined;
        release();
      };
    },
    async until(how: string, id?: string) {
      for (;;) {
        const found = told.find((one) => one.how === how && (id === undefined || one.id.startsWith(id)));
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}

describe('a worker whose model calls all hang', () => {
  it('still sends notifications and outcomes', async () => {
    const slack = recorder('slack');
    const p = await startParley({
      script: (request) =>
        JSON.stringify(request.body.messages).includes('Ask me')
          ? replyWithQuestion('Which?', 'A', 'B')
          : { text: 'never', hold: new Promise(() => undefined) },
      activitySlots: 1,
      senders: [slack.channel],
      frontMatter: 'questions: { notify: [slack:#ops], remind: [1s] }',
    });
    const id = await p.startConversation('Ask me');
    await p.waitForQuestion(id);
    await p.startConversation('Hang');
    await p.model.waitForRequest(1);
    await slack.until('remind', id);
    await p.answer(id, { answer: 'A' });
    await slack.until('settle', id);
    await p.stop();
  });
});

describe.each([500, 0])('the outcome of a question, with %d conversations in the cache', (maxCachedWorkflows) => {
  const slack = recorder('slack');
  const webhook = recorder('webhook');
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script,
      maxCachedWorkflows,
      senders: [slack.channel, webhook.channel],
      frontMatter: 'questions: { notify: [slack:#ops] }',
    });
  });
  afterAll(() => p.stop());
  const open = async (more: object = {}) => {
    const id = await p.startConversation('Hello', more);
    for (;;) {
      const question = await p.waitForQuestion(id);
      if (question.notices.length >= ('callbackUrl' in more ? 2 : 1)) return id;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const latest = async (id: string) => (await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`)).body;

  it('is delivered where it was asked, with who answered, and the end to the callback', async () => {
    const id = await open({ callbackUrl: CALLBACK });
    await p.answer(id, { answer: 'A', comment: 'because' });
    const { about } = await slack.until('settle', id);
    expect(about).toMatchObject({
      id: `${id}/question-1/0/settled`,
      target: '#ops',
      ref: { ts: expect.any(String) },
      question: { status: 'answered', outcome: { answers: { q1: 'A' }, comment: 'because', via: 'http' } },
    });
    await p.waitForStatus(id, 'completed');
    await webhook.until('end', id);
    const own = webhook.told.filter((one) => one.id.startsWith(`${id}/`));
    expect(own.map(({ how, about: { target } }) => [how, target])).toEqual([
      ['send', CALLBACK],
      ['settle', CALLBACK],
      ['end', CALLBACK],
    ]);
    expect((await latest(id)).notices.map(({ channel, what }) => `${channel} ${what}`).sort()).toEqual([
      'slack:#ops asked',
      'webhook asked',
    ]);
  });

  it.each([
    ['declined', (id: string) => p.call('POST', `/v1/conversations/${id}/questions/latest/decline`)],
    ['cancelled', (id: string) => p.call('POST', `/v1/conversations/${id}/cancel`)],
    ['cancelled', (id: string) => p.client.workflow.getHandle(id).cancel()],
  ])('is delivered for every status: %s', async (status, act) => {
    const id = await open();
    await act(id);
    expect((await slack.until('settle', id)).about).toMatchObject({ question: { status } });
  });

  it('is delivered after a timeout', async () => {
    const id = await p.startConversation('Hello', { question: { timeout: '2s' } });
    await slack.until('send', id);
    expect((await slack.until('settle', id)).about).toMatchObject({ question: { status: 'timed_out' } });
  });

  it('does not keep the conversation from ending while a channel is down, and is delivered afterwards', async () => {
    const id = await open();
    slack.fail(new Error('down'));
    await p.answer(id, { answer: 'A' });
    await p.waitForStatus(id, 'completed');
    expect(slack.told.filter((one) => one.how === 'settle' && one.id.startsWith(id))).toEqual([]);
    slack.fail();
    expect((await slack.until('settle', id)).about).toMatchObject({ question: { status: 'answered' } });
  });

  it('is limited by attempts, as is its question, so that time without a worker loses neither', async () => {
    const id = await open();
    await p.answer(id, { answer: 'A' });
    await slack.until('settle', id);
    const histories = [id, `${id}/question-1/settled/delivery`].map((workflowId) =>
      p.client.workflow.getHandle(workflowId).fetchHistory(),
    );
    for (const [index, { events }] of (await Promise.all(histories)).entries()) {
      const scheduled = events
        ?.map((event) => event.activityTaskScheduledEventAttributes)
        .find((attributes) => attributes?.activityType?.name === ['sendNotification', 'deliverOutcome'][index]);
      const { scheduleToCloseTimeout, retryPolicy } = scheduled ?? {};
      expect([Number(scheduleToCloseTimeout?.seconds ?? 0), retryPolicy?.maximumAttempts]).toEqual([0, 110]);
    }
  });

  it('is delivered to a copy that was still in flight when the question closed', async () => {
    const release = slack.hold();
    const id = await p.startConversation();
    await slack.until('send', id);
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'B' });
    release();
    const { about } = await slack.until('settle', id);
    expect(about).toMatchObject({ question: { outcome: { answers: { q1: 'B' } } } });
    await p.waitForStatus(id, 'completed');
    expect((await latest(id)).notices).toMatchObject([{ channel: 'slack:#ops', what: 'asked' }]);
  });

  it('is delivered for each question separately', async () => {
    const id = await open();
    await p.answer(id, { answer: 'A' });
    await p.waitForStatus(id, 'completed');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And again' });
    for (;;) {
      const question = await p.waitForQuestion(id);
      if (question.id === 'question-2' && question.notices.length === 1) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await p.answer(id, { answer: 'B' });
    await slack.until('settle', `${id}/question-2`);
    const settled = slack.told.filter((one) => one.how === 'settle' && one.id.startsWith(id));
    expect(settled.map((one) => one.id)).toEqual([`${id}/question-1/0/settled`, `${id}/question-2/0/settled`]);
  });

  it('is no longer delivered to a receiver that unsubscribed', async () => {
    webhook.fail(new ChannelError('The receiver is gone.', { isUnsubscribed: true }));
    const id = await open({ callbackUrl: CALLBACK });
    webhook.fail();
    expect((await latest(id)).notices.find(({ channel }) => channel === 'webhook')?.what).toBe(
      'asked: could not be sent: The receiver is gone.',
    );
    await p.answer(id, { answer: 'A' });
    await p.waitForStatus(id, 'completed');
    await slack.until('settle', id);
    expect(webhook.told.filter((one) => one.id.startsWith(id))).toEqual([]);
    const deliveries = p.client.workflow.list({
      query: `WorkflowType = '${DELIVERY_WORKFLOW_TYPE}' AND WorkflowId STARTS_WITH '${id}'`,
    });
    for await (const { workflowId } of deliveries) expect(workflowId).toBe(`${id}/question-1/settled/delivery`);
  });
});

describe('while a notification is in flight', () => {
  const slack = recorder('slack');
  const webhook = recorder('webhook');
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script,
      senders: [slack.channel, webhook.channel],
      frontMatter: 'questions: { notify: [slack:#ops] }',
    });
  });
  afterAll(() => p.stop());
  const held = async (more: object = {}) => {
    const release = slack.hold();
    const id = await p.startConversation('Hello', more);
    await slack.until('send', id);
    await p.waitForQuestion(id);
    return { id, release };
  };

  it('a cancel takes effect at once, and the end is delivered once', async () => {
    const { id, release } = await held({ callbackUrl: CALLBACK });
    await webhook.until('send', id);
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    expect((await p.getConversation(id)).status).toBe('cancelled');
    expect((await p.answer(id, { answer: 'A' })).status).toBe(409);
    release();
    await webhook.until('end', id);
    await p.client.workflow.getHandle(id).result();
    await slack.until('settle', id);
    expect(webhook.told.filter((one) => one.how === 'end' && one.id.startsWith(id))).toHaveLength(1);
  });

  it('a message that arrives before the end is processed', async () => {
    const { id, release } = await held();
    await p.answer(id, { answer: 'A' });
    // It is processed only after that.
    p.waitLimits.resultMs = WAIT_LIMITS_WITHOUT_WORKER.resultMs;
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'One more thing' });
    Object.assign(p.waitLimits, WAIT_LIMITS_WITH_WORKER);
    release();
    for (;;) {
      const { question, status } = await p.getConversation(id);
      if (question?.id === 'question-2') break;
      expect(status).not.toBe('failed');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(JSON.stringify(p.model.requests.at(-1)?.body.messages)).toContain('One more thing');
    await p.answer(id, { answer: 'B' }, 'question-2');
    await p.waitForStatus(id, 'completed');
  });
});

it('updates a copy that was in flight when the question closed and the run continued as new', async () => {
  const slack = recorder('slack');
  const { tool } = createRecordingTool();
  const long = 'x'.repeat(90_000);
  let calls = 0;
  const p = await startParley({
    tools: [...builtInTools, tool],
    senders: [slack.channel],
    frontMatter: 'tools: [write_line]\nquestions: { notify: [slack:#ops] }',
    script: (request) => {
      if (isSummaryModelRequest(request)) return replyWithText('Lines were written.');
      calls += 1;
      if (calls === 7) return replyWithQuestion('Which?', 'A', 'B');
      if (calls > 28) return replyWithText('done');
      return { text: long, calls: [{ name: 'write_line', input: { line: 'one' } }] };
    },
  });
  const release = slack.hold();
  const id = await p.startConversation();
  await slack.until('send', id);
  await p.waitForQuestion(id);
  const { runId } = await p.client.workflow.getHandle(id).describe();
  await p.answer(id, { answer: 'A' });
  for (;;) {
    if ((await p.getConversation(id)).usage.modelCalls >= 9) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  release();
  await slack.until('settle', id);
  await p.waitForStatus(id, 'completed');
  expect((await p.client.workflow.getHandle(id).describe()).runId).not.toBe(runId);
  await p.stop();
});

it('continues if a delivery of that name is already running', async () => {
  const slack = recorder('slack');
  const p = await startParley({
    script,
    senders: [slack.channel],
    frontMatter: 'questions: { notify: [slack:#ops] }',
  });
  const id = await p.startConversation();
  while ((await p.waitForQuestion(id)).notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const other = await p.client.workflow.start(DELIVERY_WORKFLOW_TYPE, {
    workflowId: `${id}/question-1/settled/delivery`,
    taskQueue: 'nobody-is-there',
    args: [[]],
  });
  await p.answer(id, { answer: 'A' });
  await p.waitForStatus(id, 'completed');
  await other.terminate();
  await p.stop();
});

it('updates copies that were posted again, and searches for those that may exist', async () => {
  const slack = recorder('slack');
  let reminders = 0;
  slack.channel.remind = async () => {
    reminders += 1;
    return { ts: 'anew' };
  };
  const p = await startParley({
    script,
    senders: [slack.channel],
    frontMatter: 'questions: { notify: [slack:#ops], remind: [1s] }',
  });
  const id = await p.startConversation();
  while ((await p.waitForQuestion(id)).notices.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(reminders).toBe(1);
  await p.answer(id, { answer: 'A' });
  await slack.until('settle', `${id}/question-1/1`);
  await slack.until('settle', `${id}/question-1/0`);
  slack.fail(new Error('cut'));
  const other = await p.startConversation('Hello', { question: { remind: [] } });
  await p.waitForQuestion(other);
  await p.answer(other, { answer: 'A' });
  slack.fail();
  expect((await slack.until('settle', other)).about).toMatchObject({ ref: {}, target: '#ops' });
  await p.waitForStatus(other, 'completed');
  await p.stop();
});

describe('a reminder', () => {
  it('follows up where the question was sent, and stands alone elsewhere', async () => {
    const slack = recorder('slack');
    const p = await startParley({
      script,
      senders: [slack.channel],
      frontMatter:
        'questions: { notify: [slack:#ops], remind: [1s], escalate: [{ after: 2s, to: maria, notify: [slack:@maria] }] }',
    });
    const id = await p.startConversation();
    const reminded = await slack.until('remind', id);
    expect(reminded.about).toMatchObject({ reason: 'reminder 1 of 1', target: '#ops', escalatedTo: [] });
    await slack.until('send', `${id}/question-1/2`);
    expect(slack.told.map(({ how, about: { target } }) => [how, target])).toEqual([
      ['send', '#ops'],
      ['remind', '#ops'],
      ['send', '@maria'],
    ]);
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'A' });
    await slack.until('settle', `${id}/question-1/0`);
    await slack.until('settle', `${id}/question-1/2`);
    await p.waitForStatus(id, 'completed');
    expect(slack.told.filter(({ how }) => how === 'settle')).toHaveLength(2);
    await p.stop();
  });
});

it('reports a channel that is not set up, and asks all the same', async () => {
  const p = await startParley({ script, frontMatter: 'questions: { notify: [slack:#ops, inbox] }' });
  const id = await p.startConversation();
  for (;;) {
    const { notices } = await p.waitForQuestion(id);
    if (notices.length === 2) {
      expect(notices.find(({ channel }) => channel === 'slack:#ops')?.what).toBe(
        'asked: could not be sent: The channel "slack" is not set up on this worker. See docs/guides/channels.md.',
      );
      expect(notices.find(({ channel }) => channel === 'inbox')?.what).toBe('asked');
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect((await p.answer(id, { answer: 'A' })).status).toBe(200);
  await p.waitForStatus(id, 'completed');
  await p.stop();
});
