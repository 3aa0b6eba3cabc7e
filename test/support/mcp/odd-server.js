// An MCP server on stdin and stdout that misbehaves. Uses plain JSON-RPC, as SDKs would prevent that.
const { appendFileSync } = require('node:fs');
const { createInterface } = require('node:readline');

/** { tools, pageSize, silentTo, dyingMessage, ignoresShutdown, journal }: `OddServerOptions` in servers.ts. */
const options = JSON.parse(process.env.ODD ?? '{}');
const received = [];
const tools = options.tools ?? Object.keys(behaviours()).map((name) => ({ name, inputSchema: { type: 'object' } }));

function record(line) {
  received.push(line);
  if (options.journal) appendFileSync(options.journal, `${line}\n`);
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

function behaviours() {
  return {
    pid: () => text(process.pid),
    received: () => text(received.join('\n')),
    args: () => text(JSON.stringify(process.argv.slice(2))),
    cwd: () => text(process.cwd()),
    reply: ({ result }) => result,
    hang: () => undefined,
    freeze: () => void process.kill(process.pid, 'SIGSTOP'),
    die() {
      process.stderr.write('some earlier line\nout of ink\n', () => process.exit(3));
    },
    grow({ name }) {
      tools.push({ name, inputSchema: { type: 'object' } });
      send({ method: 'notifications/tools/list_changed' });
      return text('grown');
    },
    /** Reports progress `times` times, then ends or runs forever. */
    async progress({ times, every, ends }, token) {
      for (let progress = 1; progress <= times; progress += 1) {
        await new Promise((resolve) => setTimeout(resolve, every));
        send({ method: 'notifications/progress', params: { progressToken: token, progress } });
      }
      return ends ? text('ended') : undefined;
    },
  };
}

function list({ cursor = '0' } = {}) {
  const from = Number(cursor);
  const to = from + (options.pageSize ?? tools.length);
  return { tools: tools.slice(from, to), ...(to < tools.length ? { nextCursor: String(to) } : {}) };
}

async function resultOf(method, params) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'odd', version: '1' },
    };
  }
  if (method === 'ping') return {};
  if (method === 'tools/list') return list(params);
  const behaviour = behaviours()[params.name] ?? (() => text(params.name));
  return behaviour(params.arguments, params._meta?.progressToken);
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  record(method === 'initialize' ? `initialize ${JSON.stringify(params.capabilities)}` : method);
  if (id === undefined || options.silentTo === method) return;
  if (method === 'tools/call' && params.name === 'refuse') {
    return send({ id, error: { code: params.arguments.code, message: params.arguments.message } });
  }
  const result = await resultOf(method, params);
  if (result !== undefined) send({ id, result });
});

record(`started ${process.pid}`);
if (options.dyingMessage) process.stderr.write(`${options.dyingMessage}\n`, () => process.exit(1));
if (options.ignoresShutdown) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 60_000);
}
