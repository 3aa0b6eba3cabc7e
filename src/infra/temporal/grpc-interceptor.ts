import type { ConnectionOptions } from '@temporalio/client';

export type GrpcInterceptor = NonNullable<ConnectionOptions['interceptors']>[number];

type CallOptions = Parameters<GrpcInterceptor>[0];
type StatusObserver = (status: { code: number; details: string }) => void;

/** Creates an interceptor that calls `observe` when a call starts, and what that returns with the call's status. */
export function createStatusInterceptor(
  observe: (options: CallOptions) => StatusObserver | undefined,
): GrpcInterceptor {
  return (options, nextCall) => {
    // The types ask for a class of grpc-js, but only this interface is called.
    const call = nextCall(options) as ReturnType<GrpcInterceptor>;
    const start = call.start.bind(call);
    call.start = (metadata, listener) => {
      const onStatus = observe(options);
      start(metadata, {
        onReceiveMetadata: (received) => listener?.onReceiveMetadata?.(received),
        onReceiveMessage: (message) => listener?.onReceiveMessage?.(message),
        onReceiveStatus(status) {
          onStatus?.(status);
          listener?.onReceiveStatus?.(status);
        },
      });
    };
    return call;
  };
}
