import Anthropic from '@anthropic-ai/sdk';
import { demoScript } from '#models/demo/script';
import { type DemoModelServer, startDemoModelServer } from '#models/demo/server';

type Result = { text: unknown; error?: boolean };
type Answer = (call: Anthropic.ToolUseBlock) => Result;
interface Form {
  context: string;
  questions: {
    question: string;
    header: string;
    options: { label: string; description: string }[];
    multiSelect: boolean;
    default: string | string[];
  }[];
}

const ALL = ['write_todos', 'ask_user_question', 'confirm_action'];
const NOTE = /Demo model.*ANTHROPIC_API_KEY/;

let server: DemoModelServer;

beforeAll(async () => {
  server = await startDemoModelServer(async (...args) => ({ ...(await demoScript(...args)), chunkMs: 0 }));
});

afterAll(() => server.stop());

/** A conversation driven by hand, like the workflow: send, answer every call, until the model is done. */
function startDemoConversation(answer: Answer, tools = ALL) {
  const client = new Anthropic({ apiKey: 'x', baseURL: server.url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [];
  const calls: Anthropic.ToolUseBlock[] = [];
  const offered = tools.map((name) => ({ name, input_schema: { type: 'object' as const } }));

  async function takeTurn(): Promise<string> {
    const params = { model: 'demo', max_tokens: 4000, messages, tools: offered };
    const { content } = await client.messages.stream(params).finalMessage();
    messages.push({ role: 'assistant', content });
    const toolCalls = content.filter((block) => block.type === 'tool_use');
    if (toolCalls.length === 0) return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    calls.push(...toolCalls);
    messages.push({ role: 'user', content: toolCalls.map(createResult) });
    return takeTurn();
  }

  function createResult(call: Anthropic.ToolUseBlock): Anthropic.ToolResultBlockParam {
    const { text, error } = call.name === 'write_todos' ? { text: 'ok', error: false } : answer(call);
    const content = typeof text === 'string' ? text : JSON.stringify(text);
    return {
      type: 'tool_result',
      tool_use_id: call.id,
      content: [{ type: 'text', text: content }],
      is_error: error,
    };
  }

  return {
    messages,
    calls,
    names: () => calls.map(({ name }) => name),
    inputs: (name: string) => calls.filter((call) => call.name === name).map(({ input }) => input),
    send(text: string) {
      messages.push({ role: 'user', content: text });
      return takeTurn();
    },
  };
}

function toForm(input: unknown): Form {
  return input as Form;
}

/** Answers a form with the first option, or the first option plus custom text. */
function answerForm(input: unknown): Result {
  const [one, many] = toForm(input).questions;
  const value = [many?.options[0]?.label, { other: 'karaoke' }];
  const answers = { [one?.question ?? '']: one?.options[0]?.label, [many?.question ?? '']: value };
  return { text: { answers, comment: 'not on a Monday' } };
}

const answerAndConfirm: Answer = ({ name, input }) =>
  name === 'ask_user_question' ? answerForm(input) : { text: { confirmed: true, comment: 'go on' } };

describe('the demo', () => {
  it.each([
    ['Plan our team offsite', 'Place', 'City centre', 'Workshops'],
    ['Migrate the database', 'Roll-out', 'Canary', 'Backup'],
    ['Sort out my garage', 'Priority', 'Speed', 'A plan in steps'],
  ])(
    'plays "%s" to the end, with suitable questions and a result that uses the answers',
    async (request, header, one, many) => {
      const demo = startDemoConversation(answerAndConfirm);
      const final = await demo.send(request);

      expect(demo.names()).toEqual([
        'write_todos',
        'ask_user_question',
        'write_todos',
        'confirm_action',
        'write_todos',
      ]);
      expect(JSON.stringify(demo.messages[1])).toContain(`“${request}”`);
      const [form] = demo.inputs('ask_user_question').map(toForm);
      expect(form?.questions[0]?.header).toBe(header);
      const [confirmation] = demo.inputs('confirm_action') as {
        action: string;
        details: string;
        default: string;
      }[];
      expect(confirmation?.action).toContain(one);
      expect(confirmation?.action).toContain(many);
      expect(confirmation?.action).toContain('karaoke');
      expect(confirmation?.details).toContain('not on a Monday');
      expect(confirmation?.default).toBe('No');
      for (const used of [request, one, many, '“karaoke”', 'not on a Monday', 'go on', '**Confirmed:**']) {
        expect(final).toContain(used);
      }
      expect(final).toMatch(NOTE);
    },
  );

  it.each(['A party', 'A deploy', 'An email', 'Anything'])('asks a well-formed form about "%s"', async (request) => {
    const demo = startDemoConversation(answerAndConfirm);
    await demo.send(request);
    const [form] = demo.inputs('ask_user_question').map(toForm);
    expect(form?.context.split('\n').length).toBeGreaterThan(2);
    expect(form?.questions.map(({ multiSelect }) => multiSelect)).toEqual([false, true]);
    expect(form?.questions.map(({ options }) => options.length)).toEqual([3, 4]);
    for (const { header, options, default: usual } of form?.questions ?? []) {
      expect(header.length).toBeLessThanOrEqual(12);
      expect(options.every(({ description }) => description.length > 0)).toBe(true);
      expect(options.map(({ label }) => label)).toEqual(expect.arrayContaining([usual].flat()));
    }
  });

  it('keeps its to-do list up to date', async () => {
    const demo = startDemoConversation(answerAndConfirm);
    await demo.send('Plan our team offsite');
    const lists = demo.inputs('write_todos') as { todos: { status: string }[] }[];
    expect(lists.map(({ todos }) => todos.map(({ status }) => status))).toEqual([
      ['in_progress', 'pending', 'pending'],
      ['completed', 'completed', 'in_progress'],
      ['completed', 'completed', 'completed'],
    ]);
  });

  it('says what it did not do if the person says no', async () => {
    const demo = startDemoConversation(({ name, input }) =>
      name === 'ask_user_question' ? answerForm(input) : { text: { confirmed: false, comment: 'too dear' } },
    );
    const final = await demo.send('Plan our team offsite');
    expect(final).toMatch(/Not done, because you said no.*City centre/);
    expect(final).toContain('too dear');
    expect(final).not.toContain('Next steps');
    expect(demo.inputs('write_todos').at(-1)).toMatchObject({ todos: [{}, {}, { status: 'pending' }] });
  });

  it.each<[string, Result]>([
    ['nobody confirms in time', { text: { outcome: 'timed_out', message: 'Nobody answered.' } }],
    ['the confirmation is declined', { text: 'The person declined.', error: true }],
  ])('does not act if %s', async (_, confirmation) => {
    const demo = startDemoConversation(({ name, input }) =>
      name === 'ask_user_question' ? answerForm(input) : confirmation,
    );
    expect(await demo.send('Plan our team offsite')).toContain('Not done, because it was not confirmed');
  });

  it('continues with stated assumptions if nobody answers in time', async () => {
    const demo = startDemoConversation(() => ({ text: { outcome: 'timed_out', message: 'Nobody answered.' } }));
    const final = await demo.send('Migrate the database');
    expect(demo.names()).not.toContain('confirm_action');
    expect(final).toContain('No answer in time');
    expect(final).toContain('**Roll-out:** Canary _(assumed)_');
    expect(final).toContain('**Safeguards:** Backup and Rollback script _(assumed)_');
  });

  it('continues without answers if the person skips', async () => {
    const demo = startDemoConversation(() => ({ text: 'The person declined to answer: no time', error: true }));
    const final = await demo.send('Write an email');
    expect(demo.names()).toEqual(['write_todos', 'ask_user_question', 'write_todos']);
    expect(final).toContain('without your answers');
    expect(final).toMatch(NOTE);
  });

  it('assumes only what was left open', async () => {
    const demo = startDemoConversation(({ name, input }) => {
      const [one] = name === 'ask_user_question' ? toForm(input).questions : [];
      return { text: one ? { answers: { [one.question]: { other: 'A castle' } } } : { confirmed: true } };
    });
    const final = await demo.send('Plan our team offsite');
    expect(final).toContain('**Place:** “A castle”\n');
    expect(final).toContain('**Programme:** Workshops and Team dinner _(assumed)_');
  });

  it('uses only the tools that are offered', async () => {
    const withForm = startDemoConversation(answerAndConfirm, ['ask_user_question']);
    expect(await withForm.send('Plan our team offsite')).toContain('City centre');
    expect(withForm.names()).toEqual(['ask_user_question']);

    const withConfirmation = startDemoConversation(answerAndConfirm, ['confirm_action']);
    expect(await withConfirmation.send('Plan our team offsite')).toContain('**Confirmed:**');
    expect(withConfirmation.names()).toEqual(['confirm_action']);

    const withNone = startDemoConversation(answerAndConfirm, []);
    expect(await withNone.send('Plan our team offsite')).toContain('assumptions');
    expect(withNone.names()).toEqual([]);
  });

  it('replies to thanks briefly without a question, and to a new request with a new form', async () => {
    const demo = startDemoConversation(answerAndConfirm);
    await demo.send('Plan our team offsite');
    const before = demo.calls.length;
    expect(await demo.send('Thanks, that’s great!')).toContain('You are welcome');
    expect(await demo.send('What about the budget?')).toContain('What about the budget');
    expect(demo.calls.length).toBe(before);

    const final = await demo.send('Now migrate the database');
    expect(demo.calls.length).toBe(before * 2);
    expect(final).toContain('Canary');
    expect(final).not.toContain('City centre');
  });

  it('replies to a greeting', async () => {
    const demo = startDemoConversation(answerAndConfirm);
    expect(await demo.send('Hello there!')).toContain('Hello!');
    expect(demo.calls).toEqual([]);
  });

  it('considers messages sent while the question was open', async () => {
    const demo = startDemoConversation(answerAndConfirm, ['ask_user_question']);
    await demo.send('Plan our team offsite');
    demo.messages.splice(3);
    expect(await demo.send('There are twelve of us')).toContain('**You added:** There are twelve of us');
  });
});
