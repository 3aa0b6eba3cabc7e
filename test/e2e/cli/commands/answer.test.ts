import type { Question } from '#contract/question';
import type { ModelScript } from '#models/demo/reply';
import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

/** Asks for a database and a count, and repeats the answer. */
const script: ModelScript = (request) => {
  const [result] = lastToolResults(request);
  if (result) return replyWithText(`heard ${result.text}`);
  const options = [{ label: 'PostgreSQL' }, { label: 'SQLite' }];
  return replyWithQuestion([
    { question: 'Which database?', header: 'Database', options },
    { question: 'How many?', header: 'Count', schema: { type: 'integer', minimum: 1 } },
  ]);
};

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley({ ownWorker: true, script });
  env = { PARLEY_URL: parley.url };
});
afterAll(() => parley.stop());

async function startWaiting(): Promise<string> {
  const id = await parley.startConversation('Choose');
  await parley.waitForQuestion(id);
  return id;
}

const getQuestion = async (id: string) =>
  (await parley.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body;

describe('parley answer with flags', () => {
  it('answers by header and key, with a comment, without a prompt', async () => {
    const id = await startWaiting();
    const flags = ['--field', 'Database=postgresql', '--field', 'q2=3', '--comment', 'Small'];
    const result = await runPiped(['answer', id, ...flags], env);
    expect(result).toEqual({ code: 0, out: 'Answer sent. The agent continues.\n', err: '' });
    expect((await getQuestion(id)).outcome).toMatchObject({
      answers: { q1: 'PostgreSQL', q2: 3 },
      comment: 'Small',
      via: 'terminal',
    });
  });

  it.each([[['ID', '--json', '-']], [['--json', '-', 'ID']], [['-', 'ID', '--json']]])(
    'reads the answer from stdin with %j, and prints the API’s reply',
    async (args) => {
      const id = await startWaiting();
      const argv = ['answer', ...args.map((word) => (word === 'ID' ? id : word))];
      const { code, out, err } = await runPiped(argv, env, '{"q1": {"other": "DuckDB"}, "q2": 1}');
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toMatchObject({
        question: {
          id: 'question-1',
          status: 'answered',
          outcome: { answers: { q1: { other: 'DuckDB' }, q2: 1 } },
        },
        conversation: { id },
      });
    },
  );

  it('sends nothing if the answer is invalid, and reports every error', async () => {
    const id = await startWaiting();
    const { code, out, err } = await runPiped(['answer', id, '--field', 'q1=Oracle', '--json'], env);
    expect([code, out]).toEqual([5, '']);
    const { code: errorCode, errors } = JSON.parse(err);
    expect([errorCode, errors.map(({ path }: { path: string }) => path)]).toEqual([
      'invalid_answer',
      ['answers.q1', 'answers.q2'],
    ]);
    expect(await getQuestion(id)).toMatchObject({ status: 'pending' });
  });

  it('treats an unknown field as wrong usage', async () => {
    const id = await startWaiting();
    const { code, out, err } = await runPiped(['answer', id, '--field', 'colour=red'], env);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('q1 (Database), q2 (Count)');
  });

  it('says who answered first if the question is closed', async () => {
    const id = await startWaiting();
    await parley.answer(id, { answers: { q1: 'SQLite', q2: 1 } });
    await parley.waitForStatus(id, 'completed');
    const { code, out, err } = await runPiped(['answer', id, '--field', 'q1=PostgreSQL', '--field', 'q2=2'], env);
    expect([code, out, err]).toEqual([5, '', 'parley: Answered over HTTP. Nothing was sent.\n']);
  });

  it('never prompts with --json, and says how to answer', async () => {
    const { code, out, err } = await runPiped(['answer', await startWaiting(), '--json'], env);
    expect([code, out, JSON.parse(err).code]).toEqual([2, '', 'usage']);
  });

  it('says that the answer is saved while no worker is running', async () => {
    const id = await startWaiting();
    await parley.stopWorker();
    try {
      const { code, out } = await runPiped(['answer', id, '--field', 'q1=SQLite', '--field', 'q2=1'], env);
      expect([code, out]).toEqual([0, 'Saved. The agent will continue when a worker is running.\n']);
    } finally {
      await parley.startWorker();
    }
    await parley.waitForStatus(id, 'completed');
  });
});
