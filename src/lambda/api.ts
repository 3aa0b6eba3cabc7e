import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'aws-lambda';
import { type RunningApi, startApi } from '#api/main';
import type { StreamHubOptions } from '#api/streaming/hub';
import { createLog } from '#infra/log';
import { readPackageVersion } from '#infra/package-info';
import { createTracing } from '#infra/telemetry/tracing';
import {
  forwardToApi,
  type LambdaHttpEvent,
  type LambdaResponse,
  toLambdaHttpRequest,
  toLambdaResponse,
  toLambdaResponseHead,
} from './http-event';
import { createWorkerInvoker, isWorkerNeeded } from './invoke-worker';
import { readLambdaConfig } from './lambda-config';

const config = readLambdaConfig({ PARLEY_API_KEYS: 'a function is reached from everywhere' });
const log = createLog(config.logLevel);
const wakeWorker = createWorkerInvoker(config.wake, log);
const tracing = createTracing(config.tracing, readPackageVersion(), log);

/** Nothing of a buffered response arrives before its end: what there is, or the first news within this long. */
const BUFFERED_LIMITS: Partial<StreamHubOptions> = { isBrief: true, lastingMs: 10_000 };
/** Within the time that the function has, so that it ends in good order. */
const STREAMED_LIMITS: Partial<StreamHubOptions> = { lastingMs: 50_000 };

/** One API for all invocations of this process, begun by the first: only that knows the address people call it by. */
let runningApi: Promise<RunningApi> | undefined;

function getApi({ requestContext }: LambdaHttpEvent, pace: Partial<StreamHubOptions>): Promise<RunningApi> {
  const publicUrl = config.publicUrl ?? `https://${requestContext.domainName}`;
  // The one hop before it is the handler, which says who calls.
  const own = { ...config, host: '127.0.0.1', port: 0, proxies: 1, publicUrl };
  runningApi ??= startApi(own, log, { pace, tracing }).catch((error) => {
    runningApi = undefined;
    throw error;
  });
  return runningApi;
}

async function handleEvent(event: LambdaHttpEvent, context: Context, pace: Partial<StreamHubOptions>) {
  const { localUrl } = await getApi(event, pace);
  return forwardToApi(localUrl, toLambdaHttpRequest(event, context));
}

/** What was begun is gone on with, before the process is frozen. */
async function wakeWorkerAfter({ requestContext, rawPath }: LambdaHttpEvent, { statusCode = 500 }: IncomingMessage) {
  if (isWorkerNeeded(requestContext.http.method, rawPath, statusCode)) await wakeWorker();
}

/** For an HTTP API, or a Function URL whose invoke mode is BUFFERED. */
export async function handler(event: LambdaHttpEvent, context: Context): Promise<LambdaResponse> {
  const response = await handleEvent(event, context, BUFFERED_LIMITS);
  const [reply] = await Promise.all([toLambdaResponse(response), wakeWorkerAfter(event, response)]);
  await tracing?.flush();
  return reply;
}

async function streamResponse(
  event: LambdaHttpEvent,
  body: awslambda.HttpResponseStream,
  context: Context,
): Promise<void> {
  const response = await handleEvent(event, context, STREAMED_LIMITS);
  const out = awslambda.HttpResponseStream.from(body, { ...toLambdaResponseHead(response) });
  // The head goes out with the first write, which a reply without a body would never make.
  out.write('');
  // Whoever leaves a stream is no fault of ours; the API hears of it.
  await Promise.all([pipeline(response, out).catch(() => undefined), wakeWorkerAfter(event, response)]);
  await tracing?.flush();
}

/** What Lambda's own runtime for Node has, and nobody else. */
const lambdaRuntime: typeof awslambda | undefined = globalThis.awslambda;

/** For a Function URL whose invoke mode is RESPONSE_STREAM. */
export const streaming = lambdaRuntime?.streamifyResponse(streamResponse);
