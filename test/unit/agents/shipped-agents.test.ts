import path from 'node:path';
import { loadAgents } from '#agents/load-agents';
import { knownTools } from '#test/support/agents/agents-folder';
import { selectToolsFor } from '#tools/tool-set';

const agents = loadAgents(path.join(__dirname, '../../../agents'), knownTools);

describe('the agents that ship', () => {
  it('have no errors', () => {
    expect([...agents.keys()]).toEqual(['assistant', 'deploy-captain', 'intake', 'researcher']);
  });

  it('include a generalist with the usual tools', () => {
    expect(agents.get('assistant')).toMatchObject({ tools: [{ name: 'write_todos' }], subagents: [] });
  });

  it('include a captain whose requests need approval, that can delegate, and that sends reminders', () => {
    const captain = agents.get('deploy-captain');
    expect(captain?.tools).toContainEqual(
      expect.objectContaining({ name: 'http_request', requiresConfirmation: true }),
    );
    expect(agents.get('deploy-captain')?.subagents).toEqual(['researcher']);
    expect(captain?.questions).toMatchObject({
      remind: [expect.any(Number), expect.any(Number)],
      escalate: [{ to: ['release-managers'] }],
    });
  });

  it('include a researcher that may ask one question at a time', () => {
    const researcher = agents.get('researcher');
    expect(researcher).toMatchObject({ canAsk: true, questions: { maxQuestions: 1 } });
    expect(researcher && selectToolsFor(researcher, knownTools).map(({ name }) => name)).toEqual([
      'ask_user_question',
      'confirm_action',
      'http_request',
    ]);
  });

  it('include an intake that a webhook starts, without a secret', () => {
    const { trigger } = agents.get('intake') ?? {};
    expect(trigger?.message).toContain('{{ issue.title }}');
    expect(trigger?.secret).toBeUndefined();
  });
});
