import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { MALFORMED_CALLS, REFUSED_QUESTIONS } from '#test/support/tools/malformed-calls';

interface Row {
  name: string;
  input: unknown;
  said: RegExp;
}

const isObject = (input: unknown) => typeof input === 'object' && input !== null && !Array.isArray(input);

/** The model's API cannot send what is not an object; the unit tests cover those rows. */
const rows: Row[] = [
  ...MALFORMED_CALLS.filter(([, , input]) => isObject(input)).map(([name, , input, said]) => ({
    name,
    input,
    said,
  })),
  ...REFUSED_QUESTIONS.map(([, questions, said]) => ({
    name: 'ask_user_question',
    input: { questions },
    said,
  })),
  {
    name: 'confirm_action',
    input: { action: 'Go?', arguments: { data: 'x'.repeat(20_000) } },
    said: /16 KB/,
  },
];

const PER_CONVERSATION = 20;
const handfuls = Array.from({ length: Math.ceil(rows.length / PER_CONVERSATION) }, (_, n) =>
  rows.slice(n * PER_CONVERSATION, (n + 1) * PER_CONVERSATION),
);

describe('malformed calls, through a real server', () => {
  let p: TestParley;
  const scripts = new Map<string, Row[]>();

  beforeAll(async () => {
    p = await startParley({
      script: ({ body }) => {
        const asked = JSON.stringify(body.messages[0]?.content);
        const handful = scripts.get(/handful-\d+/.exec(asked)?.[0] ?? '') ?? [];
        if (body.messages.length > 1) return replyWithText('mended');
        return replyWithToolCalls(...handful.map(({ name, input }, n) => ({ name, input, id: `call-${n}` })));
      },
    });
  });
  afterAll(() => p.stop());

  it.each(handfuls.map((handful, n) => [n, handful.length, handful] as const))(
    'return errors that the model can read, and the conversation completes (handful %d: %d calls)',
    async (n, _count, handful) => {
      scripts.set(`handful-${n}`, handful);
      const id = await p.startConversation(`handful-${n}`);
      const done = await p.waitForStatus(id, 'completed');
      expect(done).toMatchObject({ result: 'mended', error: null, questionsAsked: 0 });

      const heard = p.model.requests.filter(({ body }) =>
        JSON.stringify(body.messages[0]?.content).includes(`"handful-${n}"`),
      );
      expect(heard).toHaveLength(2);
      const results = heard[1] ? lastToolResults(heard[1]) : [];
      expect(results.map((result) => result.id)).toEqual(handful.map((_, call) => `call-${call}`));
      results.forEach(({ text, isError }, call) => {
        expect(isError).toBe(true);
        expect(text).toMatch(handful[call]?.said ?? /never/);
        expect(text).not.toMatch(/undefined is not|at Object|\.ts:|ZodError|\[object/);
        expect(text.length).toBeLessThan(2_000);
      });
    },
  );

  it('cover the whole table', () => {
    expect(handfuls.flat()).toHaveLength(rows.length);
    expect(rows.length).toBeGreaterThan(100);
  });
});
