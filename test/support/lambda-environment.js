/**
 * An execution environment of Lambda: loads a handler once, then runs invocations one after another, each a line on
 * stdin.
 */
const { createInterface } = require('node:readline');
const { Writable } = require('node:stream');

const [, , file, name = 'handler'] = process.argv;

/** Mimics Lambda's runtime: the head is sent with the first write. */
globalThis.awslambda = {
  streamifyResponse: (handler) => Object.assign(handler, { isStreaming: true }),
  HttpResponseStream: { from: (body, head) => Object.assign(body, { head }) },
};

const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const handler = require(file)[name];
tell({ loaded: true });

/** The time limit starts when the handler first asks for it, so that a slow machine does not shorten it. */
function contextOf({ awsRequestId, timeoutMs }) {
  let deadline;
  return {
    awsRequestId,
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:parley',
    getRemainingTimeInMillis: () => {
      deadline ??= Date.now() + timeoutMs;
      return deadline - Date.now();
    },
  };
}

/** Runs an invocation. Returns the reply; a streaming handler's chunks are sent as they are written. */
async function invoke({ event, ...context }) {
  if (!handler.isStreaming) return (await handler(event, contextOf(context))) ?? null;
  const body = new Writable({
    write(chunk, _encoding, done) {
      tell({ head: body.head, part: chunk.toString('utf8') });
      done();
    },
  });
  await handler(event, body, contextOf(context));
  return null;
}

const invocations = createInterface({ input: process.stdin });
// The invoking process has ended.
invocations.on('close', () => process.exit());
invocations.on('line', (line) => {
  invoke(JSON.parse(line)).then(
    (reply) => tell({ reply }),
    (error) => tell({ error: error.message }),
  );
});
