import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Scope } from '#contract/permissions';
import type { Question } from '#contract/question';
import type { ModelScript } from '#models/demo/reply';
import { demoScript } from '#models/demo/script';
import type { CliResult } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const root = path.join(__dirname, '../../..');
const EXAMPLES = path.join(root, 'docs/examples');
const CLIENT = `${process.execPath} ${path.join(root, 'dist/src/cli/main.js')}`;

const keys: Record<string, Scope[]> = {
  robot: ['conversations:write', 'conversations:read', 'questions:answer'],
};

function run(parley: TestParley, example: string, ...args: string[]): Promise<CliResult> {
  const { PATH = '' } = process.env;
  const env = { PATH, PARLEY: CLIENT, PARLEY_URL: parley.url, PARLEY_API_KEY: parley.apiKey('robot') };
  const child = spawn('bash', [path.join(EXAMPLES, example), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code: code ?? 1, out, err }));
  });
}

/** Waits until the inbox has that many questions of its agent. */
async function waitForQuestions(parley: TestParley, count: number): Promise<void> {
  for (;;) {
    const { body } = await parley.call<{ items: Question[] }>('GET', `/v1/questions?agent=${parley.agent}`);
    if (body.items.length === count) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it.each(readdirSync(EXAMPLES))('is valid bash: %s', async (example) => {
  const child = spawn('bash', ['-n', path.join(EXAMPLES, example)]);
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
});

describe('run-to-the-end.sh', () => {
  const script: ModelScript = async (...request) => ({ ...(await demoScript(...request)), chunkMs: 0 });
  let parley: TestParley;
  beforeAll(async () => {
    parley = await startParley({ script, keys });
  });
  afterAll(() => parley.stop());

  it('runs a conversation to its end by its rules', async () => {
    const { code, out, err } = await run(parley, 'run-to-the-end.sh', 'Plan our team offsite');
    expect([code, err]).toEqual([0, expect.stringContaining('Answer sent.')]);
    expect(out).toContain('Seaside');
    expect(out).toContain('By rule');
    expect(err).not.toContain('Question skipped');
  });

  it('requires a message', async () => {
    expect((await run(parley, 'run-to-the-end.sh')).code).toBe(2);
  });
});

describe('answer-from-csv.sh', () => {
  const QUOTED = 'Say "hi", or $(touch x) `id`?';
  const script: ModelScript = (request) => {
    if (lastToolResults(request).length > 0) return replyWithText('done');
    const first = JSON.stringify(request.body.messages[0]);
    if (first.includes('Several'))
      return replyWithQuestion([
        {
          question: 'Which sizes?',
          header: 'Sizes',
          multiSelect: true,
          options: [{ label: 'S' }, { label: 'M' }],
        },
        { question: 'How many, at most?', header: 'Count', schema: { type: 'integer' } },
      ]);
    return first.includes('Quoted')
      ? replyWithQuestion({ question: QUOTED })
      : replyWithQuestion('Never heard of?', 'A', 'B');
  };
  let parley: TestParley;
  let folder: string;
  beforeAll(async () => {
    parley = await startParley({ script, keys });
    folder = mkdtempSync(path.join(tmpdir(), 'parley-csv-'));
  });
  afterAll(async () => {
    await parley.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const outcome = async (id: string) =>
    (await parley.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body.outcome?.answers;

  it('answers what it can, and reports what it could not', async () => {
    const file = path.join(folder, 'answers.csv');
    const rows = [
      'question,answer',
      'Which sizes?,S',
      '"How many, at most?",3',
      'Which sizes?,"M"',
      '"Say ""hi"", or $(touch x) `id`?","a, ""b""\nand \'c\' $HOME"',
    ];
    writeFileSync(file, `\ufeff${rows.join('\r\n')}`);
    const [several, quoted, unknown] = [
      await parley.startConversation('Several'),
      await parley.startConversation('Quoted'),
      await parley.startConversation('Unknown'),
    ];
    await waitForQuestions(parley, 3);
    const { code, out, err } = await run(parley, 'answer-from-csv.sh', file, '--agent', parley.agent);
    expect([code, err]).toEqual([3, expect.stringContaining(`Never heard of? (${unknown})`)]);
    expect(out).toContain('2 answered, 1 left.');
    expect(await outcome(several)).toEqual({ q1: ['S', 'M'], q2: 3 });
    expect(await outcome(quoted)).toEqual({ q1: 'a, "b"\nand \'c\' $HOME' });
    expect(await parley.getConversation(unknown)).toMatchObject({ status: 'waiting_for_input' });
  });

  it('sends nothing for a question that the file answers only in part, and says what is missing', async () => {
    const file = path.join(folder, 'part.csv');
    writeFileSync(file, '"How many, at most?",3\n');
    const id = await parley.startConversation('Several');
    await parley.waitForQuestion(id);
    const { code, err } = await run(parley, 'answer-from-csv.sh', file, '--agent', parley.agent);
    expect(code).toBe(3);
    expect(err).toMatch(new RegExp(`Which sizes\\? \\(${id}\\): Answer not accepted\\. q1: .* has no answer`));
    expect(await parley.getConversation(id)).toMatchObject({ status: 'waiting_for_input' });
  });

  it('exits like the client if the server is unreachable', async () => {
    const file = path.join(folder, 'nowhere.csv');
    writeFileSync(file, 'Which roof?,Red\n');
    const nowhere = { ...parley, url: 'http://127.0.0.1:9' };
    const { code, out, err } = await run(nowhere, 'answer-from-csv.sh', file);
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^parley: /)]);
  });

  it('requires a file', async () => {
    expect((await run(parley, 'answer-from-csv.sh', path.join(folder, 'none.csv'))).code).toBe(2);
  });
});
