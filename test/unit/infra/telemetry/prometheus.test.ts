import { createLabelLimiter } from '#infra/telemetry/prometheus';
import { createAnswerChannelLabel } from '#telemetry/conversation-metrics';

describe('labels', () => {
  it('are at most a hundred, and the rest is other', () => {
    const limitLabel = createLabelLimiter();
    const names = Array.from({ length: 150 }, (_, n) => limitLabel(`tool-${n}`));
    expect(new Set(names).size).toBe(101);
    expect([limitLabel('tool-3'), limitLabel('tool-149')]).toEqual(['tool-3', 'other']);
  });

  it('use only known channels, whatever a signal says', () => {
    const label = createAnswerChannelLabel(['slack']);
    expect(['slack', 'web', 'email', '<script>', undefined].map(label)).toEqual([
      'slack',
      'web',
      'other',
      'other',
      'none',
    ]);
  });
});
