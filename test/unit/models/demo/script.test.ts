import type Anthropic from '@anthropic-ai/sdk';
import { renderTriggerTemplate } from '#agents/trigger-template';
import { ValueSchema } from '#contract/question';
import { ConfirmInput, createAskInputSchema, createDelegateInputSchema, TodosInput } from '#contract/tool-inputs';
import type { ModelRequest, ScriptedMessage } from '#models/demo/reply';
import { demoScript } from '#models/demo/script';

type Result = { text: unknown; error?: boolean };
type Call = { name: string; input: Record<string, unknown> };

const ALL = ['write_todos', 'ask_user_question', 'confirm_action', 'delegate'];
const NOTE = /Demo model.*ANTHROPIC_API_KEY/;
const SCHEMAS = {
  ask_user_question: createAskInputSchema({ maxQuestions: 4, maxOptions: 4 }),
  confirm_action: ConfirmInput,
  write_todos: TodosInput,
  delegate: createDelegateInputSchema(['researcher', 'scout']),
};

/** The tools as the model sees them. */
function createTools(names: string[], subagents: string[], maxQuestions: number): Anthropic.Tool[] {
  return names.map((name) => ({
    name,
    input_schema: {
      type: 'object',
      ...(name === 'ask_user_question' ? { properties: { questions: { type: 'array', maxItems: maxQuestions } } } : {}),
      ...(name === 'delegate' ? { properties: { agent: { type: 'string', enum: subagents } } } : {}),
    },
  }));
}

interface ScenarioOptions {
  tools?: string[];
  subagents?: string[];
  /** Questions in a form. */
  maxQuestions?: number;
  /** The result of a call; to-do lists are accepted. */
  answer?: (call: Call, at: number) => Result;
}

/** A demo from the request to the end: every call is valid, and gets a result. */
async function runScenario(
  request: string,
  { tools = ALL, subagents = ['researcher'], maxQuestions = 4, answer = answerAndConfirm }: ScenarioOptions = {},
) {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: request }];
  const turns: Call[][] = [];
  for (let turnIndex = 0; turnIndex < 10; turnIndex += 1) {
    const body = { model: 'm', max_tokens: 100, messages, tools: createTools(tools, subagents, maxQuestions) };
    const { text = '', calls = [] } = (await demoScript({ body } as ModelRequest, turnIndex)) as ScriptedMessage;
    if (calls.length === 0) return { final: text, turns, calls: turns.flat() };
    const toolCalls = calls as Call[];
    for (const { name, input } of toolCalls) {
      expect(tools).toContain(name);
      SCHEMAS[name as keyof typeof SCHEMAS].parse(input);
    }
    turns.push(toolCalls);
    const ids = toolCalls.map((_, index) => `toolu_${turnIndex}_${index}`);
    const toolUses = toolCalls.map((call, index) => ({ type: 'tool_use' as const, id: ids[index] ?? '', ...call }));
    messages.push({ role: 'assistant', content: toolUses });
    messages.push({
      role: 'user',
      content: toolCalls.map((call, index) => createResult(call, ids[index] ?? '', index)),
    });
  }
  throw new Error('the play has no end');

  function createResult(call: Call, id: string, index: number): Anthropic.ToolResultBlockParam {
    const { text, error } = call.name === 'write_todos' ? { text: 'ok', error: false } : answer(call, index);
    const content = typeof text === 'string' ? text : JSON.stringify(text);
    return { type: 'tool_result', tool_use_id: id, content, is_error: error };
  }
}

interface AskedQuestion {
  question: string;
  header: string;
  options?: { label: string }[];
  multiSelect?: boolean;
  schema?: ValueSchema;
}
const questionsOf = ({ input }: Call) => (input as { questions: AskedQuestion[] }).questions;

function chooseFirstOptions(call: Call): Result {
  const answers = questionsOf(call).map(({ question, options, multiSelect }) => {
    const label = options?.[0]?.label ?? 'text';
    return [question, multiSelect ? [label] : label];
  });
  return { text: { answers: Object.fromEntries(answers), comment: 'mind the lift' } };
}

function answerAndConfirm(call: Call): Result {
  if (call.name === 'ask_user_question') return chooseFirstOptions(call);
  if (call.name === 'confirm_action') return { text: { confirmed: true } };
  return { text: `Found: ${call.input.task}`.slice(0, 200) };
}

const unanswered: [string, Result][] = [
  ['nobody answers', { text: { outcome: 'timed_out', message: 'Nobody answered.' } }],
  ['the person declines', { text: 'The user declined to answer.', error: true }],
];
const names = (turns: Call[][]) => turns.map((calls) => calls.map(({ name }) => name));

describe('a demo with sub-agents', () => {
  it('asks, delegates two tasks in parallel, asks for approval, and concludes with the findings', async () => {
    const { turns, final } = await runScenario('Deploy release 2.4 of the shop');
    expect(names(turns)).toEqual([
      ['write_todos', 'ask_user_question'],
      ['write_todos', 'delegate', 'delegate'],
      ['write_todos', 'confirm_action'],
      ['write_todos'],
    ]);
    const tasks = turns[1]?.slice(1).map(({ input }) => input) ?? [];
    expect(tasks.map(({ agent }) => agent)).toEqual(['researcher', 'researcher']);
    for (const { task } of tasks) {
      expect(task).toMatch(/^Research for “Deploy release 2\.4 of the shop”: /);
      expect(task).toContain('**Roll-out:** Canary');
      expect(task).toContain('mind the lift');
    }
    expect(new Set(tasks.map(({ task }) => task)).size).toBe(2);
    for (const expected of ['**Confirmed:**', '### Findings', '** (researcher)\n\nFound: Research', 'Next steps'])
      expect(final).toContain(expected);
    expect(final).toMatch(NOTE);
  });

  it('gives each of two sub-agents a task, and of three the first two', async () => {
    for (const subagents of [
      ['researcher', 'scout'],
      ['researcher', 'scout', 'third'],
    ]) {
      const { calls } = await runScenario('Plan our team offsite', { subagents });
      const delegatedTo = calls.filter(({ name }) => name === 'delegate').map(({ input }) => input.agent);
      expect(delegatedTo).toEqual(['researcher', 'scout']);
    }
  });

  it('has a to-do item for the research', async () => {
    const { calls } = await runScenario('Migrate the database');
    const lists = calls
      .filter(({ name }) => name === 'write_todos')
      .map(({ input }) => input.todos as { status: string }[]);
    expect(lists.map((list) => list.map(({ status }) => status))).toEqual([
      ['in_progress', 'pending', 'pending', 'pending'],
      ['completed', 'completed', 'in_progress', 'pending'],
      ['completed', 'completed', 'completed', 'in_progress'],
      ['completed', 'completed', 'completed', 'completed'],
    ]);
  });

  it('says who could not complete a task, and why, and continues', async () => {
    const { final, calls } = await runScenario('Migrate the database', {
      answer: (call, at) =>
        call.name === 'delegate' && at === 1
          ? { text: 'The sub-agent was cancelled.', error: true }
          : answerAndConfirm(call),
    });
    expect(final).toContain('researcher could not complete this: The sub-agent was cancelled.');
    expect(final).toContain('** (researcher)\n\nFound:');
    expect(calls.map(({ name }) => name)).toContain('confirm_action');
  });

  it('reads findings within JSON, without the heading and note of the sub-agent', async () => {
    const found = await runScenario('Research for “X”: what goes wrong.', { tools: ['ask_user_question'] });
    const { final } = await runScenario('Migrate the database', {
      answer: (call) =>
        call.name === 'delegate' ? { text: { status: 'completed', result: found.final } } : answerAndConfirm(call),
    });
    expect(final).toContain('** (researcher)\n\n- Period: **The last month**');
    expect(final.match(/Demo model/g)).toHaveLength(1);
  });

  it.each(unanswered)('delegates nothing if %s', async (_what, result) => {
    const { calls, final } = await runScenario('Migrate the database', { answer: () => result });
    expect(calls.map(({ name }) => name)).toEqual(['write_todos', 'ask_user_question', 'write_todos']);
    expect(final).toContain('_(assumed)_');
  });

  it('works without the tools that are not offered', async () => {
    const withoutAsking = await runScenario('Migrate the database', { tools: ['delegate'] });
    expect(names(withoutAsking.turns)).toEqual([['delegate', 'delegate']]);
    expect(withoutAsking.final).toContain('I could not ask');
    expect(withoutAsking.final).toContain('### Findings');

    const withoutConfirming = await runScenario('Migrate the database', { tools: ['ask_user_question', 'delegate'] });
    expect(names(withoutConfirming.turns)).toEqual([['ask_user_question'], ['delegate', 'delegate']]);

    const withoutSubagents = await runScenario('Migrate the database', { subagents: [] });
    expect(withoutSubagents.calls.map(({ name }) => name)).not.toContain('delegate');
  });

  it('starts nothing if the person says no, and reports the findings all the same', async () => {
    const { final } = await runScenario('Migrate the database', {
      answer: (call) => (call.name === 'confirm_action' ? { text: { confirmed: false } } : answerAndConfirm(call)),
    });
    expect(final).toContain('Not done, because you said no');
    expect(final).toContain('### Findings');
    expect(final).not.toContain('Next steps');
  });
});

describe('a research task', () => {
  it.each([
    ['Research for “Release 2.4”: what usually goes wrong with Canary.', 'Look back'],
    ['Find out how long a backup takes', 'Sources'],
  ])('is one question with options, then findings that use the answer: %s', async (task, header) => {
    const { turns, final } = await runScenario(task);
    expect(names(turns)).toEqual([['ask_user_question']]);
    const [question, ...more] = turns.flat().flatMap(questionsOf);
    expect(more).toEqual([]);
    expect(question).toMatchObject({ header });
    expect(question?.options?.length).toBe(3);
    expect(final).toContain(`**${question?.options?.[0]?.label}**`);
    expect(final).toContain('mind the lift');
    expect(final).not.toContain('assumed');
    expect(final).toMatch(NOTE);
  });

  it('is the scenario of an agent that may ask one question only', async () => {
    const { turns } = await runScenario('How old is Node 20?', { maxQuestions: 1, tools: ['ask_user_question'] });
    expect(turns.flat().flatMap(questionsOf)).toHaveLength(1);
    const short = await runScenario('The lift is stuck, as reported', {
      maxQuestions: 2,
      answer: () => ({ text: { answers: {} } }),
    });
    expect(
      short.turns
        .flat()
        .filter(({ name }) => name === 'ask_user_question')
        .flatMap(questionsOf),
    ).toHaveLength(2);
  });

  it('has its topic as the heading, whatever it is for', async () => {
    const heading = async (task: string) => (await runScenario(task)).final.split('\n', 1)[0];
    expect(await heading('Research for “Release 2.4: the shop”: what goes wrong.\n\nKnown:\n- x')).toBe(
      '## What goes wrong',
    );
    expect(await heading('Find out how long it takes')).toBe('## Find out how long it takes');
  });

  it.each([...unanswered, ['asking is not offered', undefined] as const])(
    'uses an assumption if %s',
    async (_what, result) => {
      const tools = result ? ALL : ['write_todos'];
      const { final } = await runScenario('Research for “X”: what goes wrong.', {
        tools,
        answer: () => result ?? { text: '' },
      });
      expect(final).toContain('so I used **The last year** _(assumed)_');
      expect(final).toMatch(NOTE);
    },
  );

  it('is the form of every task that the demo delegates', async () => {
    for (const request of ['Plan our team offsite', 'Migrate the database', 'Write a post', 'Sort out my garage']) {
      const { calls } = await runScenario(request);
      for (const { input } of calls.filter(({ name }) => name === 'delegate')) {
        const { turns } = await runScenario(String(input.task));
        expect(names(turns)).toEqual([['ask_user_question']]);
      }
    }
  });
});

describe('a report', () => {
  const report = renderTriggerTemplate('Incident report from {{ name }}: {{ title }}\n\n{{ text }}', {
    name: 'Sam',
    title: 'The lift is stuck',
    text: 'Third floor | since the storm',
  }).modelText;
  const formValues: Record<string, unknown> = {
    Severity: 'critical',
    Affected: 12,
    Since: '2026-01-05',
    Contact: 'sam@example.com',
  };
  const answerForm = (call: Call): Result => ({
    text: {
      answers: Object.fromEntries(questionsOf(call).map(({ header, question }) => [question, formValues[header]])),
      comment: 'doors are open',
    },
  });

  it('is a form of fields with schemas, then a ticket', async () => {
    const { turns, final } = await runScenario(report, { answer: answerForm });
    expect(names(turns)).toEqual([['write_todos', 'ask_user_question'], ['write_todos']]);
    const fields = turns
      .flat()
      .filter(({ name }) => name === 'ask_user_question')
      .flatMap(questionsOf);
    expect(fields.map(({ schema }) => ValueSchema.parse(schema))).toEqual([
      { type: 'string', enum: ['critical', 'high', 'medium', 'low'] },
      { type: 'integer', minimum: 1 },
      { type: 'string', format: 'date' },
      { type: 'string', format: 'email' },
    ]);
    expect(final).toMatch(/^## Ticket: The lift is stuck\n/);
    for (const row of [
      '| **Severity** | critical |',
      '| **Affected** | 12 |',
      '| **Since** | 2026-01-05 |',
      '| **Contact** | sam@example.com |',
      '**You added:** doors are open',
      '> Incident report from Sam: The lift is stuck',
      '> Third floor | since the storm',
      '**Next:** Page the on-call engineer now',
    ])
      expect(final).toContain(row);
    expect(final).not.toMatch(/from_webhook|came from outside|to be completed/);
    expect(final).toMatch(NOTE);
  });

  it.each([...unanswered, ['asking is not offered', undefined] as const])(
    'is a ticket with gaps if %s',
    async (_what, result) => {
      const tools = result ? ALL : ['write_todos'];
      const { final } = await runScenario(report, { tools, answer: () => result ?? { text: '' } });
      for (const expected of [
        '**to be completed**',
        'medium _(assumed)_',
        '| **Contact** | _unknown_ |',
        '**Next:** Schedule',
      ])
        expect(final).toContain(expected);
    },
  );

  it.each(['The website is down', 'Sam reports: no heating', 'Open a ticket for the printer'])(
    'may be as short as "%s"',
    async (request) => {
      expect((await runScenario(request, { answer: answerForm })).final).toContain('## Ticket: ');
    },
  );

  it.each(['Write an incident report', 'Plan how we handle outages', 'Prepare the report for the board'])(
    'is not what "%s" asks for',
    async (request) => {
      expect((await runScenario(request)).final).not.toContain('Ticket');
    },
  );
});
