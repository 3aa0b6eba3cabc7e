import { checkApiKeyFormat } from '../../../../../web/pages/sign-in/validate-key';

describe('a key at first sight', () => {
  it.each(['', 'a key', 'parley_ä', 'parley_“x”'])('is refused before it is sent: %j', (key) => {
    expect(checkApiKeyFormat(key)).toBeDefined();
  });

  it('is sent where it may be one', () => {
    expect(checkApiKeyFormat('parley_abc-DEF_012')).toBeUndefined();
  });
});
