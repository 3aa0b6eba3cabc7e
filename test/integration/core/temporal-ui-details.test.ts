import { execFileSync } from 'node:child_process';
import type { Question } from '#contract/question';
import { renderTemporalDetails } from '#core/temporal-ui-details';
import { modelSays, startedConversation, toolUse } from '#test/support/core/conversation-fixture';

const HOSTILE = `<img src=x onerror=alert(1)> [here](javascript:alert(1)) \`x\` # no
**not bold** 'quoted' $(touch /tmp/x) "; rm -rf . #`;

function details(): { text: string; question: Question } {
  const state = startedConversation({ message: HOSTILE });
  modelSays(
    state,
    toolUse('call-1', 'ask_user_question', {
      context: '**Why** ![x](https://elsewhere.example/?said=secret) <img src="https://elsewhere.example/">',
      questions: [{ question: HOSTILE, options: [{ label: HOSTILE, description: HOSTILE }, { label: 'B' }] }],
    }),
  );
  return { text: renderTemporalDetails(state), question: state.question as Question };
}

describe('the workflow page in the Temporal UI', () => {
  it('shows the context as Markdown, without images from elsewhere', () => {
    const { text } = details();
    expect(text).toContain('**Why** \\![x](https://elsewhere.example/?said=secret) \\<img src=');
  });

  it('contains no markup that a person or a model wrote', () => {
    const { text } = details();
    const prose = text.slice(0, text.indexOf('Answer from')).replace(/^\*\*Why\*\*.*$/m, '');
    const ours = prose.replaceAll('`clerk`', '').replaceAll(/\\./g, '');
    expect(ours).not.toMatch(/[<>`[\]_|]/);
    expect(ours).not.toMatch(/not bold\*\*|^# no/m);
    expect(prose).toContain('\\<img src=x onerror=alert(1)\\>');
  });

  it('has a command that a shell parses as one answer, whatever an option is called', () => {
    const { text, question } = details();
    const [, command = ''] = /```\n(temporal [\s\S]*?)\n```/.exec(text) ?? [];
    expect(command.split('\n')).toHaveLength(1);
    const words = execFileSync('sh', ['-c', command.replace(/^temporal/, "printf '%s\\n'")]).toString();
    const [workflow, signal, flag, id, , name, , input, ...rest] = words.trimEnd().split('\n');
    expect([workflow, signal, flag, id, name, rest]).toEqual([
      'workflow',
      'signal',
      '--workflow-id',
      'c-1',
      'answerQuestion',
      [],
    ]);
    expect(JSON.parse(input ?? '')).toEqual({
      answers: { q1: question.fields[0]?.options?.[0]?.label },
    });
  });
});
