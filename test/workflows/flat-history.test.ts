import { temporal } from '@temporalio/proto';
import { builtIn } from '../../src/tools/registry';
import { diary } from '../helpers/diary';
import { type Parley, parley } from '../helpers/parley';
import { ask, lastToolResults, use } from '../helpers/scripted-model';

/** The last turn that is looked at: a proof takes 1,000 (`PARLEY_TURNS=1000`), every day a hundred will do. */
const TURNS = Number(process.env.PARLEY_TURNS ?? 100);
const AROUND = 5;

const { HistoryEvent } = temporal.api.history.v1;
type Event = temporal.api.history.v1.IHistoryEvent;

/** A turn: a tool is used, a question asked, and answered with a word of comment. */
describe('the history of a long conversation', () => {
  const { tool } = diary();
  const words = 'What this is about, and what hangs on it. '.repeat(15);
  let p: Parley;

  beforeAll(async () => {
    p = await parley({
      tools: [...builtIn, tool],
      policy: 'questions: { perTurn: 1000, perConversation: 10000 }',
      script: (request) => {
        const isTold = lastToolResults(request).some(({ text }) => text.includes('comment'));
        const isNew = request.body.messages.length === 1;
        if (isTold || isNew) return use({ name: 'write_line', input: { line: words.repeat(3) } });
        return ask({ question: words, options: [{ label: 'A' }, { label: 'B' }] });
      },
    });
  });
  afterAll(() => p.stop());

  async function histories(id: string): Promise<Event[][]> {
    const runs: Event[][] = [];
    let run: string | undefined = (await p.client.workflow.getHandle(id).describe()).raw.workflowExecutionInfo
      ?.firstRunId as string;
    while (run) {
      const { events }: { events?: Event[] | null } = await p.client.workflow
        .getHandle(id, run)
        .fetchHistory();
      runs.push(events ?? []);
      run = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
    }
    return runs;
  }

  const bytesOf = (event: Event) => HistoryEvent.encode(event).finish().length;
  const isCarried = (event: Event) =>
    Boolean(
      event.workflowExecutionStartedEventAttributes ?? event.workflowExecutionContinuedAsNewEventAttributes,
    );

  it(
    `grows by as much at turn ${TURNS} as at turn 10`,
    async () => {
      const id = await p.start('Begin');
      for (let turn = 1; turn <= TURNS + AROUND; turn += 1) {
        const question = `question-${turn}`;
        while ((await p.question(id)).id !== question);
        const { status } = await p.answer(id, { answer: 'A', comment: `comment ${turn}` }, question);
        expect(status).toBe(200);
        // A message now and then: so many calls of the model for one are a loop.
        if (turn % 50 === 0) await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
      }
      const runs = await histories(id);
      const turns: { events: number; bytes: number }[] = [{ events: 0, bytes: 0 }];
      let carried = 0;
      for (const event of runs.flat()) {
        if (isCarried(event)) carried += bytesOf(event);
        else {
          const turn = turns.at(-1) as (typeof turns)[number];
          turn.events += 1;
          turn.bytes += bytesOf(event);
        }
        if (event.workflowExecutionSignaledEventAttributes?.signalName === 'answerQuestion')
          turns.push({ events: 0, bytes: 0 });
      }
      const around = (turn: number, what: 'events' | 'bytes') => {
        const near = turns
          .slice(turn - AROUND, turn + AROUND)
          .map((one) => one[what])
          .sort((a, b) => a - b);
        return near[Math.floor(near.length / 2)] ?? 0;
      };
      const marks = [10, 100, 1_000].filter((turn) => turn <= TURNS);
      for (const turn of marks)
        console.log(`turn ${turn}: ${around(turn, 'events')} events, ${around(turn, 'bytes')} bytes`);
      const total = turns.reduce((sum, { bytes }) => sum + bytes, 0);
      console.log(
        `${turns.length} turns in ${runs.length} runs: ${total} bytes, and ${carried} carried over by roll-overs (${((100 * carried) / total).toFixed(1)} %)`,
      );
      for (const what of ['events', 'bytes'] as const) {
        const ratio = around(marks.at(-1) ?? 10, what) / around(10, what);
        expect(ratio).toBeGreaterThan(0.8);
        expect(ratio).toBeLessThan(1.2);
      }
    },
    60_000 + TURNS * 2_000,
  );
});
