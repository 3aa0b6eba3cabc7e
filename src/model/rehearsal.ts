import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Anthropic from '@anthropic-ai/sdk';
import { fail, refuse } from './rehearsal-refusal';
import {
  compose,
  inputTokens,
  type ModelRequest,
  type Reply,
  type Script,
  type Speech,
  token,
} from './rehearsal-reply';
import { findFault } from './rehearsal-rules';
import { pause, streamMessage, unlessGone } from './rehearsal-stream';

export type { ModelRequest, Reply, Script } from './rehearsal-reply';

export interface Rehearsal {
  url: string;
  /** Every request that had a key and a JSON body, refused ones too. */
  requests: ModelRequest[];
  stop(): Promise<void>;
}

export interface RehearsalOptions {
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
export async function startRehearsal(script: Script, options: RehearsalOptions = {}): Promise<Rehearsal> {
  const { port = 0, host = '127.0.0.1', record = true, window = 200_000 } = options;
  const requests: ModelRequest[] = [];
  let index = 0;
  const server = createServer((req, res) => {
    const arrivedAt = performance.now();
    const play = async () => {
      const body = await receive(req, res, window);
      if (body === undefined) return;
      const exchange = begin(server, req, res, { body, arrivedAt });
      if (record) requests.push(exchange.request);
      const at = index++;
      await answer(exchange, (request) => script(request, at), window);
    };
    play().catch((error) => fail(res, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    requests,
    stop: () => stop(server),
  };
}

const MODELS = '/v1/models/';

/** The JSON body of a request for a message; undefined where it was refused, or only asked what the model is like. */
async function receive(
  req: IncomingMessage,
  res: ServerResponse,
  window: number,
): Promise<Anthropic.MessageCreateParams | undefined> {
  res.setHeader('request-id', `req_${token()}`);
  const { pathname } = new URL(req.url ?? '/', 'http://rehearsal');
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  if (req.method === 'GET' && pathname.startsWith(MODELS)) {
    const model = { type: 'model', id: pathname.slice(MODELS.length), max_input_tokens: window };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(model));
    return undefined;
  }
  if (req.method !== 'POST' || pathname !== '/v1/messages')
    return refuse(res, { status: 404, message: 'Not found' });
  if (!req.headers['x-api-key'] && !req.headers.authorization) {
    return refuse(res, { status: 401, message: 'x-api-key header is required' });
  }
  if (!req.headers['anthropic-version']) {
    return refuse(res, { status: 400, message: 'anthropic-version: header is required' });
  }
  try {
    return JSON.parse(text);
  } catch {
    return refuse(res, { status: 400, message: 'The request body is not valid JSON' });
  }
}

function begin(
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

async function answer(
  exchange: Exchange,
  script: (request: ModelRequest) => Reply | Promise<Reply>,
  window: number,
): Promise<void> {
  const { request, res } = exchange;
  const fault = findFault(request.body) ?? lengthFault(request.body, window);
  if (fault) return refuse(res, { status: 400, message: fault });
  const reply = await script(request);
  if ('error' in reply) return refuse(res, reply.error);
  await speak(exchange, reply);
}

function lengthFault(body: Anthropic.MessageCreateParams, window: number): string | undefined {
  const tokens = inputTokens(body);
  return tokens > window ? `prompt is too long: ${tokens} tokens > ${window} maximum` : undefined;
}

async function speak({ request, res, gone, cut }: Exchange, speech: Speech): Promise<void> {
  await pause(speech.delayMs, gone);
  if (speech.holdAfter === undefined) await unlessGone(speech.hold, gone);
  if (gone.aborted) return;
  const message = compose(request.body, speech);
  if (request.body.stream) {
    if (!(await streamMessage(res, message, speech, gone))) cut();
  } else if (speech.cutAfter !== undefined) {
    cut();
  } else {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
  }
}

async function stop(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
