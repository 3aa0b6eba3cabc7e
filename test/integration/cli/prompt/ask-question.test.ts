import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import type { CommandContext } from '#cli/context';
import { promptUntilDone } from '#cli/prompt/ask-question';
import { LinePrompter } from '#cli/prompt/line-mode';
import { createTerminal } from '#cli/tty/terminal';
import { createParley } from '#client/parley';
import { buildOptions, questionFixture } from '#test/support/cli/question-fixtures';

type ScriptedReply = [status: number, body: object | string];

let scriptedReplies: ScriptedReply[] = [];
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => reply(response, scriptedReplies.shift() ?? [500, 'nothing more to say']));
});
const problem = (status: number, code: string, more: object = {}): ScriptedReply => [
  status,
  { type: 'about:blank', title: code, status, code, detail: `It is ${code}.`, ...more },
];

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

function reply(response: ServerResponse, [status, body]: ScriptedReply): void {
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  response.writeHead(status, { 'content-type': type });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const question = questionFixture([{ header: 'Colour', options: buildOptions('Red', 'Blue') }]);

/** Prompts without a screen, with `input` on stdin, against a server with scripted replies. */
async function answerWith(replies: ScriptedReply[], input: string, isTTY = false) {
  scriptedReplies = replies;
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  Object.assign(stdin, { isTTY });
  let output = '';
  stdout.on('data', (chunk) => {
    output += chunk;
  });
  const streams = { stdin, stdout, stderr: stdout } as unknown as NodeJS.Process;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const context: CommandContext = {
    parley: createParley({ url, retries: 0 }),
    terminal: createTerminal(streams, { TERM: 'dumb' }, true),
    isJson: false,
    settings: { url, urlSource: 'default', key: undefined },
    env: {},
  };
  stdin.end(input);
  const resolvedElsewhere = new AbortController().signal;
  const { lines, ...result } = await promptUntilDone(
    context,
    question,
    new LinePrompter(context.terminal, question, resolvedElsewhere),
  );
  return { result, output: [output, ...lines].join(' ').replace(/\s+/g, ' '), remaining: scriptedReplies.length };
}

describe('an answer that could not be sent', () => {
  it.each([
    ['Temporal', 503, problem(503, 'temporal_unavailable')],
    ['a page', 502, [502, '<html>Bad gateway</html>'] as ScriptedReply],
    ['a rate', 429, problem(429, 'rate_limited')],
  ])('exits as a failure on a pipe, where the next line is for the next question: %s', async (_, status, scripted) => {
    await expect(answerWith([scripted], '1\n\n')).rejects.toMatchObject({ name: 'ParleyError', status });
  });

  it.each([
    problem(400, 'invalid_request'),
    problem(413, 'too_large'),
    [413, '<html>Too large</html>'] as ScriptedReply,
    problem(409, 'idempotency_conflict'),
    problem(400, 'invalid_answer'),
  ])('is refused if a retry cannot help: %j', async (...scripted) => {
    const { result, output } = await answerWith([scripted as unknown as ScriptedReply], '1\n\n', true);
    expect([result.kind, output]).toEqual(['refused', expect.not.stringContaining('tries again')]);
  });

  it('leaves the rest of a pipe unread if it is refused', async () => {
    const { result } = await answerWith([problem(403, 'forbidden')], '1\n2\n');
    expect(result).toMatchObject({ kind: 'refused', isInputDiscarded: true });
  });

  it.each([
    [[problem(503, 'worker_unavailable')], '1\n/later\n'],
    [[problem(500, 'internal')], '1\n/later\n'],
    [[[502, '<html></html>'] as ScriptedReply], '1\n/later\n'],
    [[problem(500, 'internal'), problem(429, 'rate_limited')], '1\n\n/later\n'],
  ])('may have arrived, and a person who leaves is told so: %#', async (replies, input) => {
    const { result, output, remaining } = await answerWith(replies, input, true);
    expect([result.kind, remaining]).toEqual(['later', 0]);
    expect(output).toContain('Your answer may have arrived. Check with: parley show conv-1');
  });

  it('did not arrive if Parley itself refused it', async () => {
    const { output } = await answerWith([problem(429, 'rate_limited')], '1\n/later\n', true);
    expect(output).toContain('Still open. Answer it with: parley answer conv-1');
  });
});
