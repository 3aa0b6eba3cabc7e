import { AsyncLocalStorage } from 'node:async_hooks';
import { GRPC_STATUS } from './errors';
import { createStatusInterceptor, type GrpcInterceptor } from './grpc-interceptor';

/** A write failed after an attempt of it was sent, so Temporal may have accepted it. */
export class OutcomeUnknownError extends Error {}

const writes = new AsyncLocalStorage<{ wasSent: boolean }>();

/** Makes a call that changes something, and tells a failure that changed nothing from one that may have. */
export async function withKnownOutcome<T>(call: () => Promise<T>): Promise<T> {
  const write = { wasSent: false };
  try {
    return await writes.run(write, call);
  } catch (error) {
    throw write.wasSent ? new OutcomeUnknownError('The write was sent.', { cause: error }) : error;
  }
}

/** Hands the write to its attempts: a retry runs in another async context. Goes before the interceptor that retries. */
export const markWrites: GrpcInterceptor = (options, nextCall) =>
  nextCall({ ...options, write: writes.getStore() } as never) as ReturnType<GrpcInterceptor>;

/** Notes each attempt that was sent and got no reply. Goes after the interceptor that retries. */
export const noteSentWrites = createStatusInterceptor((options) => {
  const { write } = options as { write?: { wasSent: boolean } };
  return (
    write &&
    ((status) => {
      if (hasNoReply(status)) write.wasSent = true;
    })
  );
});

const NO_REPLY_CODES: number[] = [GRPC_STATUS.DEADLINE_EXCEEDED, GRPC_STATUS.UNAVAILABLE, GRPC_STATUS.CANCELLED];
const NOT_SENT = /^No connection established|Name resolution failed|waiting for (metadata filters|LB pick)/i;

/** Whether an attempt was sent and then lost. Without a connection nothing was sent. */
export function hasNoReply({ code, details }: { code: number; details: string }): boolean {
  return NO_REPLY_CODES.includes(code) && !NOT_SENT.test(details);
}
