import { planFor, untilDeadline } from '../../src/core/schedule';
import { agent, asking, colour, confirming, HOUR, NOW, name, open, started } from './given';

describe('the policy of a question', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  const by = (questions: object, policy: object = {}) => started({ agent: agent(questions), policy });

  it.each([
    ['24 h and continue where nobody says', by({}), {}, true, at(24 * HOUR), 'continue'],
    ["the agent's", by({ timeout: HOUR, onTimeout: 'fail' }), {}, true, at(HOUR), 'fail'],
    [
      "the start's before the agent's",
      by({ timeout: HOUR, onTimeout: 'fail' }, { timeout: 2 * HOUR, onTimeout: 'continue' }),
      {},
      true,
      at(2 * HOUR),
      'continue',
    ],
    [
      "the call's before the start's",
      by({ timeout: HOUR }, { timeout: 2 * HOUR, onTimeout: 'fail' }),
      { timeout: 3 * HOUR, onTimeout: 'default' as const },
      true,
      at(3 * HOUR),
      'default',
    ],
    ['each part by itself', by({ onTimeout: 'fail' }, { timeout: 2 * HOUR }), {}, true, at(2 * HOUR), 'fail'],
    [
      'continue in place of a default nobody gave',
      by({ onTimeout: 'default' }),
      {},
      false,
      at(24 * HOUR),
      'continue',
    ],
    ['no deadline with wait', by({}), { timeout: HOUR, onTimeout: 'wait' as const }, true, null, 'wait'],
    ['no deadline with never', by({ onTimeout: 'fail' }), { timeout: null }, true, null, 'fail'],
    [
      "the call's deadline before the start's never",
      by({}, { timeout: null }),
      { timeout: HOUR },
      true,
      at(HOUR),
      'continue',
    ],
    ["the start's never before the agent's deadline", by({}, { timeout: null }), {}, true, null, 'continue'],
  ])('is %s', (_what, state, call, hasDefaults, expiresAt, onTimeout) => {
    expect(planFor(state, call, hasDefaults, NOW)).toEqual({ expiresAt, onTimeout });
  });

  it('falls back to continue where one field of several has no default', () => {
    const both = [{ ...colour, default: 'Red' }, name];
    expect(open(asking(both, { onTimeout: 'default' })).onTimeout).toBe('continue');
  });

  it('holds for confirmations: no default named, no default taken', () => {
    const start = { policy: { timeout: HOUR, onTimeout: 'default' as const } };
    expect(open(confirming({}, start))).toMatchObject({ onTimeout: 'continue', expiresAt: at(HOUR) });
    expect(open(confirming({ default: 'No' }, start))).toMatchObject({ onTimeout: 'default' });
  });
});

it('knows how long is left until the deadline, and where there is none', () => {
  const state = asking([colour], { timeout: '1h' });
  expect(untilDeadline(state, NOW)).toBe(HOUR);
  expect(untilDeadline(state, NOW + 2 * HOUR)).toBe(-HOUR);
  expect(untilDeadline(asking([colour], { timeout: 'never' }), NOW)).toBeUndefined();
  expect(untilDeadline(started(), NOW)).toBeUndefined();
});
