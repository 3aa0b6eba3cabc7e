import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import type { TestParley, TestParleySettings } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { lastToolResults, isSummaryModelRequest, replyWithText, replyWithQuestion, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';
import { getStateQuery } from '#workflows/messages';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Encrypts histories whose file name says `encrypted`. Public, so that they can always be replayed. */
export const RECORDING_ENCRYPTION_KEY = `recorded:${Buffer.alloc(32, 'histories').toString('base64')}`;

export const isEncryptedRecording = (file: string) => /-encrypted-[^/]*$/.test(file);

/** Conversations that last for months: compaction, continue-as-new, archiving and encryption. */
type LongRunningScenario = (p: TestParley) => Promise<string>;
const { tool } = createRecordingTool();
const toolsReturning = (text: string): TestParleySettings['tools'] => [
  ...builtInTools,
  { ...tool, execution: { kind: 'activity', runOnce: false, execute: async () => text } },
];
const writeCall = { name: 'write_line', input: { line: 'one' } };
const folderUrl = (name: string) => `file://${path.join(tmpdir(), 'parley-recordings', name)}`;
const STORAGE_VARIABLES = { PARLEY_STORAGE: folderUrl('storage') };
const ENCRYPTION_VARIABLES = { PARLEY_ENCRYPTION_KEYS: RECORDING_ENCRYPTION_KEY };

const requestText = ({ body }: ModelRequest) => JSON.stringify(body.messages);
const isAnswered = (request: ModelRequest) =>
  lastToolResults(request).some(({ text }) => text.includes('Enough?'));

/**
 * Takes this many steps, then asks, then ends. Steps are counted here, since the transcript is shortened on the way.
 */
function workThenAsk(steps: number, step: () => ScriptedReply, ...asking: ScriptedReply[]): TestParleySettings['script'] {
  let count = 0;
  return (request) => {
    if (isSummaryModelRequest(request)) return replyWithText('SUMMARY');
    if (isAnswered(request)) return replyWithText('done');
    count += 1;
    return count > steps ? (asking[0] ?? replyWithQuestion('Enough?', 'Yes', 'No')) : step();
  };
}

export const parkConversationOnQuestion: LongRunningScenario = async (p) => {
  const id = await p.startConversation();
  await p.waitForQuestion(id);
  return id;
};
const answerAndComplete: LongRunningScenario = async (p) => {
  const id = await parkConversationOnQuestion(p);
  await p.answer(id, { answer: 'Yes' });
  await p.waitForStatus(id, 'completed');
  return id;
};
/** The scenario, and a check that its subject happened. */
const expectingRequest =
  (play: LongRunningScenario, isSeen: (request: ModelRequest) => boolean): LongRunningScenario =>
  async (p) => {
    const id = await play(p);
    if (!p.model.requests.some(isSeen)) throw new Error('what this is to be a recording of did not happen');
    return id;
  };
const describeRuns = async (p: TestParley, id: string) => {
  const [begun] = (await p.client.workflow.getHandle(id).fetchHistory()).events ?? [];
  return begun?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ? 'several' : 'one';
};
const expectingContinueAsNew =
  (play: LongRunningScenario): LongRunningScenario =>
  async (p) => {
    const id = await play(p);
    if ((await describeRuns(p, id)) === 'one') throw new Error('it did not roll over');
    return id;
  };

const PAGE = 'A line that the agent reads or says on its way. '.repeat(80);
const smallWindow = { frontMatter: 'contextWindow: 12000\nmaxTokens: 2000', contextWindow: 12_000 };
const trimmingSettings = (): TestParleySettings => ({ ...smallWindow, tools: toolsReturning(PAGE), script: workThenAsk(12, () => replyWithToolCalls(writeCall)) });
const summarisingSettings = (): TestParleySettings => ({
  ...smallWindow,
  tools: toolsReturning('wrote it'),
  script: workThenAsk(12, () => ({ text: PAGE, calls: [writeCall] })),
});
const isTrimmed = (request: ModelRequest) => requestText(request).includes('was removed to save space');

const LONG = 'x'.repeat(150_000);
export const createContinueAsNewSettings = (more: TestParleySettings = {}): TestParleySettings => ({
  tools: toolsReturning('wrote it'),
  script: workThenAsk(14, () => ({ text: LONG, calls: [writeCall] })),
  ...more,
});

/** Asks first, and continues as new after the answer. */
export const createLateContinueAsNewSettings = (): TestParleySettings => {
  const work = createContinueAsNewSettings().script;
  let isAsked = false;
  return {
    ...createContinueAsNewSettings(),
    script: (request, index) => {
      const isFirst = !isAsked;
      isAsked = true;
      if (isFirst) return replyWithToolCalls({ name: 'ask_user_question', input: { questions: [{ question: 'Begin?' }] } });
      return work?.(request, index) ?? replyWithText('done');
    },
  };
};

/**
 * Invalid signals have no effect, but are read and fill the history, so the run continues as new with its question
 * open.
 */
const continueAsNewWhileParked: LongRunningScenario = async (p) => {
  const id = await parkConversationOnQuestion(p);
  for (let sent = 0; (await describeRuns(p, id)) === 'one'; sent += 1) {
    if (sent > 80) throw new Error('it did not roll over');
    const junk = { answers: { q1: randomBytes(75_000).toString('base64') } };
    await p.client.workflow.getHandle(id).signal('answerQuestion', junk);
  }
  // Only a run that has started can reply.
  await p.client.workflow.getHandle(id).query(getStateQuery);
  return id;
};
const expectingArchivedEntries =
  (play: LongRunningScenario): LongRunningScenario =>
  async (p) => {
    const isKeeping = async (id: string) =>
      ((await p.client.workflow.getHandle(id).fetchHistory()).events ?? []).some(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'archiveEntries',
      );
    const id = await play(p);
    if (!(await isKeeping(id))) throw new Error('no entries were kept elsewhere');
    return id;
  };
const storingSettings = () => createContinueAsNewSettings({ env: STORAGE_VARIABLES });

const BOOK = 'A page of a book. '.repeat(4_000);
const storedResultSettings = (): TestParleySettings => {
  const reading = (request: ModelRequest) => {
    const handle = /"(r-[0-9a-f]{12})\\?"/.exec(requestText(request))?.[1];
    return replyWithToolCalls({ name: 'read_result', input: { handle, find: 'book' } });
  };
  const script: TestParleySettings['script'] = (request) => {
    const [heard] = lastToolResults(request);
    if (!heard) return replyWithToolCalls(writeCall);
    if (heard.text.startsWith('[Full result saved')) return reading(request);
    return isAnswered(request) ? replyWithText('done') : replyWithQuestion('Enough?', 'Yes', 'No');
  };
  return { tools: toolsReturning(BOOK), env: STORAGE_VARIABLES, script };
};
const isStoredResultRead = (request: ModelRequest) => requestText(request).includes('[Found');

const askingSettings = (env: Record<string, string>): TestParleySettings => ({ env, script: workThenAsk(0, () => replyWithText('')) });

export const longRunningScenarios: [string, TestParleySettings, LongRunningScenario][] = [
  ['trimmed-and-parked', trimmingSettings(), expectingRequest(parkConversationOnQuestion, isTrimmed)],
  ['trimmed-and-answered', trimmingSettings(), expectingRequest(answerAndComplete, isTrimmed)],
  ['summarised-and-parked', summarisingSettings(), expectingRequest(parkConversationOnQuestion, isSummaryModelRequest)],
  ['summarised-and-answered', summarisingSettings(), expectingRequest(answerAndComplete, isSummaryModelRequest)],
  ['rolled-over', createContinueAsNewSettings(), expectingContinueAsNew(parkConversationOnQuestion)],
  ['parked-with-entries-kept', storingSettings(), expectingArchivedEntries(parkConversationOnQuestion)],
  ['rolled-over-while-parked', askingSettings({}), continueAsNewWhileParked],
  ['rolled-over-while-parked-with-entries-kept', storingSettings(), continueAsNewWhileParked],
  ['parked-with-a-kept-result', storedResultSettings(), expectingRequest(parkConversationOnQuestion, isStoredResultRead)],
  ['answered-with-a-kept-result', storedResultSettings(), expectingRequest(answerAndComplete, isStoredResultRead)],
  ['exported', askingSettings({ PARLEY_EXPORTS: folderUrl('exports') }), answerAndComplete],
  ['encrypted-parked', askingSettings(ENCRYPTION_VARIABLES), parkConversationOnQuestion],
  ['encrypted-answered', askingSettings(ENCRYPTION_VARIABLES), answerAndComplete],
  ['encrypted-trimmed-and-parked', { ...trimmingSettings(), env: ENCRYPTION_VARIABLES }, expectingRequest(parkConversationOnQuestion, isTrimmed)],
];
