import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelRequest, Reply } from '#model/rehearsal';
import { builtIn } from '#tools/registry';
import { diary } from '#test/support/diary';
import type { Parley, Settings } from '#test/support/parley';
import { ask, isSummaryRequest, lastToolResults, say, use } from '#test/support/scripted-model';
import { getState } from '#workflows/messages';
import { RECORDED_WITH } from './recorded-with';

/** What conversations do that are built for months: they make room, roll over, keep things elsewhere, are encrypted. */
type Play = (p: Parley) => Promise<string>;
const { tool } = diary();
const givingBack = (text: string): Settings['tools'] => [
  ...builtIn,
  { ...tool, running: { as: 'activity', once: false, use: async () => text } },
];
const write = { name: 'write_line', input: { line: 'one' } };
const place = (name: string) => `file://${path.join(tmpdir(), 'parley-recordings', name)}`;
const STORED = { PARLEY_STORAGE: place('storage') };
const ENCRYPTED = { PARLEY_ENCRYPTION_KEYS: RECORDED_WITH };

const textOf = ({ body }: ModelRequest) => JSON.stringify(body.messages);
const isAnswered = (request: ModelRequest) =>
  lastToolResults(request).some(({ text }) => text.includes('Enough?'));

/** Works for so many steps, then asks, then is done. Steps are told by a count: what it reads is cut short on the way. */
function working(steps: number, step: () => Reply, ...asking: Reply[]): Settings['script'] {
  let count = 0;
  return (request) => {
    if (isSummaryRequest(request)) return say('SUMMARY');
    if (isAnswered(request)) return say('done');
    count += 1;
    return count > steps ? (asking[0] ?? ask('Enough?', 'Yes', 'No')) : step();
  };
}

export const parked: Play = async (p) => {
  const id = await p.start();
  await p.question(id);
  return id;
};
const answered: Play = async (p) => {
  const id = await parked(p);
  await p.answer(id, { answer: 'Yes' });
  await p.until(id, 'completed');
  return id;
};
/** The play, and that what it is for has come about. */
const seeing =
  (play: Play, isSeen: (request: ModelRequest) => boolean): Play =>
  async (p) => {
    const id = await play(p);
    if (!p.model.requests.some(isSeen)) throw new Error('what this is to be a recording of did not happen');
    return id;
  };
const runsOf = async (p: Parley, id: string) => {
  const [begun] = (await p.client.workflow.getHandle(id).fetchHistory()).events ?? [];
  return begun?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ? 'several' : 'one';
};
const rolledOver =
  (play: Play): Play =>
  async (p) => {
    const id = await play(p);
    if ((await runsOf(p, id)) === 'one') throw new Error('it did not roll over');
    return id;
  };

const PAGE = 'A line that the agent reads or says on its way. '.repeat(80);
const small = { policy: 'contextWindow: 12000\nmaxTokens: 2000', window: 12_000 };
const trimming = (): Settings => ({ ...small, tools: givingBack(PAGE), script: working(12, () => use(write)) });
const summarising = (): Settings => ({
  ...small,
  tools: givingBack('wrote it'),
  script: working(12, () => ({ text: PAGE, calls: [write] })),
});
const isTrimmed = (request: ModelRequest) => textOf(request).includes('was taken out to make room');

const LONG = 'x'.repeat(150_000);
export const rollingOver = (more: Settings = {}): Settings => ({
  tools: givingBack('wrote it'),
  script: working(14, () => ({ text: LONG, calls: [write] })),
  ...more,
});

/** Asks first, and rolls over with what it does after the answer. */
export const rollingOverLater = (): Settings => {
  const work = rollingOver().script;
  let isAsked = false;
  return {
    ...rollingOver(),
    script: (request, index) => {
      const isFirst = !isAsked;
      isAsked = true;
      if (isFirst) return use({ name: 'ask_user_question', input: { questions: [{ question: 'Begin?' }] } });
      return work?.(request, index) ?? say('done');
    },
  };
};

/** Junk does nothing, but it has to be read, and takes its room in the history: so it rolls over with its question open. */
const rolledOverParked: Play = async (p) => {
  const id = await parked(p);
  for (let sent = 0; (await runsOf(p, id)) === 'one'; sent += 1) {
    if (sent > 80) throw new Error('it did not roll over');
    const junk = { answers: { q1: randomBytes(75_000).toString('base64') } };
    await p.client.workflow.getHandle(id).signal('answerQuestion', junk);
  }
  // Only a run that has begun can say so.
  await p.client.workflow.getHandle(id).query(getState);
  return id;
};
const keptEntries =
  (play: Play): Play =>
  async (p) => {
    const isKeeping = async (id: string) =>
      ((await p.client.workflow.getHandle(id).fetchHistory()).events ?? []).some(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'keepEntries',
      );
    const id = await play(p);
    if (!(await isKeeping(id))) throw new Error('no entries were kept elsewhere');
    return id;
  };
const storing = () => rollingOver({ env: STORED });

const BOOK = 'A page of a book. '.repeat(4_000);
const keeping = (): Settings => {
  const reading = (request: ModelRequest) => {
    const handle = /"(r-[0-9a-f]{12})\\?"/.exec(textOf(request))?.[1];
    return use({ name: 'read_result', input: { handle, find: 'book' } });
  };
  const script: Settings['script'] = (request) => {
    const [heard] = lastToolResults(request);
    if (!heard) return use(write);
    if (heard.text.startsWith('[Kept in full')) return reading(request);
    return isAnswered(request) ? say('done') : ask('Enough?', 'Yes', 'No');
  };
  return { tools: givingBack(BOOK), env: STORED, script };
};
const isKept = (request: ModelRequest) => textOf(request).includes('[Found');

const asking = (env: Record<string, string>): Settings => ({ env, script: working(0, () => say('')) });

export const months: [string, Settings, Play][] = [
  ['trimmed-and-parked', trimming(), seeing(parked, isTrimmed)],
  ['trimmed-and-answered', trimming(), seeing(answered, isTrimmed)],
  ['summarised-and-parked', summarising(), seeing(parked, isSummaryRequest)],
  ['summarised-and-answered', summarising(), seeing(answered, isSummaryRequest)],
  ['rolled-over', rollingOver(), rolledOver(parked)],
  ['parked-with-entries-kept', storing(), keptEntries(parked)],
  ['rolled-over-while-parked', asking({}), rolledOverParked],
  ['rolled-over-while-parked-with-entries-kept', storing(), rolledOverParked],
  ['parked-with-a-kept-result', keeping(), seeing(parked, isKept)],
  ['answered-with-a-kept-result', keeping(), seeing(answered, isKept)],
  ['exported', asking({ PARLEY_EXPORTS: place('exports') }), answered],
  ['encrypted-parked', asking(ENCRYPTED), parked],
  ['encrypted-answered', asking(ENCRYPTED), answered],
  ['encrypted-trimmed-and-parked', { ...trimming(), env: ENCRYPTED }, seeing(parked, isTrimmed)],
];
