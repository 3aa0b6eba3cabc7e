import { ParleyError } from '#client/parley-error';
import {
  chooseAgent,
  EMPTY_START_DRAFT,
  findExampleMessages,
  toStartFormErrors,
  toStartInput,
} from '../../../../../web/pages/start/start-form-state';

const SHIPPED_AGENTS = ['assistant', 'deploy-captain', 'intake', 'researcher'];

describe('the agent of a new conversation', () => {
  it('is the one in the URL, else the last one used, else the assistant', () => {
    expect(chooseAgent(SHIPPED_AGENTS, 'intake', 'researcher')).toBe('intake');
    expect(chooseAgent(SHIPPED_AGENTS, null, 'researcher')).toBe('researcher');
    expect(chooseAgent(SHIPPED_AGENTS, null)).toBe('assistant');
  });

  it('is one that exists', () => {
    expect(chooseAgent(SHIPPED_AGENTS, 'nobody', 'gone')).toBe('assistant');
    expect(chooseAgent(['clerk', 'cook'], null)).toBe('clerk');
    expect(chooseAgent([], null)).toBe('');
  });
});

describe('the request for a new conversation', () => {
  it('has the message unchanged', () => {
    const body = toStartInput('assistant', { ...EMPTY_START_DRAFT, message: '  Plan\n' });
    expect(body).toEqual({ agent: 'assistant', message: '  Plan\n' });
  });

  it('has a deadline for questions only if one was chosen', () => {
    const body = toStartInput('assistant', { message: 'Plan', timeout: 'never' });
    expect(body).toEqual({ agent: 'assistant', message: 'Plan', question: { timeout: 'never' } });
  });
});

describe('a rejected start', () => {
  it.each([
    ['too_large', 'message'],
    ['unknown_agent', 'agent'],
    ['network', 'form'],
    ['temporal_unavailable', 'form'],
  ] as const)('shows its error where it can be fixed: %s at the %s', (code, field) => {
    expect(Object.keys(toStartFormErrors(new ParleyError(code, 'Because.')))).toEqual([field]);
  });
});

describe('examples', () => {
  it('exist for the agents that ship', () => {
    expect(findExampleMessages('researcher', SHIPPED_AGENTS)).toEqual(['Find out what a backup takes']);
    expect(findExampleMessages('intake', SHIPPED_AGENTS)).toEqual([]);
  });

  it('are hidden if there are only other agents', () => {
    expect(findExampleMessages('assistant', ['assistant', 'cook'])).toEqual([]);
  });
});
