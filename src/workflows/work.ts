import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { teamFor } from '#core/delegation';
import { end } from '#core/ending';
import { serverOf, settingsOf } from '#core/permission';
import { type Call, isFinished, type State } from '#core/state';
import { take } from '#core/take';
import { transcript } from '#core/transcript';
import { hear } from '#core/turn';
import { think, useTool, useToolOnce } from './activities';
import { readable } from './failures';
import { type ModelTurn, type Reading, transcripts } from './hand-over';
import { whileNeeded } from './scope';

/** Ask the model what comes next. It reads the transcript from the run itself, so each message is in history once. */
export async function callModel(state: State, messages: number): Promise<void> {
  try {
    const call = turnOf(state, messages);
    transcripts.handOver(call, readingOf(state, messages));
    const reply = await unlessEnded(state, () => think(call));
    if (isFinished(state)) return;
    if (!reply)
      throw ApplicationFailure.create({ message: 'The reply of the model could not be read back.' });
    hear(state, reply, Date.now());
  } catch (error) {
    // Cancelled in the same task: it ended once, and that stands.
    if (isFinished(state)) return;
    const { code, message } = readable(error, 'model_unavailable', 'The model could not be reached');
    end(state, 'failed', { error: { code, message } }, Date.now());
  }
}

/** One call of the model among all of this run. */
export function turnOf({ lastEntry: at, load }: State, messages: number): ModelTurn {
  return { messages, at, ...(load?.times ? { times: load.times } : {}) };
}

/** What a call of the model at this many messages reads; without a number, all of it. */
export function readingOf(state: State, messages?: number): Reading {
  return { agent: state.agent, messages: transcript(state, messages), team: teamFor(state) };
}

/** Run a tool outside. What goes wrong with it is for the model to read, and the conversation goes on. */
export async function runTool(state: State, call: Call & { run: 'activity' }, input: unknown): Promise<void> {
  const { id, name, approval } = call;
  // One yes is for one run.
  const use = call.once || approval ? useToolOnce : useTool;
  const { seals } = state.agent;
  const settings = settingsOf(state.agent, name);
  const mcp = serverOf(state.agent, name);
  try {
    const done = await unlessEnded(state, () =>
      use.executeWithOptions({ summary: name }, [
        { id, name, input, settings, mcp, own: call.own, digest: approval?.digest, seals },
      ]),
    );
    if (!isFinished(state))
      take(state, call, done ?? { error: 'The result could not be read back.' }, Date.now());
  } catch (error) {
    if (isFinished(state)) return;
    const unfinished = `${name} did not come to an end and may have run in part`;
    const { code, message } = readable(error, 'tool_failed', unfinished);
    const isStopped = code === 'worker_stopped';
    take(state, call, { error: isStopped ? `${unfinished}: its worker was stopped.` : message }, Date.now());
  }
}

/** The work's outcome; nothing if the conversation was cancelled meanwhile, which cancels the work too. */
export async function unlessEnded<T>(state: State, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await whileNeeded(() => isFinished(state), work);
  } catch (error) {
    if (isCancellation(error) && isFinished(state)) return undefined;
    throw error;
  }
}
