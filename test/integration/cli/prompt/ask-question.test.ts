import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import type { CommandContext } from '#cli/context';
import { promptUntilDone } from '#cli/prompt/ask-question';
import { createLinePrompter } from '#cli/prompt/line-mode';
import { createTerminal } from '#cli/tty/terminal';
import { createParley } from '#client/parley';
import { buildOptions, questionFixture } from '#test/support/cli/question-fixtures';

type Said = [status: number, body: object | string];

let said: Said[] = [];
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => reply(response, said.shift() ?? [500, 'nothing more to say']));
});
const problem = (status: number, code: string, more: object = {}): Said => [
  status,
  { type: 'about:blank', title: code, status, code, detail: `It is ${code}.`, ...more },
];

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

function reply(response: ServerResponse, [status, body]: Said): void {
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  response.writeHead(status, { 'content-type': type });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const asked = questionFixture([{ header: 'Colour', options: buildOptions('Red', 'Blue') }]);

/** Asks where there is no screen, with these lines to read; Parley says this to what is sent. */
async function putWith(replies: Said[], input: string, isTTY = false) {
  said = replies;
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  Object.assign(stdin, { isTTY });
  let shown = '';
  stdout.on('data', (chunk) => {
    shown += chunk;
  });
  const streams = { stdin, stdout, stderr: stdout } as unknown as NodeJS.Process;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const context: CommandContext = {
    parley: createParley({ url, retries: 0 }),
    terminal: createTerminal(streams, { TERM: 'dumb' }, true),
    isJson: false,
    settings: { url, urlFrom: 'default', key: undefined },
    env: {},
  };
  stdin.end(input);
  const putting = new AbortController().signal;
  const { put, lines } = await promptUntilDone(context, asked, createLinePrompter(context.terminal, asked, putting));
  return { put, shown: [shown, ...lines].join(' ').replace(/\s+/g, ' '), left: said.length };
}

describe('an answer that could not be sent', () => {
  it.each([
    ['Temporal', 503, problem(503, 'temporal_unavailable')],
    ['a page', 502, [502, '<html>Bad gateway</html>'] as Said],
    ['a rate', 429, problem(429, 'rate_limited')],
  ])('ends as a failure on a pipe, where the next line is for the next question: %s', async (_, status, one) => {
    await expect(putWith([one], '1\n\n')).rejects.toMatchObject({ name: 'ParleyError', status });
  });

  it.each([
    problem(400, 'invalid_request'),
    problem(413, 'too_large'),
    [413, '<html>Too large</html>'] as Said,
    problem(409, 'idempotency_conflict'),
    problem(400, 'invalid_answer'),
  ])('is refused where trying again will not help: %j', async (...one) => {
    const { put, shown } = await putWith([one as unknown as Said], '1\n\n', true);
    expect([put.kind, shown]).toEqual(['refused', expect.not.stringContaining('tries again')]);
  });

  it('spoils what is left on a pipe where it is refused', async () => {
    const { put } = await putWith([problem(403, 'forbidden')], '1\n2\n');
    expect(put).toMatchObject({ kind: 'refused', isInputSpoilt: true });
  });

  it.each([
    [[problem(503, 'worker_unavailable')], '1\n/later\n'],
    [[problem(500, 'internal')], '1\n/later\n'],
    [[[502, '<html></html>'] as Said], '1\n/later\n'],
    [[problem(500, 'internal'), problem(429, 'rate_limited')], '1\n\n/later\n'],
  ])('may have arrived all the same, and whoever leaves is told: %#', async (replies, input) => {
    const { put, shown, left } = await putWith(replies, input, true);
    expect([put.kind, left]).toEqual(['later', 0]);
    expect(shown).toContain('What you sent may have arrived all the same. Look with parley show conv-1');
  });

  it('did not arrive where Parley itself did not want it then', async () => {
    const { shown } = await putWith([problem(429, 'rate_limited')], '1\n/later\n', true);
    expect(shown).toContain('It waits for an answer. Come back to it with parley answer conv-1');
  });
});
