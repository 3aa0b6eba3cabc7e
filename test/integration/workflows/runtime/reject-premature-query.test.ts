import { collectReplayReport, loadCurrentWorkflowCode, replayHistories } from '#cli/admin/replay/replay-histories';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { getTimelineQuery, isRetryableQueryError } from '#workflows/messages';

/** A worker may get a query and a task at once, in either order. Of this many, some get the query first. */
const CONVERSATIONS = 16;

describe('queries that waited for a worker while reminders were due', () => {
  let p: TestParley;
  let ids: string[];
  let asked: Promise<unknown>[];
  beforeAll(async () => {
    p = await startParley({
      ownWorker: true,
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
      frontMatter: 'questions: { timeout: 1h, remind: [5s] }',
    });
    ids = await Promise.all(Array.from({ length: CONVERSATIONS }, () => p.startConversation()));
    for (const id of ids) await p.waitForQuestion(id);
    await p.stopWorker();
    asked = ids.map((id) => handleOf(id).query(getTimelineQuery));
    // Rejections are checked later.
    for (const told of asked) told.catch(() => undefined);
    for (const id of ids) await eventually(async () => expect(await hasFired(id)).toBe(true));
  });
  afterAll(() => p.stop());

  const handleOf = (id: string) => p.client.workflow.getHandle(id);
  const hasFired = async (id: string) => {
    const { events } = await handleOf(id).fetchHistory();
    return events?.some(({ timerFiredEventAttributes }) => timerFiredEventAttributes);
  };
  const replayed = async () => {
    const cases = ids.map(async (id) => ({ id, history: await handleOf(id).fetchHistory() }));
    const { encryption } = p.config.temporal;
    return collectReplayReport(replayHistories(await Promise.all(cases), await loadCurrentWorkflowCode(encryption)));
  };

  it('do not hold up a deploy: events that no task has processed replay', async () => {
    expect(await replayed()).toMatchObject({ replayed: CONVERSATIONS, broken: [] });
  });

  it('leave it to the task to process events, so that a replay decides the same', async () => {
    await p.startWorker();
    for (const told of await Promise.allSettled(asked)) {
      if (told.status === 'rejected') expect(isRetryableQueryError(told.reason)).toBe(true);
    }
    for (const id of ids) {
      await eventually(async () => {
        const { items } = await handleOf(id).query(getTimelineQuery);
        expect(items.filter(({ kind }) => kind === 'notice')).toHaveLength(1);
      });
    }
    expect(await replayed()).toMatchObject({ replayed: CONVERSATIONS, broken: [] });
  });
});
