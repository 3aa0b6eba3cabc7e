import { type Context, type RunningScriptInNewContextOptions, Script } from 'node:vm';
import { workerData } from 'node:worker_threads';
import { openSharedCallState } from './shared-state';

/** What a watched thread is given. */
export interface InstrumentedThreadData {
  memory: SharedArrayBuffer;
  /** What the thread is there for. */
  file: string;
}

/** The arguments of the call that the SDK is about to make; where runs share a context, whose call it is comes with them. */
interface CallContext extends Context {
  __temporal_args?: unknown[];
}

/**
 * The thread that workflows run in. For each call into one the SDK asks Node for a limit in time, and Node starts and ends a
 * thread of its own to keep it. Here the call is marked in shared memory instead, which costs next to nothing, and whoever
 * made this thread looks there now and then.
 */
function instrumentCalls(memory: SharedArrayBuffer): void {
  const marks = openSharedCallState(memory);
  const ids = new WeakMap<object, string>();
  const idIn = (context: CallContext): string => {
    const { __temporal_args: given = [] } = context;
    const [holder, , shared] = given as [object, unknown, unknown];
    const [owner, [first]] = Array.isArray(shared) ? [holder, shared] : [context, given];
    const id = (first as { info?: { workflowId?: string } } | undefined)?.info?.workflowId;
    if (id) ids.set(owner, id);
    return ids.get(owner) ?? '';
  };
  const run = Script.prototype.runInContext;
  // The SDK knows by that name where a workflow's stack begins, and shows nothing from there on.
  Object.defineProperty(Script.prototype, 'runInContextAsItIs', { value: run });
  Script.prototype.runInContext = function (
    context: Context,
    { timeout, ...options }: RunningScriptInNewContextOptions = {},
  ): unknown {
    if (timeout === undefined) return run.call(this, context, options);
    marks.enter(idIn(context));
    try {
      return run.call(this, context, options);
    } finally {
      marks.leave();
    }
  };
}

const { memory, file } = workerData as InstrumentedThreadData;
instrumentCalls(memory);
require(file);
