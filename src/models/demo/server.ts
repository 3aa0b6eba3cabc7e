import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Anthropic from '@anthropic-ai/sdk';
import {
  composeMessage,
  countInputTokens,
  delayReply,
  generateApiId,
  type ModelRequest,
  type ModelScript,
  type ScriptedError,
  type ScriptedMessage,
  type ScriptedReply,
  streamMessage,
  waitUnlessAborted,
} from './reply';
import { findInvalidThinking } from './thinking';
import { findRequestError } from './validate-request';

export interface DemoModelServer {
  url: string;
  /** Every request with an API key and a JSON body, including rejected ones. */
  requests: ModelRequest[];
  stop(): Promise<void>;
}

export interface DemoModelServerOptions {
  port?: number;
  host?: string;
  /** Off for servers that run for days, as each request holds a whole transcript. */
  recordRequests?: boolean;
  /** Maximum number of input tokens. */
  contextWindow?: number;
}

interface Exchange {
  request: ModelRequest;
  res: ServerResponse;
  signal: AbortSignal;
  /** Closes the connection; does not count as a disconnect by the client. */
  disconnect(): void;
}

/** Serves the Messages API from a script: the model of Parley without an API key, and of the tests. */
export async function startDemoModelServer(
  script: ModelScript,
  options: DemoModelServerOptions = {},
): Promise<DemoModelServer> {
  const { port = 0, host = '127.0.0.1', recordRequests = true, contextWindow = 200_000 } = options;
  const requests: ModelRequest[] = [];
  let index = 0;
  const server = createServer((req, res) => {
    const arrivedAt = performance.now();
    const handle = async () => {
      const body = await receiveRequest(req, res, contextWindow);
      if (body === undefined) return;
      const exchange = beginExchange(server, req, res, { body, arrivedAt });
      if (recordRequests) requests.push(exchange.request);
      const requestIndex = index++;
      await answerRequest(exchange, (request) => script(request, requestIndex), contextWindow);
    };
    handle().catch((error) => sendServerError(res, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    requests,
    stop: () => stopServer(server),
  };
}

const MODELS_PATH = '/v1/models/';

/** Reads the body of a Messages request. Returns `undefined` if it was rejected or was a request of the Models API. */
async function receiveRequest(
  req: IncomingMessage,
  res: ServerResponse,
  contextWindow: number,
): Promise<Anthropic.MessageCreateParams | undefined> {
  res.setHeader('request-id', `req_${generateApiId()}`);
  const { pathname } = new URL(req.url ?? '/', 'http://demo');
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  if (req.method === 'GET' && pathname.startsWith(MODELS_PATH)) {
    const model = { type: 'model', id: pathname.slice(MODELS_PATH.length), max_input_tokens: contextWindow };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(model));
    return undefined;
  }
  if (req.method !== 'POST' || pathname !== '/v1/messages')
    return sendApiError(res, { status: 404, message: 'Not found' });
  if (!req.headers['x-api-key'] && !req.headers.authorization) {
    return sendApiError(res, { status: 401, message: 'x-api-key header is required' });
  }
  if (!req.headers['anthropic-version']) {
    return sendApiError(res, { status: 400, message: 'anthropic-version: header is required' });
  }
  try {
    return JSON.parse(text);
  } catch {
    return sendApiError(res, { status: 400, message: 'The request body is not valid JSON' });
  }
}

function beginExchange(
  server: Server,
  req: IncomingMessage,
  res: ServerResponse,
  received: Pick<ModelRequest, 'body' | 'arrivedAt'>,
): Exchange {
  const clientGone = new AbortController();
  let isClosedByServer = false;
  const closed = new Promise<void>((resolve) => {
    res.once('close', () => {
      request.aborted = !res.writableFinished && !isClosedByServer && server.listening;
      clientGone.abort();
      resolve();
    });
  });
  const request: ModelRequest = { ...received, headers: req.headers, invalidThinking: [], aborted: false, closed };
  const disconnect = () => {
    isClosedByServer = true;
    res.destroy();
  };
  return { request, res, signal: clientGone.signal, disconnect };
}

async function answerRequest(
  exchange: Exchange,
  script: (request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>,
  contextWindow: number,
): Promise<void> {
  const { request, res } = exchange;
  const betas = String(request.headers['anthropic-beta'] ?? '').split(',');
  const invalid = findRequestError(request.body, betas);
  request.invalidThinking = invalid ? [] : findInvalidThinking(request.body);
  const message = invalid ?? findLengthError(request.body, contextWindow) ?? findBindingError(request);
  if (message) return sendApiError(res, { status: 400, message });
  const reply = await script(request);
  if ('error' in reply) return sendApiError(res, reply.error);
  await sendReply(exchange, reply);
}

function findLengthError(body: Anthropic.MessageCreateParams, contextWindow: number): string | undefined {
  const tokens = countInputTokens(body);
  return tokens > contextWindow ? `prompt is too long: ${tokens} tokens > ${contextWindow} maximum` : undefined;
}

function findBindingError({ body, invalidThinking }: ModelRequest): string | undefined {
  const { block_binding: binding } = (body.thinking ?? {}) as Partial<Anthropic.Beta.BetaThinkingConfigAdaptive>;
  if (binding?.prefix_mismatch_behavior === 'drop_block') return undefined;
  const path = invalidThinking.find(({ reason }) => reason === 'prefix_binding_mismatch')?.path;
  return (
    path &&
    `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`
  );
}

async function sendReply({ request, res, signal, disconnect }: Exchange, reply: ScriptedMessage): Promise<void> {
  await delayReply(reply.delayMs, signal);
  if (reply.holdAfter === undefined) await waitUnlessAborted(reply.hold, signal);
  if (signal.aborted) return;
  const message = composeMessage(request.body, reply, request.invalidThinking);
  if (request.body.stream) {
    if (!(await streamMessage(res, message, reply, signal))) disconnect();
  } else if (reply.cutAfter !== undefined) {
    disconnect();
  } else {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
  }
}

async function stopServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Sends an error in the API's format. */
function sendApiError(res: ServerResponse, error: ScriptedError['error']): undefined {
  const { status, type = ERROR_TYPES[status] ?? 'api_error', message = type, retryAfter } = error;
  if (retryAfter !== undefined) res.setHeader('retry-after', String(retryAfter));
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: res.getHeader('request-id') }));
}

/** Reports an error of the script as a server error, in the API's format. */
function sendServerError(res: ServerResponse, error: unknown): void {
  if (res.headersSent || res.destroyed) res.destroy();
  else sendApiError(res, { status: 500, message: error instanceof Error ? error.message : String(error) });
}
