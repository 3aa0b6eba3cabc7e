import { faultIn } from '../../../web/session/sign-in-key';

describe('a key at first sight', () => {
  it.each(['', 'a key', 'parley_ä', 'parley_“x”'])('is refused before it is sent: %j', (key) => {
    expect(faultIn(key)).toBeDefined();
  });

  it('is sent where it may be one', () => {
    expect(faultIn('parley_abc-DEF_012')).toBeUndefined();
  });
});
