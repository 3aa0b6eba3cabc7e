import { createSecretRedactor } from '#tools/interpolate-variables';

describe('the values of variables in a result', () => {
  const hide = createSecretRedactor([`Bearer \${TOKEN}`, `\${PART} \${STAGE} \${QUOTED} \${UNSET}`], {
    TOKEN: 'abcdef-123456',
    PART: 'abcdef',
    STAGE: 'test',
    QUOTED: 'say "please"',
    OTHER: 'not-named',
  });

  it.each([
    ['are removed', 'got abcdef-123456.', 'got [hidden].'],
    ['are removed entirely if one contains another', 'abcdef-123456 abcdef', '[hidden] [hidden]'],
    ['are removed in JSON form', '{"a":"say \\"please\\""}', '{"a":"[hidden]"}'],
    ['stay if they are too short to be secrets', 'a test', 'a test'],
    ['stay if no text contains them', 'not-named', 'not-named'],
  ])('%s', (_what, text, shown) => {
    expect(hide(text)).toBe(shown);
  });
});
