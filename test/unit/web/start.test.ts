import { ParleyError } from '#client/parley-error';
import { examplesFor } from '../../../web/start/examples';
import { agentFor, BLANK, bodyOf, faultsOf } from '../../../web/start/starting';

const SHIPPED = ['assistant', 'deploy-captain', 'intake', 'researcher'];

describe('the agent of a new conversation', () => {
  it('is the one the address names, else the one picked before, else the assistant', () => {
    expect(agentFor(SHIPPED, 'intake', 'researcher')).toBe('intake');
    expect(agentFor(SHIPPED, null, 'researcher')).toBe('researcher');
    expect(agentFor(SHIPPED, null)).toBe('assistant');
  });

  it('is one that there is', () => {
    expect(agentFor(SHIPPED, 'nobody', 'gone')).toBe('assistant');
    expect(agentFor(['clerk', 'cook'], null)).toBe('clerk');
    expect(agentFor([], null)).toBe('');
  });
});

describe('what is sent to start a conversation', () => {
  it('has the message as it was written', () => {
    const body = bodyOf('assistant', { ...BLANK, message: '  Plan\n' });
    expect(body).toEqual({ agent: 'assistant', message: '  Plan\n' });
  });

  it('has a deadline for questions only where one was chosen', () => {
    const body = bodyOf('assistant', { message: 'Plan', timeout: 'never' });
    expect(body).toEqual({ agent: 'assistant', message: 'Plan', question: { timeout: 'never' } });
  });
});

describe('a start that was refused', () => {
  it.each([
    ['too_large', 'message'],
    ['unknown_agent', 'agent'],
    ['network', 'form'],
    ['temporal_unavailable', 'form'],
  ] as const)('is told where it can be mended: %s at the %s', (code, place) => {
    expect(Object.keys(faultsOf(new ParleyError(code, 'Because.')))).toEqual([place]);
  });
});

describe('examples', () => {
  it('are there for the agents that ship', () => {
    expect(examplesFor('researcher', SHIPPED)).toEqual(['Find out what a backup takes']);
    expect(examplesFor('intake', SHIPPED)).toEqual([]);
  });

  it('are not shown where the agents are others', () => {
    expect(examplesFor('assistant', ['assistant', 'cook'])).toEqual([]);
  });
});
