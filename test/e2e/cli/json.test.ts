import { spawn } from 'node:child_process';
import path from 'node:path';
import { z } from 'zod';
import { COMMANDS } from '#cli/command-table';
import { AgentView } from '#contract/agent';
import { Conversation } from '#contract/conversation';
import { Question } from '#contract/question';
import { AnswerResponse, ConversationExport } from '#contract/responses';
import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

let parley: TestParley;
let env: Record<string, string>;
let waitingId: string;
beforeAll(async () => {
  parley = await startParley({
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
  });
  env = { PARLEY_URL: parley.url };
  waitingId = await startWaiting();
});
afterAll(() => parley.stop());

async function startWaiting(): Promise<string> {
  const id = await parley.startConversation();
  await parley.waitForQuestion(id);
  return id;
}

const Check = z.strictObject({
  name: z.string(),
  state: z.enum(['ok', 'warn', 'fail']),
  said: z.string(),
  next: z.string().optional(),
});

/** For each command: valid arguments, the documented shape of its JSON, and its exit code. */
const SHAPES: Record<string, [args: (id: string) => string[], shape: z.ZodType, code: number]> = {
  start: [() => [parley.agent, 'Hello'], Conversation, 3],
  inbox: [() => [], z.strictObject({ items: z.array(Question), isMore: z.boolean() }), 0],
  answer: [(id) => [id, '--field', 'q1=A'], AnswerResponse, 0],
  decline: [(id) => [id], AnswerResponse, 0],
  watch: [(id) => [id], Conversation, 3],
  say: [(id) => [id, '--detach', 'More'], Conversation, 0],
  list: [() => [], z.strictObject({ items: z.array(Conversation), isMore: z.boolean() }), 0],
  show: [(id) => [id], Conversation, 0],
  cancel: [(id) => [id], Conversation, 0],
  export: [(id) => [id], ConversationExport, 0],
  agents: [() => [], z.strictObject({ items: z.array(AgentView) }), 0],
  open: [(id) => [id], z.strictObject({ id: z.string(), web: z.url(), temporal: z.url() }), 0],
  doctor: [() => [], z.strictObject({ ok: z.boolean(), checks: z.array(Check) }), 0],
};
const CHANGING = ['answer', 'decline', 'say', 'cancel'];

it.each(COMMANDS.map(({ name }) => name))('%s prints one JSON document of the documented shape', async (name) => {
  const [args, shape, exitCode] = SHAPES[name] ?? [() => [], z.never(), 0];
  const id = CHANGING.includes(name) ? await startWaiting() : waitingId;
  const { code, out, err } = await runPiped([name, ...args(id), '--json'], env);
  expect([code, err]).toEqual([exitCode, '']);
  expect(shape.safeParse(JSON.parse(out)).error).toBeUndefined();
});

it.each(COMMANDS.map(({ name, argumentSyntax }) => [name, argumentSyntax]))(
  '%s reports an unreachable server on one line, with nothing on stdout',
  async (name, argumentSyntax) => {
    const nowhere = { PARLEY_URL: 'http://127.0.0.1:9' };
    const args = argumentSyntax?.startsWith('<id>') ? ['x'] : [];
    const more: Record<string, string[]> = { start: ['Hello'], say: ['Hello'], answer: ['--field', 'q1=A'] };
    const argv = [name, ...args, ...(more[name ?? ''] ?? [])].map(String);
    const [plain, json] = await Promise.all([runPiped(argv, nowhere), runPiped([...argv, '--json'], nowhere)]);
    expect(plain.code).toBe(1);
    if (name === 'doctor') return;
    expect([plain.out, plain.err]).toEqual(['', expect.stringMatching(/^parley: .+ .+\n$/)]);
    expect([json.code, json.out, JSON.parse(json.err).code]).toEqual([1, '', 'network']);
  },
);

it('ends quietly when the reader of its output stops reading', async () => {
  await Promise.all(Array.from({ length: 5 }, () => parley.startConversation()));
  const client = path.join(__dirname, '../../../dist/src/cli/main.js');
  const argv = `"$NODE" "$CLIENT" list --limit 1000 --json | head -1; echo "\${PIPESTATUS[0]}"`;
  const child = spawn('bash', ['--norc', '-c', argv], {
    env: { ...env, PATH: process.env.PATH, NODE: process.execPath, CLIENT: client },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect([out, err]).toEqual(['{\n0\n', '']);
});
