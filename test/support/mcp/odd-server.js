// An MCP server on stdin and stdout that does what servers should not. Plain JSON-RPC, since no SDK would let it.
const { appendFileSync } = require('node:fs');
const { createInterface } = require('node:readline');

/** { tools, page, silentTo, lastWords, stubborn, journal } */
const odd = JSON.parse(process.env.ODD ?? '{}');
const heard = [];
const tools = odd.tools ?? Object.keys(behaviours()).map((name) => ({ name, inputSchema: { type: 'object' } }));

function note(line) {
  heard.push(line);
  if (odd.journal) appendFileSync(odd.journal, `${line}\n`);
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (said) => ({ content: [{ type: 'text', text: String(said) }] });

function behaviours() {
  return {
    pid: () => text(process.pid),
    heard: () => text(heard.join('\n')),
    args: () => text(JSON.stringify(process.argv.slice(2))),
    cwd: () => text(process.cwd()),
    say: ({ result }) => result,
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
    /** Tells progress as often as it is told to, and then ends or goes on for ever. */
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
  const to = from + (odd.page ?? tools.length);
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
  note(method === 'initialize' ? `initialize ${JSON.stringify(params.capabilities)}` : method);
  if (id === undefined || odd.silentTo === method) return;
  if (method === 'tools/call' && params.name === 'refuse') {
    return send({ id, error: { code: params.arguments.code, message: params.arguments.message } });
  }
  const result = await resultOf(method, params);
  if (result !== undefined) send({ id, result });
});

note(`started ${process.pid}`);
if (odd.lastWords) process.stderr.write(`${odd.lastWords}\n`, () => process.exit(1));
if (odd.stubborn) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 60_000);
}
