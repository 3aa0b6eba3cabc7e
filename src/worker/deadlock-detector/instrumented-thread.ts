import { type Context, type RunningScriptInNewContextOptions, Script } from 'node:vm';
import { getEnvironmentData } from 'node:worker_threads';
import { type InstrumentedThreadData, openSharedCallState, THREAD_DATA_KEY } from './shared-state';

/** The arguments of the call that the SDK is about to make; where runs share a context, they include the run. */
interface CallContext extends Context {
  __temporal_args?: unknown[];
}

/**
 * Instruments the thread that workflows run in. The SDK passes Node a timeout for each call into a workflow, for which Node
 * starts and ends a thread. Here the call is recorded in shared memory instead, which costs next to nothing, and the thread
 * that created this one checks it periodically.
 */
function instrumentCalls(memory: SharedArrayBuffer): void {
  const callState = openSharedCallState(memory);
  const workflowIds = new WeakMap<object, string>();
  const workflowIdOf = (context: CallContext): string => {
    const { __temporal_args: args = [] } = context;
    const [holder, , shared] = args as [object, unknown, unknown];
    const [owner, [first]] = Array.isArray(shared) ? [holder, shared] : [context, args];
    const id = (first as { info?: { workflowId?: string } } | undefined)?.info?.workflowId;
    if (id) workflowIds.set(owner, id);
    return workflowIds.get(owner) ?? '';
  };
  const runInContext = Script.prototype.runInContext;
  // The SDK cuts workflow stack traces at a function of this name.
  Object.defineProperty(Script.prototype, 'runInContextAsItIs', { value: runInContext });
  Script.prototype.runInContext = function (
    context: Context,
    { timeout, ...options }: RunningScriptInNewContextOptions = {},
  ): unknown {
    if (timeout === undefined) return runInContext.call(this, context, options);
    callState.enter(workflowIdOf(context));
    try {
      return runInContext.call(this, context, options);
    } finally {
      callState.leave();
    }
  };
}

const { memory, file } = getEnvironmentData(THREAD_DATA_KEY) as unknown as InstrumentedThreadData;
instrumentCalls(memory);
require(file);
