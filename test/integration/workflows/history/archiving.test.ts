import type { ConversationExport } from '#contract/responses';
import type { ConversationTimeline, TimelineEntry } from '#contract/timeline';
import { type FakeS3, startFakeS3 } from '#test/support/fake-servers/s3';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { watchConversationEvents } from '#test/support/sse-client';
import { getTimelineQuery } from '#workflows/messages';

/** 100 KB as JSON. */
const STORY = 'é'.repeat(50_000);

describe('a timeline that exceeds the limit of a conversation', () => {
  let s3: FakeS3;
  let p: TestParley;
  let whenAsked = () => {};
  beforeAll(async () => {
    s3 = await startFakeS3();
    p = await startParley({
      env: { ...s3.environment, PARLEY_STORAGE: `s3://${s3.bucket}` },
      script: (request) => {
        const said = JSON.stringify(request.body.messages.at(-1));
        if (lastToolResults(request).length > 0) return replyWithText('Thank you.');
        if (!said.includes('Ask me')) return replyWithText(`Heard. ${STORY}`);
        whenAsked();
        return { ...replyWithQuestion('Which?'), text: 'é'.repeat(190_000) };
      },
    });
  });
  afterAll(async () => {
    await p.stop();
    await s3.stop();
  });

  const get = async <T>(id: string, what: string) => (await p.call<T>('GET', `/v1/conversations/${id}/${what}`)).body;
  const timeline = (id: string, after = 0) => get<ConversationTimeline>(id, `timeline?after=${after}`);
  const piecesOf = (id: string) => [...s3.objects.keys()].filter((name) => name.includes(`${id}/entries/`));

  async function sayTo(id: string, text: string): Promise<void> {
    const calls = (await p.getConversation(id)).usage.modelCalls;
    const sent = await p.call('POST', `/v1/conversations/${id}/messages`, { text });
    expect(sent.status).toBe(202);
    while ((await p.getConversation(id)).usage.modelCalls === calls) await new Promise((r) => setTimeout(r, 50));
  }

  /** A conversation of this many turns of 400 KB each. */
  async function talked(turns: number, more: object = {}): Promise<string> {
    const id = await p.startConversation(`0 ${STORY}`, more);
    await p.waitForStatus(id, 'completed');
    for (let n = 1; n < turns; n += 1) {
      await sayTo(id, `${n} ${STORY}`);
      await p.waitForStatus(id, 'completed');
    }
    return id;
  }

  /** Checks that every number that ever existed is there, in order. */
  function expectWhole({ items, truncated }: ConversationTimeline, turns: number): void {
    expect(truncated).toBeUndefined();
    expect(items.map(({ id }) => id)).toEqual(items.map((_, at) => at + 1));
    const said = items.flatMap((entry: TimelineEntry) =>
      entry.kind === 'message' && entry.role === 'user' ? [Number.parseInt(entry.text, 10)] : [],
    );
    expect(said.slice(0, turns)).toEqual(Array.from({ length: turns }, (_, n) => n));
  }

  it('is shown in full: timeline, export, and a stream resumed far back', async () => {
    const id = await talked(9);
    const all = await timeline(id);
    expectWhole(all, 9);
    expect(JSON.stringify(all.items).length).toBeGreaterThan(900_000);
    expect(piecesOf(id).length).toBeGreaterThan(0);
    const state = (await p.client.workflow.getHandle(id).result()) as { entries: TimelineEntry[] };
    expect(state.entries.length).toBeLessThan(all.items.length);

    expect((await timeline(id, 3)).items).toEqual(all.items.slice(3));
    const exported = await get<ConversationExport>(id, 'export');
    expect([exported.timeline, exported.truncated]).toEqual([all.items, undefined]);
    const stream = await fetch(`${p.url}/v1/conversations/${id}/events`, {
      headers: { 'last-event-id': '2' },
    });
    const numbers = [...(await stream.text()).matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(all.items.slice(2).map(({ id: number }) => number));

    // Without access to the storage, the reply is marked truncated, and has the rest.
    s3.deny(true);
    const partial = await timeline(id);
    s3.deny(false);
    expect(partial).toEqual({ items: state.entries, truncated: true });
  });

  it('delays no answer while it is being archived', async () => {
    const id = await talked(4);
    const { hold, release } = createLatch();
    whenAsked = () => s3.holdWrites(hold);
    expect(piecesOf(id)).toEqual([]);
    await sayTo(id, `4 Ask me ${STORY}`);
    await p.waitForQuestion(id);
    expect((await p.answer(id, { answer: 'That one' })).status).toBe(200);
    release();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('Thank you.');
    expect(piecesOf(id).length).toBeGreaterThan(0);
    const { items: all, truncated } = await timeline(id);
    expect([truncated, all[0]?.id, all.at(-1)]).toEqual([
      undefined,
      1,
      expect.objectContaining({ status: 'completed' }),
    ]);
    const { items } = await get<{ items: { status: string }[] }>(id, 'questions');
    expect(items.map(({ status }) => status)).toEqual(['answered']);
  });

  it('delays no deadline while it is being archived', async () => {
    const id = await talked(3, { question: { timeout: '1s' } });
    const { hold, release } = createLatch();
    whenAsked = () => s3.holdWrites(hold);
    await sayTo(id, `3 Ask me ${STORY}`);
    while ((await get<{ status: string }>(id, 'questions/latest')).status !== 'timed_out')
      await new Promise((r) => setTimeout(r, 50));
    expect(await pendingIn(id)).toHaveLength(1);
    release();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('Thank you.');
  });

  it('is streamed in full for a run that was ended from outside, too', async () => {
    const id = await talked(4);
    await sayTo(id, `4 Ask me ${STORY}`);
    await p.waitForQuestion(id);
    const handle = p.client.workflow.getHandle(id);
    while (!(await handle.query(getTimelineQuery)).archivedChunks) await new Promise((r) => setTimeout(r, 50));
    await handle.terminate('by hand');
    const { items, truncated } = await timeline(id);
    expect([truncated, items[0]?.id]).toEqual([undefined, 1]);
    const stream = await watchConversationEvents(p.url, id, 1);
    await stream.closed;
    const numbers = stream.events.flatMap((event) => ('id' in event ? [event.id] : []));
    expect(numbers).toEqual(items.slice(1).map(({ id: number }) => number));
  });

  it('is dropped if the storage stays down for six attempts, not counting time without a worker', async () => {
    const id = await talked(4);
    s3.deny(true, { status: 503, code: 'ServiceUnavailable' });
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: `4 Ask me ${STORY}` });
    while (!(await pendingIn(id)).some(({ lastFailure }) => lastFailure)) await new Promise((r) => setTimeout(r, 50));
    const { runId } = await p.client.workflow.getHandle(id).describe();
    await hurry(id);
    await p.waitForQuestion(id);
    while ((await pendingIn(id)).length > 0) await new Promise((r) => setTimeout(r, 50));
    s3.deny(false);
    const { events } = await p.client.workflow.getHandle(id, runId).fetchHistory();
    const kept = events?.find(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'archiveEntries',
    );
    const timeout = kept?.activityTaskScheduledEventAttributes?.scheduleToCloseTimeout;
    const tries = events?.flatMap(({ activityTaskStartedEventAttributes: started }) =>
      Number(started?.scheduledEventId) === Number(kept?.eventId) ? [started?.attempt] : [],
    );
    expect([Number(timeout?.seconds ?? 0), tries]).toEqual([0, [6]]);
    expect([200, 202]).toContain((await p.answer(id, { answer: 'That one' })).status);
    expect((await p.waitForStatus(id, 'completed')).result).toBe('Thank you.');
    const { items, truncated } = await timeline(id);
    expect([truncated, piecesOf(id)]).toEqual([true, []]);
    expect(items.at(-1)).toMatchObject({ kind: 'status', status: 'completed' });
  });

  const pendingIn = async (id: string) =>
    ((await p.client.workflow.getHandle(id).describe()).raw.pendingActivities ?? []).filter(
      ({ activityType }) => activityType?.name === 'archiveEntries',
    );

  /** Shortens the pauses between attempts, which are meant for storages. */
  async function hurry(id: string): Promise<void> {
    await p.client.workflowService.updateActivityOptions({
      namespace: p.client.options.namespace,
      execution: { workflowId: id },
      type: 'archiveEntries',
      activityOptions: {
        retryPolicy: { initialInterval: { nanos: 1_000_000 }, maximumInterval: { nanos: 1_000_000 } },
      },
      updateMask: { paths: ['retryPolicy.initialInterval', 'retryPolicy.maximumInterval'] },
    });
  }

  it('loses its oldest part, and says so, if the storage denies access; the conversation continues', async () => {
    s3.deny(true);
    const id = await talked(7);
    // A chunk in flight may still be stored later.
    expect(piecesOf(id)).toEqual([]);
    s3.deny(false);
    const { items, truncated } = await timeline(id);
    expect(truncated).toBe(true);
    expect(items.at(0)?.id).toBeGreaterThan(1);
    expect(items.at(-1)).toMatchObject({ kind: 'status', status: 'completed' });
  });
});
