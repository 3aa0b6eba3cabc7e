import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { temporal } from '@temporalio/proto';
import type { ConversationTimeline } from '#contract/timeline';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { SUMMARY_PROMPT } from '#models/prompts/summary';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

const SAMPLE_RADIUS = 5;
/** One user message allows 200 model calls, so the user sends another now and then. */
const TURNS_PER_MESSAGE = 50;

const { HistoryEvent } = temporal.api.history.v1;
type TemporalHistoryEvent = temporal.api.history.v1.IHistoryEvent;
type HistoryMeasure = 'events' | 'bytes';

const PARAGRAPH = 'What this is about, and what hangs on it. '.repeat(15);
/** Alternates between a tool call and a question. Counts them itself, as summaries replace parts of the transcript. */
function alternateToolAndQuestion(
  totalTurns: number,
  textBesideQuestion: string,
): (request: ModelRequest) => ScriptedReply {
  let questionCount = 0;
  let isWritten = false;
  return ({ body }) => {
    if (JSON.stringify(body.messages.at(-1)).includes(SUMMARY_PROMPT.slice(0, 60)))
      return replyWithText('Much was said.');
    if (questionCount === totalTurns) return replyWithText('Enough.');
    isWritten = !isWritten;
    if (isWritten) return replyWithToolCalls({ name: 'write_line', input: { line: PARAGRAPH.repeat(3) } });
    questionCount += 1;
    return {
      ...replyWithQuestion({ question: PARAGRAPH, options: [{ label: 'A' }, { label: 'B' }] }),
      text: textBesideQuestion,
    };
  };
}

/**
 * Proves that history grows steadily: compares turn `turns` with the tenth. A turn is a tool call, a question, and an
 * answer with a comment.
 */
export function proveFlatHistory(turns: number): void {
  const totalTurns = turns + SAMPLE_RADIUS;
  // Large enough to exceed the size limit of the state in total, even with few turns.
  const textBesideQuestion = PARAGRAPH.repeat(Math.max(1, Math.ceil(2_000_000 / turns / PARAGRAPH.length)));

  const { tool } = createRecordingTool();
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-turns-'));
  let p: TestParley;
  let id: string;

  beforeAll(
    async () => {
      p = await startParley({
        env: { PARLEY_STORAGE: `file://${folder}` },
        tools: [...builtInTools, tool],
        frontMatter: 'questions: { perTurn: 1000, perConversation: 10000 }',
        recordRequests: false,
        script: alternateToolAndQuestion(totalTurns, textBesideQuestion),
      });
      id = await p.startConversation('Begin');
      await answerAll();
    },
    300_000 + turns * 2_000,
  );
  afterAll(async () => {
    await p.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function answerAll(): Promise<void> {
    const step = Math.max(50, turns / 10);
    let startedAt = Date.now();
    for (let turn = 1; turn <= totalTurns; turn += 1) {
      const question = `question-${turn}`;
      await p.waitForQuestion(id, question);
      const { status } = await p.answer(id, { answer: 'A', comment: `comment ${turn}` }, question);
      expect([200, 202]).toContain(status);
      if (turn % TURNS_PER_MESSAGE === 0) await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
      if (turn % step === 0) {
        const { rss, heapUsed } = process.memoryUsage();
        const mb = (bytes: number) => Math.round(bytes / 1_000_000);
        console.log(
          `turn ${turn}: ${Math.round((Date.now() - startedAt) / step)} ms a turn, ${mb(rss)} MB of memory (${mb(heapUsed)} MB of it JavaScript's)`,
        );
        startedAt = Date.now();
      }
    }
    await p.waitForStatus(id, 'completed');
  }

  async function histories(): Promise<TemporalHistoryEvent[][]> {
    const runs: TemporalHistoryEvent[][] = [];
    let run: string | undefined = (await p.client.workflow.getHandle(id).describe()).raw.workflowExecutionInfo
      ?.firstRunId as string;
    while (run) {
      const { events }: { events?: TemporalHistoryEvent[] | null } = await p.client.workflow
        .getHandle(id, run)
        .fetchHistory();
      runs.push(events ?? []);
      run = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
    }
    return runs;
  }

  const bytesOf = (event: TemporalHistoryEvent) => HistoryEvent.encode(event).finish().length;
  const isCarried = (event: TemporalHistoryEvent) =>
    Boolean(event.workflowExecutionStartedEventAttributes ?? event.workflowExecutionContinuedAsNewEventAttributes);

  /** Returns what each turn added. What continue-as-new carried over is counted separately. */
  function turnsIn(events: TemporalHistoryEvent[]): {
    perTurn: Record<HistoryMeasure, number>[];
    carried: number;
  } {
    const perTurn = [{ events: 0, bytes: 0 }];
    let carried = 0;
    for (const event of events) {
      const turn = perTurn.at(-1) as (typeof perTurn)[number];
      if (isCarried(event)) carried += bytesOf(event);
      else {
        turn.events += 1;
        turn.bytes += bytesOf(event);
      }
      if (event.workflowExecutionSignaledEventAttributes?.signalName === 'answerQuestion')
        perTurn.push({ events: 0, bytes: 0 });
    }
    return { perTurn, carried };
  }

  it(
    `has a history that grows by as much at turn ${turns} as at turn 10`,
    async () => {
      const runs = await histories();
      const { perTurn, carried } = turnsIn(runs.flat());
      const around = (turn: number, what: HistoryMeasure) => {
        const near = perTurn
          .slice(turn - SAMPLE_RADIUS, turn + SAMPLE_RADIUS)
          .map((one) => one[what])
          .sort((a, b) => a - b);
        return near[Math.floor(near.length / 2)] ?? 0;
      };
      for (const turn of [...new Set([10, 100, 1_000, turns])].filter((mark) => mark <= turns))
        console.log(`turn ${turn}: ${around(turn, 'events')} events, ${around(turn, 'bytes')} bytes`);
      const total = perTurn.reduce((sum, { bytes }) => sum + bytes, 0);
      console.log(
        `${perTurn.length} turns in ${runs.length} runs: ${total} bytes, and ${carried} carried over by roll-overs (${((100 * carried) / total).toFixed(1)} %)`,
      );
      for (const what of ['events', 'bytes'] as const) {
        const ratio = around(turns, what) / around(10, what);
        expect(ratio).toBeGreaterThan(0.8);
        expect(ratio).toBeLessThan(1.2);
      }
    },
    300_000 + turns * 100,
  );

  it('has a timeline from its first question to its last, though its state cannot hold it', async () => {
    const { body } = await p.call<ConversationTimeline>('GET', `/v1/conversations/${id}/timeline`);
    expect(body.truncated).toBeUndefined();
    expect(body.items.map((entry) => entry.id)).toEqual([...body.items].map((entry) => entry.id).sort((a, b) => a - b));
    const comments = body.items.flatMap((entry) =>
      entry.kind === 'question' ? [entry.question.outcome?.comment] : [],
    );
    expect(comments).toEqual(Array.from({ length: totalTurns }, (_, n) => `comment ${n + 1}`));
    const state = (await p.client.workflow.getHandle(id).result()) as { entries: unknown[] };
    expect(state.entries.length).toBeLessThan(body.items.length);
    console.log(`${body.items.length} entries, ${JSON.stringify(body).length} characters`);
  });
}
