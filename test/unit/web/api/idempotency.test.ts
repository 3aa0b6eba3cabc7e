import { reuseOrCreateAttempt } from '../../../../web/api/idempotency';

describe('an attempt', () => {
  const first = reuseOrCreateAttempt(undefined, { message: 'Plan our team offsite' });

  it('keeps its key while the same is sent again', () => {
    expect(reuseOrCreateAttempt(first, { message: 'Plan our team offsite' })).toEqual(first);
  });

  it('gets another key once something else is sent', () => {
    const second = reuseOrCreateAttempt(first, { message: 'Plan our team dinner' });
    expect(second.key).not.toBe(first.key);
  });

  it('has a key that is valid in a header', () => {
    expect(first.key).toMatch(/^[0-9a-f]{32}$/);
  });
});
