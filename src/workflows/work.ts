import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import { end } from '../core/ending';
import { serverOf } from '../core/permission';
import { type Call, isFinished, type State } from '../core/state';
import { transcript } from '../core/transcript';
import { hear, take } from '../core/turn';
import { think, useTool, useToolOnce } from './activities';
import { transcripts } from './hand-over';

/** Ask the model what comes next. It reads the transcript from the run itself, so each message is in history once. */
export async function callModel(state: State, messages: number): Promise<void> {
  try {
    const call = { messages, at: state.lastEntry };
    transcripts.handOver(call, { agent: state.agent, messages: transcript(state, messages) });
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

/** Run a tool outside. What goes wrong with it is for the model to read, and the conversation goes on. */
export async function runTool(state: State, call: Call & { run: 'activity' }, input: unknown): Promise<void> {
  const use = call.once ? useToolOnce : useTool;
  const mcp = serverOf(state.agent, call.name);
  try {
    const done = await unlessEnded(state, () =>
      use.executeWithOptions({ summary: call.name }, [
        { id: call.id, name: call.name, input, ...(mcp ? { mcp } : {}) },
      ]),
    );
    if (!isFinished(state))
      take(state, call, done ?? { error: 'The result could not be read back.' }, Date.now());
  } catch (error) {
    if (isFinished(state)) return;
    const { message } = readable(
      error,
      'tool_failed',
      `${call.name} did not come to an end and may have run in part`,
    );
    take(state, call, { error: message }, Date.now());
  }
}

/** The work's outcome; nothing if the conversation was cancelled meanwhile, which cancels the work too. */
async function unlessEnded<T>(state: State, work: () => Promise<T>): Promise<T | undefined> {
  const scope = new CancellationScope({ cancellable: true });
  let done = false;
  void condition(() => done || isFinished(state)).then(() => done || scope.cancel());
  try {
    return await scope.run(work);
  } catch (error) {
    if (isCancellation(error) && isFinished(state)) return undefined;
    throw error;
  } finally {
    done = true;
  }
}

function readable(error: unknown, code: string, otherwise: string): { code: string; message: string } {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return { code: cause.type ?? code, message: cause.message };
  return { code, message: `${otherwise}: ${cause instanceof Error ? cause.message : String(cause)}` };
}
