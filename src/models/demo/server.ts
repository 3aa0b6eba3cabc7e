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
import { findRequestError } from './validate-request';

export interface DemoModelServer {
  url: string;
  /** Every request that had a key and a JSON body, refused ones too. */
  requests: ModelRequest[];
  stop(): Promise<void>;
}

export interface DemoModelServerOptions {
  port?: number;
  host?: string;
  /** Off where it runs for days: each request holds a whole transcript. */
  record?: boolean;
  /** How many tokens it reads at most. */
  window?: number;
}

interface Exchange {
  request: ModelRequest;
  res: ServerResponse;
  gone: AbortSignal;
  /** Hang up on the client, which is not the client's doing. */
  cut(): void;
}

/** Serve the Messages API, played by a script: Parley without a key, and the model of the tests. */
export async function startDemoModelServer(
  script: ModelScript,
  options: DemoModelServerOptions = {},
): Promise<DemoModelServer> {
  const { port = 0, host = '127.0.0.1', record = true, window = 200_000 } = options;
  const requests: ModelRequest[] = [];
  let index = 0;
  const server = createServer((req, res) => {
    const arrivedAt = performance.now();
    const play = async () => {
      const body = await receiveRequest(req, res, window);
      if (body === undefined) return;
      const exchange = beginExchange(server, req, res, { body, arrivedAt });
      if (record) requests.push(exchange.request);
      const at = index++;
      await answerRequest(exchange, (request) => script(request, at), window);
    };
    play().catch((error) => sendServerError(res, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    requests,
    stop: () => stopServer(server),
  };
}

const MODELS_PATH = '/v1/models/';

/** The JSON body of a request for a message; undefined where it was refused, or only asked what the model is like. */
async function receiveRequest(
  req: IncomingMessage,
  res: ServerResponse,
  window: number,
): Promise<Anthropic.MessageCreateParams | undefined> {
  res.setHeader('request-id', `req_${generateApiId()}`);
  const { pathname } = new URL(req.url ?? '/', 'http://rehearsal');
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  if (req.method === 'GET' && pathname.startsWith(MODELS_PATH)) {
    const model = { type: 'model', id: pathname.slice(MODELS_PATH.length), max_input_tokens: window };
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
  came: Pick<ModelRequest, 'body' | 'arrivedAt'>,
): Exchange {
  const gone = new AbortController();
  let ours = false;
  const closed = new Promise<void>((resolve) => {
    res.once('close', () => {
      request.aborted = !res.writableFinished && !ours && server.listening;
      gone.abort();
      resolve();
    });
  });
  const request: ModelRequest = { ...came, headers: req.headers, aborted: false, closed };
  const cut = () => {
    ours = true;
    res.destroy();
  };
  return { request, res, gone: gone.signal, cut };
}

async function answerRequest(
  exchange: Exchange,
  script: (request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>,
  window: number,
): Promise<void> {
  const { request, res } = exchange;
  const fault = findRequestError(request.body) ?? findLengthError(request.body, window);
  if (fault) return sendApiError(res, { status: 400, message: fault });
  const reply = await script(request);
  if ('error' in reply) return sendApiError(res, reply.error);
  await sendReply(exchange, reply);
}

function findLengthError(body: Anthropic.MessageCreateParams, window: number): string | undefined {
  const tokens = countInputTokens(body);
  return tokens > window ? `prompt is too long: ${tokens} tokens > ${window} maximum` : undefined;
}

async function sendReply({ request, res, gone, cut }: Exchange, speech: ScriptedMessage): Promise<void> {
  await delayReply(speech.delayMs, gone);
  if (speech.holdAfter === undefined) await waitUnlessAborted(speech.hold, gone);
  if (gone.aborted) return;
  const message = composeMessage(request.body, speech);
  if (request.body.stream) {
    if (!(await streamMessage(res, message, speech, gone))) cut();
  } else if (speech.cutAfter !== undefined) {
    cut();
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

/** An error as the API words it. */
function sendApiError(res: ServerResponse, error: ScriptedError['error']): undefined {
  const { status, type = ERROR_TYPES[status] ?? 'api_error', message = type, retryAfter } = error;
  if (retryAfter !== undefined) res.setHeader('retry-after', String(retryAfter));
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: res.getHeader('request-id') }));
}

/** A script that throws is a fault of the server's, said as the API would. */
function sendServerError(res: ServerResponse, error: unknown): void {
  if (res.headersSent || res.destroyed) res.destroy();
  else sendApiError(res, { status: 500, message: error instanceof Error ? error.message : String(error) });
}
