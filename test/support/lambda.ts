import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';

type EnvironmentMessage = {
  loaded?: true;
  reply?: unknown;
  error?: string;
  head?: LambdaReply;
  part?: string;
};

export interface LambdaReply {
  statusCode: number;
  headers: Record<string, string>;
  cookies: string[];
  body: string;
  isBase64Encoded: boolean;
}

export interface LambdaInvocation {
  /** The function's time limit. */
  timeoutMs?: number;
  onChunk?: (message: { head: LambdaReply; part: string }) => void;
}

/** A process that runs a function. Its first invocation is a cold start. */
interface LambdaEnvironment {
  child: ChildProcess;
  isIdle: boolean;
  invoke(event: unknown, invocation: LambdaInvocation): Promise<unknown>;
}

/** Runs a function like Lambda: one invocation at a time per environment, and more environments as needed. */
export function createLambda(file: string, env: NodeJS.ProcessEnv, name?: string) {
  const environments: LambdaEnvironment[] = [];
  return {
    async invoke<T = LambdaReply>(event: unknown = {}, invocation: LambdaInvocation = {}): Promise<T> {
      let environment = environments.find(({ isIdle }) => isIdle);
      if (!environment) {
        environment = await openEnvironment(file, env, name);
        environments.push(environment);
      }
      return (await environment.invoke(event, invocation)) as T;
    },
    /** Kills all processes, as Lambda does with idle environments. */
    async freeze(): Promise<void> {
      await Promise.all(environments.splice(0).map(({ child }) => killProcess(child)));
    },
    count: () => environments.length,
  };
}

export type LambdaFunction = ReturnType<typeof createLambda>;

function killProcess(child: ChildProcess): Promise<void> {
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill('SIGKILL');
  return exited;
}

async function openEnvironment(file: string, env: NodeJS.ProcessEnv, name = 'handler'): Promise<LambdaEnvironment> {
  const child = spawn(process.execPath, [path.join(__dirname, 'lambda-environment.js'), file, name], {
    cwd: path.dirname(file),
    // Nothing else from this machine, not even HOME.
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let onMessage: (message: EnvironmentMessage) => void = () => undefined;
  const loaded = new Promise<void>((resolve, reject) => {
    onMessage = () => resolve();
    child.once('close', () => reject(new Error(`${file} ended.`)));
  });
  createInterface({ input: child.stdout }).on('line', (line) => onMessage(JSON.parse(line) as EnvironmentMessage));
  await loaded;
  const environment: LambdaEnvironment = {
    child,
    isIdle: true,
    invoke: (event, { timeoutMs = 60_000, onChunk }) =>
      new Promise((resolve, reject) => {
        environment.isIdle = false;
        onMessage = (message) => {
          if (message.part !== undefined && message.head) return onChunk?.({ head: message.head, part: message.part });
          environment.isIdle = true;
          if (message.error !== undefined) reject(new Error(message.error));
          else resolve(message.reply);
        };
        const request = { event, awsRequestId: randomUUID(), timeoutMs };
        child.stdin?.write(`${JSON.stringify(request)}\n`);
      }),
  };
  return environment;
}

/** Converts a request to the event of a Function URL. */
export async function toFunctionUrlEvent(request: IncomingMessage, sourceIp = '203.0.113.7') {
  const { pathname, search } = new URL(request.url ?? '/', 'http://here');
  const { cookie, ...headers } = request.headers;
  const body = await buffer(request);
  return {
    version: '2.0',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers,
    ...(cookie ? { cookies: cookie.split('; ') } : {}),
    requestContext: { domainName: 'parley.example.on.aws', http: { method: request.method, sourceIp } },
    ...(body.length > 0 ? { body: body.toString('base64') } : {}),
    isBase64Encoded: body.length > 0,
  };
}

/** Serves a Function URL: each request is an invocation, and the reply is sent when it has ended. */
export async function serveFunctionUrl(
  api: LambdaFunction,
  onReply: (reply: LambdaReply, request: IncomingMessage) => void,
) {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => response.writeHead(502).end(error.message));
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await api.invoke(await toFunctionUrlEvent(request));
    onReply(reply, request);
    response.writeHead(reply.statusCode, {
      ...reply.headers,
      ...(reply.cookies.length > 0 ? { 'set-cookie': reply.cookies } : {}),
    });
    response.end(Buffer.from(reply.body, reply.isBase64Encoded ? 'base64' : 'utf8'));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
