import { checkApiKeyFormat } from '../../../../../web/pages/sign-in/validate-key';

describe('a key before sign-in', () => {
  it.each(['', 'a key', 'parley_ä', 'parley_“x”'])('is rejected before it is sent: %j', (key) => {
    expect(checkApiKeyFormat(key)).toBeDefined();
  });

  it('is sent if it may be valid', () => {
    expect(checkApiKeyFormat('parley_abc-DEF_012')).toBeUndefined();
  });
});
