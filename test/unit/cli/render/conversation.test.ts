import { createTextStyle } from '#cli/render/colors';
import { renderPlanChanges, renderQuestion, renderQuestionOutcome, renderTimeline } from '#cli/render/conversation';
import { displayWidth } from '#cli/render/text';
import { renderToolLine, type ToolTimelineEntry } from '#cli/render/tool-line';
import type { Todo } from '#contract/conversation';
import type { Question } from '#contract/question';

const plain = createTextStyle(false);
const at = '2026-01-01T00:00:00.000Z';
const renderTool = (more: Partial<ToolTimelineEntry>, width = 80) =>
  renderToolLine({ id: 1, at, kind: 'tool', name: 'look', input: {}, ...more }, width, plain);

describe('a tool on one line', () => {
  it('shows its input and its result', () => {
    expect(renderTool({ input: { line: 'one' }, result: 'wrote one' })).toBe('⏺ look one → wrote one');
    expect(renderTool({ input: { a: [1], b: 2, c: 3 }, result: '' })).toBe('⏺ look {"a":[1],"b":2,"c":3}');
    expect(renderTool({})).toBe('⏺ look');
  });

  it('summarizes HTTP requests', () => {
    const result = JSON.stringify({
      status: 200,
      url: 'https://a.example',
      headers: {},
      body: 'x'.repeat(1_234),
    });
    expect(renderTool({ name: 'http_request', input: { url: 'https://a.example/b' }, result })).toBe(
      '⏺ http_request GET https://a.example/b → 200 OK 1.2 KB',
    );
  });

  it('shows its error in words', () => {
    expect(renderTool({ input: { line: 'x' }, error: 'the pen\nbroke' })).toBe('⏺ look x → failed: the pen broke');
    const red = renderToolLine(
      { id: 1, at, kind: 'tool', name: 'a', input: {}, error: 'b' },
      80,
      createTextStyle(true),
    );
    expect(red).toContain('\u001b[31mfailed: b');
  });

  it.each([20, 40, 80])('fits into %i columns, for any content', (width) => {
    for (const name of ['look', 'n'.repeat(100), '日本'.repeat(30)])
      for (const input of [{}, { line: 'long words '.repeat(20) }, { url: `https://${'a'.repeat(100)}` }])
        for (const more of [{ result: 'r'.repeat(200) }, { error: '\u001b[31m日本'.repeat(40) }, {}]) {
          const line = renderTool({ name, input, ...more }, width);
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
  });
});

describe('a plan', () => {
  const todo = (content: string, status: Todo['status']): Todo => ({ content, status });
  const before = [todo('Ask', 'in_progress'), todo('Act', 'pending')];

  it('is shown in full at first, and when it is replaced', () => {
    expect(renderPlanChanges([], before, 80, plain)).toEqual(['Plan', '  ▸ Ask', '  ○ Act']);
    expect(renderPlanChanges(before, [todo('Rest', 'pending')], 80, plain)).toEqual(['Plan', '  ○ Rest']);
  });

  it('otherwise shows only what changed', () => {
    expect(renderPlanChanges(before, [todo('Ask', 'completed'), todo('Act', 'pending')], 80, plain)).toEqual([
      '  ✓ Ask',
    ]);
    expect(renderPlanChanges(before, before, 80, plain)).toEqual([]);
  });
});

describe('a question in the history', () => {
  const field = {
    key: 'q1',
    header: 'Colour',
    question: 'Which colour?',
    multiSelect: false,
    allowOther: true,
    required: true,
  };
  const question: Question = {
    id: 'question-1',
    conversationId: 'c',
    agent: 'scout',
    origin: ['assistant', 'scout'],
    status: 'answered',
    context: '**Because** of the shed.',
    fields: [{ ...field, options: [{ label: 'Red\u001b[31m' }, { label: 'Blue' }] }],
    askedAt: at,
    expiresAt: null,
    onTimeout: 'continue',
    notices: [],
    outcome: { answers: { q1: { other: 'Green' } }, comment: 'Not too dark', by: 'maria', via: 'web', at },
  };

  it('shows who asked, why, what, and the possible answers', () => {
    expect(renderQuestion(question, 60, plain)).toEqual([
      'assistant › scout asks',
      'Because of the shed.',
      '',
      '? Which colour?',
      '  Red␛[31m · Blue · Other',
    ]);
  });

  it('shows its outcome', () => {
    expect(renderQuestionOutcome(question, 60, plain)).toEqual([
      '  Answered by maria on the web: Green',
      '  “Not too dark”',
    ]);
    const two = { ...question, fields: [field, { ...field, key: 'q2', header: 'Size' }] };
    const outcome = { answers: { q1: 'Red', q2: ['S', 'L'] }, at };
    expect(renderQuestionOutcome({ ...two, outcome }, 60, plain)).toEqual([
      '  Answered',
      '  Colour: Red',
      '  Size: S, L',
    ]);
  });

  it('shows exactly what an approval runs', () => {
    const confirms = { tool: 'pay', arguments: { amount: 7, to: 'a\u202eb' }, digest: '' };
    const shown = renderQuestion({ ...question, origin: ['a'], context: null, confirms }, 60, plain).join('\n');
    expect(shown).toContain('    {\n      "amount": 7,\n      "to": "a\\u202eb"\n    }');
  });
});

it('consecutive tools are grouped, and other entries separated', () => {
  const entry = { at, kind: 'tool' as const, name: 'look', input: {}, result: 'x' };
  const lines = renderTimeline(
    [
      { id: 1, at, kind: 'message', role: 'user', text: 'Go\non' },
      { id: 2, ...entry },
      { id: 3, ...entry },
      { id: 4, at, kind: 'status', status: 'running' },
      { id: 5, at, kind: 'notice', channel: 'slack:#ops', what: 'question-1: asked' },
      { id: 6, at, kind: 'status', status: 'completed' },
    ],
    60,
    plain,
  );
  expect(lines).toEqual(['› Go', '  on', '', '⏺ look → x', '⏺ look → x', '', 'Notified: Slack #ops', '', 'Completed']);
});
