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

const config = readLambdaConfig({ PARLEY_API_KEYS: 'a Lambda function is reachable from anywhere' });
const log = createLog(config.logLevel);
const wakeWorker = createWorkerInvoker(config.workerFunctionName, log);
const tracing = createTracing(config.tracing, readPackageVersion(), log);

/** A buffered response arrives when it ends, so a stream returns what there is, or the next events within 10 s. */
const BUFFERED_LIMITS: Partial<StreamHubOptions> = { isSingleBatch: true, maxDurationMs: 10_000 };
/** Ends streams before the function's timeout, so that they end cleanly. */
const STREAMED_LIMITS: Partial<StreamHubOptions> = { maxDurationMs: 50_000 };

/** One API for all invocations of this process. Created by the first, as only a request reveals the public address. */
let runningApi: Promise<RunningApi> | undefined;

function getApi({ requestContext }: LambdaHttpEvent, streamLimits: Partial<StreamHubOptions>): Promise<RunningApi> {
  const publicUrl = config.publicUrl ?? `https://${requestContext.domainName}`;
  // The only proxy in front is this handler, which sets the caller's address.
  const apiConfig = { ...config, host: '127.0.0.1', port: 0, trustedProxies: 1, publicUrl };
  runningApi ??= startApi(apiConfig, log, { streamOptions: streamLimits, tracing }).catch((error) => {
    runningApi = undefined;
    throw error;
  });
  return runningApi;
}

async function handleEvent(event: LambdaHttpEvent, context: Context, streamLimits: Partial<StreamHubOptions>) {
  const { localUrl } = await getApi(event, streamLimits);
  return forwardToApi(localUrl, toLambdaHttpRequest(event, context));
}

/** Invokes the worker for newly started work, before the process is frozen. */
async function wakeWorkerAfter({ requestContext, rawPath }: LambdaHttpEvent, { statusCode = 500 }: IncomingMessage) {
  if (isWorkerNeeded(requestContext.http.method, rawPath, statusCode)) await wakeWorker();
}

/** Handler for an HTTP API, or a Function URL whose invoke mode is BUFFERED. */
export async function handler(event: LambdaHttpEvent, context: Context): Promise<LambdaResponse> {
  const response = await handleEvent(event, context, BUFFERED_LIMITS);
  const [reply] = await Promise.all([toLambdaResponse(response), wakeWorkerAfter(event, response)]);
  await tracing?.flush();
  return reply;
}

async function streamResponse(event: LambdaHttpEvent, body: awslambda.HttpResponseStream, context: Context) {
  const response = await handleEvent(event, context, STREAMED_LIMITS);
  const responseStream = awslambda.HttpResponseStream.from(body, { ...toLambdaResponseHead(response) });
  // The head is sent with the first write, which a response without a body would never make.
  responseStream.write('');
  // A client that disconnects is not an error here; the API handles it.
  await Promise.all([pipeline(response, responseStream).catch(() => undefined), wakeWorkerAfter(event, response)]);
  await tracing?.flush();
}

/** Only exists in Lambda's Node runtime. */
const lambdaRuntime: typeof awslambda | undefined = globalThis.awslambda;

/** Handler for a Function URL whose invoke mode is RESPONSE_STREAM. */
export const streaming = lambdaRuntime?.streamifyResponse(streamResponse);
