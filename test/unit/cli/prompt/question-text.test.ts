import {
  renderPromptDeadline,
  renderPromptField,
  renderPromptIntroduction,
  renderResolvedElsewhere,
} from '#cli/prompt/question-text';
import { createTextStyle } from '#cli/render/colors';
import { displayWidth } from '#cli/render/text';
import type { Terminal } from '#cli/tty/terminal';
import type { Question } from '#contract/question';
import { buildOptions, FIXTURE_NOW, questionFixture } from '#test/support/cli/question-fixtures';

function renderQuestionText(question: Question, width = 80, isColored = false): string {
  const renderOptions = { width, style: createTextStyle(isColored), now: FIXTURE_NOW };
  const end = renderPromptDeadline(question, renderOptions);
  const fields = question.fields.flatMap((field) => ['', ...renderPromptField(field, renderOptions)]);
  return [...renderPromptIntroduction(question, renderOptions), ...fields, '', ...end].join('\n');
}

describe('a question as lines', () => {
  it('shows who asks, why, what, and until when', () => {
    const question = questionFixture(
      [
        {
          options: [{ label: 'SQLite', description: 'One file.' }, { label: 'Other\x1b[2J' }],
          allowOther: true,
          default: 'SQLite',
        },
        {
          header: 'Count',
          question: 'How many?',
          schema: { type: 'integer', minimum: 1, maximum: 9 },
          required: false,
        },
      ],
      {
        origin: ['assistant', 'researcher'],
        context: 'It is about the new service.',
        expiresAt: '2026-11-16T09:30:00Z',
        onTimeout: 'default',
      },
    );
    expect(renderQuestionText(question)).toBe(
      [
        'assistant › researcher asks',
        '',
        'It is about the new service.',
        '',
        'Database',
        'Which database?',
        '  1. SQLite',
        '     One file.',
        '  2. Other␛[2J',
        '  3. Other…',
        'Default: SQLite.',
        '',
        'Count',
        'How many?',
        'A whole number from 1 to 9. Optional.',
        '',
        'Due in 30 min. After that, the agent uses the defaults.',
      ].join('\n'),
    );
  });

  const toolArguments = { note: `two  blanks ${'x'.repeat(40)}  end`, hidden: 'a\u202e\u00a0b' };
  const action = questionFixture([{ header: 'Confirm', options: buildOptions('Yes, proceed', 'No, cancel') }], {
    confirms: { tool: 'delete_all', arguments: toolArguments, digest: '', destructive: true },
  });

  it('shows an action with its exact arguments, at any width', () => {
    expect(renderQuestionText(action)).toContain('Runs delete_all with exactly these arguments:');
    for (const width of [20, 33, 80]) {
      const lines = renderQuestionText(action, width).split('\n');
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
      const json = lines
        .filter((line) => line.startsWith('│ '))
        .map((line) => line.slice(2))
        .join('');
      expect(JSON.parse(json)).toEqual(toolArguments);
    }
  });

  it('warns in red only about a tool that is declared destructive', () => {
    expect(renderQuestionText(action, 80, true)).toContain('\x1b[31mCareful: “yes” runs this immediately.\x1b[39m');
    const harmless = questionFixture([{}], { confirms: { tool: 'delete_all', arguments: {}, digest: '' } });
    expect(renderQuestionText(harmless, 80, true)).not.toContain('Careful');
  });

  it('shows what is required without printing control characters', () => {
    const schema = { type: 'string' as const, pattern: '^\x1b[2Ja$' };
    expect(renderQuestionText(questionFixture([{ schema }]))).toContain('^␛[2Ja$');
  });

  it('shows its outcome', () => {
    const outcome = { answers: { q1: 'SQLite' }, by: 'maria', via: 'slack', at: '2026-11-16T08:30:00Z' };
    const resolved = questionFixture([{}], {
      status: 'answered',
      outcome: { ...outcome, comment: 'Why not' },
    });
    const terminal = { style: createTextStyle(false), width: () => 80 } as Terminal;
    expect(renderResolvedElsewhere(resolved, ['Database: MySQL'], terminal)).toEqual([
      '● Answered by maria via Slack: SQLite',
      '  “Why not”',
      '  Your unsent draft:',
      '    Database: MySQL',
    ]);
  });
});
