import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'aws-lambda';
import type { LiveOptions } from '#api/live/live';
import { type RunningApi, startApi } from '#api/main';
import { createLog } from '#log';
import { projectVersion } from '#project';
import { openTracing } from '#tracing/open';
import { headOf, type Reply, replyOf } from './reply';
import { ask, askedBy, type HttpEvent } from './request';
import { readSettings } from './settings';
import { createWaker, leavesWork } from './wake';

const config = readSettings({ PARLEY_API_KEYS: 'a function is reached from everywhere' });
const log = createLog(config.logLevel);
const wake = createWaker(config.wake, log);
const tracing = openTracing(config.tracing, projectVersion(), log);

/** Nothing of a buffered response arrives before its end: what there is, or the first news within this long. */
const BUFFERED: Partial<LiveOptions> = { isBrief: true, lastingMs: 10_000 };
/** Within the time that the function has, so that it ends in good order. */
const STREAMED: Partial<LiveOptions> = { lastingMs: 50_000 };

/** One API for all invocations of this process, begun by the first: only that knows the address people call it by. */
let running: Promise<RunningApi> | undefined;

function theApi({ requestContext }: HttpEvent, pace: Partial<LiveOptions>): Promise<RunningApi> {
  const publicUrl = config.publicUrl ?? `https://${requestContext.domainName}`;
  // The one hop before it is the handler, which says who calls.
  const own = { ...config, host: '127.0.0.1', port: 0, proxies: 1, publicUrl };
  running ??= startApi(own, log, { pace, tracing }).catch((error) => {
    running = undefined;
    throw error;
  });
  return running;
}

async function answer(event: HttpEvent, context: Context, pace: Partial<LiveOptions>) {
  const { localUrl } = await theApi(event, pace);
  return ask(localUrl, askedBy(event, context));
}

/** What was begun is gone on with, before the process is frozen. */
async function wakeAfter({ requestContext, rawPath }: HttpEvent, { statusCode = 500 }: IncomingMessage) {
  if (leavesWork(requestContext.http.method, rawPath, statusCode)) await wake();
}

/** For an HTTP API, or a Function URL whose invoke mode is BUFFERED. */
export async function handler(event: HttpEvent, context: Context): Promise<Reply> {
  const response = await answer(event, context, BUFFERED);
  const [reply] = await Promise.all([replyOf(response), wakeAfter(event, response)]);
  await tracing?.flush();
  return reply;
}

async function stream(event: HttpEvent, body: awslambda.HttpResponseStream, context: Context): Promise<void> {
  const response = await answer(event, context, STREAMED);
  const out = awslambda.HttpResponseStream.from(body, { ...headOf(response) });
  // The head goes out with the first write, which a reply without a body would never make.
  out.write('');
  // Whoever leaves a stream is no fault of ours; the API hears of it.
  await Promise.all([pipeline(response, out).catch(() => undefined), wakeAfter(event, response)]);
  await tracing?.flush();
}

/** What Lambda's own runtime for Node has, and nobody else. */
const runtime: typeof awslambda | undefined = globalThis.awslambda;

/** For a Function URL whose invoke mode is RESPONSE_STREAM. */
export const streaming = runtime?.streamifyResponse(stream);
